import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'lossless-json';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { importFile } from '../src/ingest/import-file.ts';
import type { ImportOptions } from '../src/ingest/import-options.ts';
import type { ImportResource } from '../src/ingest/importers/index.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { mirrorFrom } from './support/mirror.ts';
import { every, slow } from './support/thorough.ts';
import { parsed } from './support/typed.ts';

/** Recorded responses of a live service; not part of the project. */
const folder = fileURLToPath(new URL('../../shared/real/', import.meta.url));
const namesIn = (name: string) => (existsSync(folder) ? readdirSync(folder + name).sort() : []);
const days = namesIn('operators-pool-7d');

describe.skipIf(days.length === 0)('recorded responses', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({ template: 'empty' });
  });
  afterAll(() => gateway.close());

  /** Numbers as the digits that were written, exponents spelled out: 1.7e-05 and 0.000017 are the same number. */
  const digits = (value: unknown): unknown => JSON.parse(stringify(value) as string);

  it.each(every(4, days))('operators of %s come back row for row', async (day) => {
    const path = `${folder}operators-pool-7d/${day}`;
    const report = await importFile(gateway.database.pool, 'operators', path, { network: 'mainnet' });
    expect(report.faults).toEqual([]);
    type Operators = { total: unknown; data: any[] };
    const recorded = parsed<Operators>(readFileSync(path, 'utf8'));
    const { status, text } = await gateway.get('/v0/eth/operators?window=7d&idType=pool&size=100');
    expect([status, status === 200 ? '' : text]).toEqual([200, '']);
    const answered = parsed<Operators>(text);
    expect(String(answered.total)).toBe(String(recorded.total));

    const expected = recorded.data.map((row: any) => ({
      ...row,
      sumEndEpochBalance: null,
      sumEndEpochEffectiveBalance: null,
    }));
    // Equal shares come in our documented order: validator count descending, then id.
    const ordered = expected.toSorted(
      (a: any, b: any) =>
        Number(b.networkPenetration) - Number(a.networkPenetration) ||
        Number(b.validatorCount) - Number(a.validatorCount) ||
        (a.id < b.id ? -1 : 1),
    );
    expect(answered.data.map(digits)).toEqual(ordered.map(digits));
    const shares = (rows: any[]) => rows.map((row) => Number(row.networkPenetration));
    expect(shares(answered.data)).toEqual(shares(recorded.data));
    // Every digit: the shortest text of a double names it, so equal doubles with equal mantissas are equal digits.
    const mantissas = (rows: any[]) =>
      (stringify(rows) as string).match(/(?<=[:,[])-?\d+(\.\d+)?(e-?\d+)?/gi)?.map(mantissa);
    expect(mantissas(answered.data)).toEqual(mantissas(ordered));
  });

  describe('pool shares', () => {
    const pages = namesIn('pool-shares-30d').map((page) => `${folder}pool-shares-30d/${page}`);
    const shares: any[] = pages.flatMap((page) => JSON.parse(readFileSync(page, 'utf8')).data);
    /** The ids of the shares of each node operator, by the tags as they were recorded. */
    const expected = new Map<string, string[]>();
    for (const { id, operatorTags } of shares) {
      const path = operatorTags.find((tag: any) => tag.idType === 'nodeOperator')?.path;
      const parent = path?.replace('/o/', '');
      if (parent) expected.set(parent, [...(expected.get(parent) ?? []), id].sort());
    }

    /** The ids in the answers of each API; from REST, only so many of them. */
    async function answered(own: Gateway, ofRest: readonly string[]) {
      const rest = new Map<string, string[]>();
      for (const parent of ofRest) {
        const { json } = await own.get(
          `/v0/eth/operators?window=30d&parentId=${encodeURIComponent(parent)}&size=200`,
        );
        rest.set(parent, json.data?.map((row: any) => row.id).sort());
      }
      const graphql = new Map<string, string[]>();
      const parents = [...expected.keys()];
      const places = Array.from({ length: 20 }, (_, place) => place);
      const query = `query (${places.map((n) => `$p${n}: String!`).join(', ')}) {
        ${places.map((n) => `_${n}: operators(window: THIRTY_DAYS, parentId: $p${n}, first: 15) { nodes { operatorId } }`).join(' ')}
      }`;
      for (let at = 0; at < parents.length; at += 20) {
        const some = parents.slice(at, at + 20);
        const variables = Object.fromEntries(places.map((n) => [`p${n}`, some[n] ?? some[0]]));
        const { data } = await own.graphql(query, variables);
        for (const [n, parent] of some.entries())
          graphql.set(parent, data[`_${n}`].nodes.map((row: any) => row.operatorId).sort());
      }
      return { rest, graphql };
    }

    /** Every share comes back with its tags as they were recorded, and each node operator has its own. */
    async function check(own: Gateway, every: number) {
      expect(expected.size).toBe(2_374);
      const some = new Map([...expected].filter((_, index) => index % every === 0));
      expect(await answered(own, [...some.keys()])).toEqual({ rest: some, graphql: expected });
      expect((await own.get('/v0/eth/operators?window=30d&parentId=operator')).status).toBe(404);
      const kiln = await own.get('/v0/eth/operators?window=30d&parentId=Kiln');
      expect(kiln.json.total).toBe(8);
      const stored = new Map<string, unknown>();
      for (let next = '/v0/eth/operators?window=30d&idType=poolShare&size=200'; next; ) {
        const { json } = await own.get(next);
        for (const { id, operatorTags } of json.data) stored.set(id, operatorTags);
        next = json.next;
      }
      expect(stored).toEqual(new Map(shares.map(({ id, operatorTags }) => [id, operatorTags])));
    }

    slow('are those of the node operators in their tags, on both APIs and through a mirror', async () => {
      const [own, mirror] = [
        await startGateway({ template: 'empty' }),
        await startGateway({ template: 'empty' }),
      ];
      try {
        // The pages in one file: with 26 imports, each would compute the orders of its lists again.
        const data = pages.flatMap((page) => parsed<{ data: unknown[] }>(readFileSync(page, 'utf8')).data);
        const file = join(inject('runFolder'), 'pool-shares.json');
        writeFileSync(file, stringify({ data }) as string);
        const imported = await importFile(own.database.pool, 'operators', file, { network: 'mainnet' });
        expect(imported.faults).toEqual([]);
        await check(own, 10);
        const options = { resources: ['operators'], windows: ['30d'], token: own.token } as const;
        const report = await mirrorFrom(mirror.database.pool, own.url, options);
        expect(report).toMatchObject({ failures: [], resources: [{ rows: 2_541 }] });
        await check(mirror, 20);
      } finally {
        await own.close();
        await mirror.close();
      }
    });
  });

  it('slashings come back row for row', async () => {
    const path = `${folder}slashings.json`;
    const report = await importFile(gateway.database.pool, 'slashings', path, { network: 'mainnet' });
    expect(report).toMatchObject({ faults: [], inserted: 2 });
    const { json } = await gateway.get('/v0/eth/slashings');
    expect(json.data).toEqual(JSON.parse(readFileSync(path, 'utf8')).data);
  });

  // In blocks hashes came as `\\x…`, the moment without a zone, and in the list as a number that is no moment at all.
  it.each([
    ['block.json', (body: any) => [body]],
    ['blocks.json', (body: any) => body.data],
  ])('%s comes back field for field', async (file, rowsOf) => {
    const own = await startGateway({ template: 'empty' });
    try {
      const report = await importFile(own.database.pool, 'blocks', `${folder}${file}`, {
        network: 'mainnet',
      });
      expect(report).toMatchObject({ faults: [], inserted: 1, updated: 0 });
      const recorded = rowsOf(parse(readFileSync(`${folder}${file}`, 'utf8')));
      const { text } = await own.get('/v0/eth/blocks');
      const expected = recorded.map((row: any) => ({
        ...row,
        ...Object.fromEntries(
          ['consensusBlockRoot', 'executionBlockHash', 'feeRecipient'].map((name) => [
            name,
            row[name].replace(/^\\+x/, '0x'),
          ]),
        ),
        blockTimestamp: '2023-10-09T11:00:47Z',
      }));
      const answered = parsed<{ data: unknown }>(text).data;
      expect(stringify(answered)).toBe(stringify(expected)); // the order of the keys and every digit
      const one = await own.get(`/v0/eth/blocks/${expected[0].consensusSlot}`);
      expect(one.text).toBe(stringify(expected[0]));
    } finally {
      await own.close();
    }
  });
});

