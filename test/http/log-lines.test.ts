import { randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newToken } from '../../src/accounts/token-format.ts';
import { makeAccount } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { slow } from '../support/thorough.ts';

const lines: string[] = [];
const log = pino(
  { level: 'trace' },
  new Writable({
    write(line, _encoding, done) {
      lines.push(String(line));
      done();
    },
  }),
);
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ log, settings: { CACHE: true } });
});
afterAll(() => gateway.close());

type Line = Record<string, unknown>;
const answered = () => lines.map((line): Line => JSON.parse(line)).filter(({ msg }) => msg === 'answered');
const lineOf = (id: string) =>
  eventually(() => {
    const found = answered().find(({ reqId }) => reqId === id);
    expect(found).toBeDefined();
    return found as Line;
  });

describe('the log line of a request', () => {
  const path = '/v0/eth/operators?window=7d&idType=pool&size=3';
  it.each([
    ['computed', 'first'],
    ['from the cache', 'again'],
  ])('that is %s has the account, the name and id of the token, and the units', async (_how, id) => {
    const { headers } = await gateway.get(path, { 'x-request-id': id });
    const line = await lineOf(id);
    expect(line).toMatchObject({
      ...{ route: '/v0/eth/operators', status: 200, account: 'default', tokenName: 'test' },
      units: Number(headers.get('x-service-compute-units')),
    });
    const { rows } = await gateway.database.pool.query({
      text: 'select token_id::text as id from tokens',
      values: [],
    });
    expect(rows.map((row) => row.id)).toContain(line.tokenId);
  });

  it('that is refused for lack of units has no units, and one without a token no account', async () => {
    const account = await makeAccount(gateway, { tier: 'build', unitAllowance: 10, used: 10 });
    await gateway.fetch(path, {
      headers: { authorization: account.authorization, 'x-request-id': 'used-up' },
    });
    expect(await lineOf('used-up')).toMatchObject({ status: 402, account: account.name });
    await gateway.fetch(path, { headers: { 'x-request-id': 'nobody' } });
    const nobody = await lineOf('nobody');
    expect(nobody.status).toBe(401);
    expect(nobody).not.toHaveProperty('account');
  });
});

describe('no log line', () => {
  slow('contains a token, wherever the request has it', async () => {
    const account = await makeAccount(gateway);
    const mistyped = newToken();
    for (const token of [account.token, mistyped, `sgt_${randomBytes(31).toString('base64url')}`]) {
      const encoded = token.replace('s', '%73');
      const header = { authorization: `Bearer ${token}` };
      const operators = '/v0/eth/operators?window=7d&idType=pool&size=1';
      const requests: [string, RequestInit][] = [
        [operators, { headers: header }],
        [`${operators}&token=${token}`, { headers: header }],
        [`${operators}&cursor=${encoded}`, {}],
        [`${operators}&${token}=1`, { headers: { authorization: account.authorization } }],
        [
          `/v0/eth/operators/${token}/summary?window=7d`,
          { headers: { authorization: account.authorization } },
        ],
        [`/${token}`, { headers: header }],
        [`/graphql?query={__typename}&token=${token}`, { headers: header }],
        [
          `/graphql?query={${token.replaceAll('-', '_')}}`,
          { headers: { authorization: account.authorization } },
        ],
        [operators, { headers: { ...header, 'x-request-id': token } }],
        [operators, { headers: { ...header, 'x-other-network': token, 'x-service-network': token } }],
        [operators, { headers: { ...header, referer: `http://x/?t=${token}`, 'user-agent': token } }],
        ['/v1/eth/tags', { method: 'POST', headers: header, body: `{"name":"${token}"` }],
      ];
      for (const [path, init] of requests) await gateway.fetch(path, init);
      const bodies = [
        { query: `{ operator(operatorId: "${token}", idType: POOL) { operatorId } }` },
        {
          query: 'query Q($id: String!) { operator(operatorId: $id, idType: POOL) { operatorId } }',
          variables: { id: token },
        },
        { query: `query ${token.replaceAll('-', '_')} { __typename }` },
        { query: `{ __typename } # ${token}` },
        {
          query: 'mutation($n: String!) { createPrivateSet(input: { name: $n }) { userErrors { message } } }',
          variables: { n: token },
        },
        { query: 'query($w: Window!) { operators(window: $w) { totalCount } }', variables: { w: token } },
        { query: '{ __typename }', variables: { [token]: 1 } },
        { query: '{ __typename }', operationName: token },
        { query: '{ __typename }', extensions: { persistedQuery: { sha256Hash: token } } },
      ];
      for (const authorization of [header.authorization, account.authorization])
        for (const body of bodies)
          await gateway.fetch('/graphql', {
            method: 'POST',
            headers: { authorization, 'content-type': 'application/json' },
            body: JSON.stringify(body),
          });
      const sent = answered().length;
      await gateway.get('/v0/eth/slashings', { 'x-request-id': `end-${sent}` });
      await lineOf(`end-${sent}`);
      const [start, end] = [token.slice(4, 20), token.slice(-16)];
      const told = lines.filter(
        (line) => line.includes(start) || line.includes(end) || /sgt_\w{8}/.test(line),
      );
      expect(told).toEqual([]);
    }
  });

  it('contains a query string, a document or variables', async () => {
    await gateway.get('/v0/eth/operators?window=7d&idType=pool&size=1&secret=Value4711');
    await gateway.graphql(
      'query Named4711($id: String!) { operator(operatorId: $id, idType: POOL) { id } }',
      {
        id: 'Value4711',
      },
    );
    await gateway.get('/v0/eth/slashings', { 'x-request-id': 'last' });
    await lineOf('last');
    expect(lines.filter((line) => /(Value|Named)4711/.test(line))).toEqual([]);
  });
});
