import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAccount, storedUsage } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { slow } from '../support/thorough.ts';

// An allowance is reserved by the estimate of an answer before it is made, and settled by what was charged.

const ALLOWANCE = 1_000;
const AT_ONCE = 400;
const PAGE = '/v0/eth/operators?window=7d&idType=withdrawalAddress&size=200';
/** What a full page of 200 costs. */
const PAGE_UNITS = 205;
const QUERY = '{ operators(window: SEVEN_DAYS, idType: POOL, first: 200) { nodes { operatorId } } }';

describe.each([
  ['off', false],
  ['on', true],
] as const)('with the cache %s', (_name, CACHE) => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({ settings: { CACHE } });
    if (CACHE) await eventually(() => expect(gateway.revisions.trusted()).toBe(true));
  });
  afterAll(() => gateway.close());

  const account = () => makeAccount(gateway, { unitAllowance: ALLOWANCE });
  const used = async (name: string) => {
    await gateway.meter.flush();
    return (await storedUsage(gateway, name)).units;
  };

  /** Holds the statements of requests up until all of them are under way. */
  async function allUnderWay<T>(ask: () => Promise<T>[]): Promise<T[]> {
    const locker = new pg.Client({ connectionString: gateway.database.url });
    await locker.connect();
    await locker.query('begin; lock table operator_lists in access exclusive mode');
    const answers = ask();
    await setTimeout(1_000);
    await locker.end();
    return Promise.all(answers);
  }

  slow(
    'REST requests at once spend no more than the allowance and the one answer that exceeds it',
    async () => {
      const { name, ...as } = await account();
      const answers = await allUnderWay(() =>
        Array.from({ length: AT_ONCE }, (_, from) => gateway.get(`${PAGE}&from=${from % 40}`, as)),
      );
      const spent = answers.reduce(
        (sum, { headers }) => sum + Number(headers.get('x-service-compute-units')),
        0,
      );
      expect(spent).toBe(await used(name));
      expect(spent).toBeLessThan(ALLOWANCE + PAGE_UNITS);
      expect(answers.some(({ status }) => status === 200)).toBe(true);
      for (const { status, headers, json } of answers.filter((answer) => answer.status !== 200)) {
        expect([402, 429]).toContain(status);
        expect(headers.get('x-service-compute-units')).toBe('0');
        if (status === 402)
          expect(json.detail).toMatch(/^The allowance is used up: 1,\d{3} of 1,000 compute units/);
        else {
          expect(json.detail).toMatch(
            /^Too many requests at once: .* reserved the [\d,]+ compute units that are left\.$/,
          );
          expect(headers.get('retry-after')).toBe('1');
        }
      }
    },
  );

  slow('GraphQL queries at once spend no more than the allowance', async () => {
    const { name, ...as } = await account();
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, n) => gateway.graphql(`# ${n % 40}\n${QUERY}`, {}, as)),
    );
    const refused = answers.filter(({ data }) => !data);
    expect(refused.length).toBeGreaterThan(0);
    expect(await used(name)).toBeLessThanOrEqual(ALLOWANCE + PAGE_UNITS);
    for (const { status, json } of refused) {
      if (status === 402) continue;
      expect(json.errors[0].extensions).toMatchObject({ code: 'COST_LIMIT', estimate: PAGE_UNITS });
    }
  });

  slow('a query that fits once the others are answered is told so', async () => {
    const as = await account();
    const answers = await allUnderWay(() =>
      Array.from({ length: 8 }, (_, n) => gateway.graphql(`# ${n}\n${QUERY}`, {}, as)),
    );
    const late = answers.filter(({ errors }) => errors);
    for (const { status, headers, json } of late) {
      expect([status, headers.get('retry-after'), headers.get('x-service-compute-units')]).toEqual([
        429,
        '1',
        '0',
      ]);
      expect(json.extensions.cost).toMatchObject({ estimated: 205, charged: 0 });
    }
    const refused = late.flatMap(({ errors = [] }) => errors.map(({ message }) => message));
    expect(refused).toHaveLength(4); // 4 × 205 of 1,000
    for (const message of refused) {
      expect(message).toMatch(
        /^The query may cost 205 compute units and the account has 180 left; 820 of its 1000 are reserved by requests that are being answered; ask again when they are\.$/,
      );
    }
  });

  it('what was reserved and not spent is given back', async () => {
    const { name, ...as } = await account();
    await Promise.all(Array.from({ length: 4 }, (_, n) => gateway.graphql(`# ${n}\n${QUERY}`, {}, as)));
    const spent = await used(name);
    const { json } = await gateway.graphql(
      '{ operators(window: SEVEN_DAYS, idType: POOL, first: 1) { nodes { operatorId } } }',
      {},
      as,
    );
    expect(json.extensions.cost.remaining).toBe(ALLOWANCE - spent - 6);
  });

  const nothingReserved = async ({ authorization }: { authorization: string }) => {
    const caller = gateway.tokens.find(authorization, new Date());
    if (!caller) throw new Error('the token is unknown');
    const metering = await gateway.meter.admit(caller);
    expect(metering.available()).toBe(metering.remaining());
  };

  it('so is what was reserved for the answer to HEAD of a whole list, which costs no rows', async () => {
    const { name, ...as } = await account();
    const { status, headers } = await gateway.fetch('/v0/eth/operators?window=7d&idType=pool&all', {
      method: 'HEAD',
      headers: { accept: 'text/csv', ...as },
    });
    expect([status, headers.get('x-service-compute-units')]).toEqual([200, '5']);
    expect(await used(name)).toBe(5);
    await nothingReserved(as);
  });

  it('so is what was reserved for a caller who hung up', async () => {
    const as = await account();
    const { hostname, port } = new URL(gateway.url);
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const socket = connect(Number(port), hostname);
        socket.write(`GET ${PAGE} HTTP/1.1\r\nHost: x\r\nAuthorization: ${as.authorization}\r\n\r\n`, () =>
          socket.destroy(),
        );
        await new Promise((done) => socket.once('close', done));
      }),
    );
    await eventually(() => nothingReserved(as));
  });
});