/** Bodies that the reference of such a service shows: the import of each, and what it is told beside the file. */
const documented: Record<string, [ImportResource, Partial<ImportOptions>]> = {
  'avalanche.json': ['avalanche-rewards', {}],
  'babylon.json': ['babylon-rewards', {}],
  'babylon_net.json': ['babylon-rewards', {}],
  'cardano.json': ['cardano-rewards', {}],
  'cardano_net.json': ['cardano-rewards', {}],
  'cdr.json': ['chain-daily-rewards', {}],
  'cdr2.json': ['chain-daily-rewards', {}],
  'celestia.json': ['celestia-rewards', {}],
  'celestia_net.json': ['celestia-rewards', {}],
  'slash.json': ['slashings', {}],
  'sol.json': ['solana-overview', {}],
  'stakeauth_v0.json': ['stake-authorities', {}],
};
const examples = `${folder}documented-examples/`;
const names = existsSync(examples) ? readdirSync(examples).sort() : [];

describe.skipIf(names.length === 0)('documented examples', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({ template: 'empty' });
  });
  afterAll(() => gateway.close());
  const load = (name: string) => {
    const [resource, options] = documented[name] ?? ['operators', {}];
    return importFile(gateway.database.pool, resource, `${examples}${name}`, {
      network: 'mainnet',
      ...options,
    });
  };

  it('are all known here', () => expect(names).toEqual(Object.keys(documented).sort()));

  it.each(names)('%s loads', async (name) => {
    const report = await load(name);
    expect(report.faults).toEqual([]);
    expect(report).toMatchObject({ loaded: true, rejected: 0 });
    expect(report.rows).toBeGreaterThan(0);
  });

  it('of Cardano answers by the id of the pool and by its hash', async () => {
    await load('cardano.json');
    const [row] = JSON.parse(readFileSync(`${examples}cardano.json`, 'utf8')).results;
    for (const id of [row.poolId, row.poolHashId]) {
      const { json } = await gateway.get(`/v1/cardano/validators/${id}/rewards`);
      expect(json.results).toEqual([row]);
    }
  });

  it('of a chain day of 2024 answers null for the effective balance that it does not tell', async () => {
    await load('cdr.json');
    const {
      data: [row],
    } = JSON.parse(readFileSync(`${examples}cdr.json`, 'utf8'));
    const answered = await gateway.get(`/v0/eth/network/chainDailyRewards/${row.date}`);
    expect(answered.json).toMatchObject({ ...row, sumEffectiveBalance: null });
    const { data } = await gateway.graphql(
      `{ chainDailyReward(day: ${answered.json.day}) { date sumEffectiveBalance } }`,
    );
    expect(data.chainDailyReward).toEqual({ date: row.date, sumEffectiveBalance: null });
    await load('cdr2.json');
    const newer = await gateway.get(`/v0/eth/network/chainDailyRewards/${row.date}`);
    expect(newer.json.sumEffectiveBalance).toBe(31_000_000_000_000_000);
  });
});

const mantissa = (text: string) => {
  const [number = '', exponent = '0'] = text.toLowerCase().split('e');
  const bare = number
    .replace('.', '')
    .replace(/^(-?)0+(?=\d)/, '$1')
    .replace(/0+$/, '');
  return `${bare}@${Number(text) === 0 ? 0 : Math.floor(Math.log10(Math.abs(Number(text))))}:${exponent.length > 0}`;
};
