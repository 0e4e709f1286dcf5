import { beforeEach, describe, expect, it } from 'vitest';
import { importFile } from '../../src/ingest/import-file.ts';
import type { ReadProgress } from '../../src/ingest/import-options.ts';
import { type ImportResource, importers } from '../../src/ingest/importers/index.ts';
import { validator } from '../refresh/facts.ts';
import { useGateway } from '../support/gateway.ts';
import { slow } from '../support/thorough.ts';
import { body, operator, share, slashing, useFiles } from './rows.ts';

const write = useFiles();
const gateway = useGateway({ template: 'empty' });
beforeEach(async () => {
  const text = 'truncate operator_summaries, operator_lists, slashings cascade';
  await gateway.database.pool.query({ text, values: [] });
});

const load = async (resource: ImportResource, content: unknown, options = {}) =>
  importFile(gateway.database.pool, resource, await write(content), { network: 'mainnet', ...options });
const answer = async (query = 'idType=pool') =>
  (await gateway.get(`/v0/eth/operators?window=7d&size=200&${query}`)).json.data;
const ids = async (query?: string) => (await answer(query)).map((row: any) => row.id);
const slashed = async () =>
  (await gateway.get('/v0/eth/slashings')).json.data.map((row: any) => row.validatorIndex);

describe('a file', () => {
  it('is loaded whole or not at all', async () => {
    const report = await load('slashings', [slashing(1), slashing(2, { slashingEpoch: -1 })]);
    expect(report).toMatchObject({ loaded: false, rows: 2, inserted: 0, updated: 0 });
    expect(await slashed()).toEqual([]);
  });

  it.each(Object.keys(importers) as ImportResource[])(
    'of %s without rows changes nothing',
    async (resource) => {
      for (const options of [{}, { skipInvalid: true }]) {
        const report = await load(resource, [], options);
        expect(report).toMatchObject({ loaded: true, rows: 0, inserted: 0, updated: 0, removed: 0 });
      }
    },
  );

  it('leaves nothing when the database refuses one row of it', async () => {
    const { validatorPubkey } = slashing(1);
    const report = await load('slashings', [slashing(1), slashing(2, { validatorPubkey })]);
    expect(report).toMatchObject({ loaded: false, inserted: 0 });
    expect(await slashed()).toEqual([]);
  });

  it('has its audit entry exactly if it is loaded', async () => {
    const run = (text: string) => gateway.database.pool.query({ text, values: [] });
    const entries = async () =>
      (await run(`select details from audit_log where action = 'import' order by entry_id`)).rows.map(
        ({ details }) => details,
      );
    await run(
      `create function refused() returns trigger language plpgsql as $$ begin raise 'no entry'; end $$`,
    );
    await run('create trigger refused before insert on audit_log execute function refused()');
    const before = (await entries()).length;
    await expect(load('slashings', [slashing(1)])).rejects.toThrow('no entry');
    expect(await slashed()).toEqual([]);
    await run('drop function refused cascade');
    await load('slashings', [slashing(1)], { dryRun: true });
    await load('slashings', [slashing(2, { slashingEpoch: -1 })]);
    const path = await write([slashing(1)]);
    const resumed = () =>
      importFile(gateway.database.pool, 'slashings', path, { network: 'mainnet', resume: true });
    await resumed();
    expect(await resumed()).toMatchObject({ passed: true });
    expect((await entries()).slice(before)).toEqual([{ file: path, inserted: 1, updated: 0, removed: 0 }]);
  });

  it('with skipInvalid is loaded without the rows that do not fit, which are handed back digit for digit', async () => {
    const bad = '{"validatorIndex":2,"slashingPenalties":1.5000000000}';
    const text = `${JSON.stringify(slashing(1))}\n${bad}\n${JSON.stringify(slashing(3))}\n`;
    const rejected: string[] = [];
    const onRejected = (row: string) => rejected.push(row);
    const report = await load('slashings', text, { skipInvalid: true, onRejected });
    expect(report).toMatchObject({ loaded: true, rows: 3, inserted: 2, rejected: 1 });
    expect(rejected).toEqual([bad]);
    expect(await slashed()).toEqual([1, 3]);
  });

  it.each([
    ['Pool', { Pool: 'P' }, 'pool'],
    ['node_operator', { node_operator: 'N' }, 'nodeOperator'],
    ['activationEpochs', { activationEpochs: 1 }, 'activationEpoch'],
  ])(
    'whose field %s looks misspelt is refused, since its stored value would be removed',
    async (name, more, field) => {
      const { pool: _pool, nodeOperator: _operator, activationEpoch: _epoch, ...row } = validator(7);
      const { faults, loaded } = await load('validators', [{ ...row, ...more }]);
      expect([loaded, faults]).toMatchObject([false, [{ field: name, msg: `is not a field; ${field} is` }]]);
    },
  );

  it('with other fields than an import needs is loaded', async () => {
    const row = { ...slashing(1), whistleblowerReward: 3 };
    expect(await load('slashings', [row])).toMatchObject({ faults: [], loaded: true });
  });

  it('with skipInvalid keeps the first of two rows with one key', async () => {
    const twice = [operator('A', { validatorCount: 1 }), operator('A', { validatorCount: 2 })];
    expect(await load('operators', twice, { skipInvalid: true })).toMatchObject({ inserted: 1 });
    expect(await answer()).toMatchObject([{ id: 'A', validatorCount: 1 }]);
  });

  it('loaded twice changes nothing the second time', async () => {
    const rows = [operator('B'), operator('A'), share('A - x', { poolId: 'A', nodeOperatorId: 'x' })];
    expect(await load('operators', rows)).toMatchObject({ inserted: 3, updated: 0, removed: 0 });
    const before = [await answer(), await answer('parentId=A'), await answer('parentId=x')];
    expect(await load('operators', rows)).toMatchObject({ inserted: 0, updated: 0, removed: 0 });
    expect([await answer(), await answer('parentId=A'), await answer('parentId=x')]).toEqual(before);
  });

  it('tells its progress up to all of its rows', async () => {
    const rows = Array.from({ length: 2_500 }, (_, index) => slashing(index));
    const told: ReadProgress[] = [];
    await load('slashings', rows, { onProgress: (progress: ReadProgress) => told.push(progress) });
    const reading = told.filter(({ phase }) => phase === 'reading');
    expect(reading.map((progress) => progress.rows)).toEqual(
      reading.map((progress) => progress.rows).toSorted((one, other) => one - other),
    );
    expect(told.at(-1)).toMatchObject({ phase: 'merging', rows: 2_500 });
    expect(told.at(-1)?.read).toBe(told.at(-1)?.size);
  });

  it('has addresses in any letter case as one operator in lower case', async () => {
    const address = `0x${'aB'.repeat(20)}`;
    await load('operators', [operator(address)]);
    expect(await load('operators', [operator(address.toLowerCase())])).toMatchObject({
      inserted: 0,
      updated: 0,
    });
    expect(await ids()).toEqual([address.toLowerCase()]);
  });
});

describe('a body of operators that holds its whole list', () => {
  const exchange = { operatorTags: [{ name: 'exchange', path: null }] };
  const stored = [operator('A'), operator('B'), operator('C', exchange)];

  it('removes what it does not hold, and only from its own list', async () => {
    const others = [operator('B', { timeWindow: '30d' }), operator('B', { network: 'hoodi' })];
    await load('operators', [...stored, ...others]);
    const report = await load('operators', body([operator('A'), operator('C', exchange)]));
    expect(report).toMatchObject({ replaced: true, inserted: 0, updated: 0, removed: 1 });
    expect(await ids()).toEqual(['A', 'C']);
    const { json } = await gateway.get('/v0/eth/operators/B/summary?window=30d&idType=pool');
    expect(json).toMatchObject({ id: 'B', timeWindow: '30d' });
    expect(
      (await gateway.get('/v0/eth/operators?window=7d&idType=pool', { 'X-Service-Network': 'hoodi' })).json
        .total,
    ).toBe(1);
  });

  it.each([
    ['a next page', body([operator('A')], { next: '/v0/eth/operators?from=1' })],
    ['a page before it', body([operator('A')], { page: { from: 1, to: 2, size: 1 } })],
    ['a total over its rows', body([operator('A')], { total: 2 })],
    ['only pools of one pool type', body([operator('C', exchange)])],
    ['no envelope', [operator('A')]],
  ])('is not one with %s: nothing is removed', async (_name, content) => {
    await load('operators', stored);
    expect(await load('operators', content)).toMatchObject({ replaced: false, removed: 0 });
    expect(await ids()).toEqual(['A', 'B', 'C']);
  });

  it('is not one of pool shares, which are those of one parent', async () => {
    await load('operators', [share('A - x', { poolId: 'A' }), share('B - x', { poolId: 'B' })]);
    const report = await load('operators', body([share('A - x', { poolId: 'A' })]));
    expect(report).toMatchObject({ replaced: false, removed: 0 });
    expect(await ids('parentId=B')).toEqual(['B - x']);
  });

  it('is not one with skipInvalid and a row that does not fit', async () => {
    await load('operators', stored);
    const content = body([operator('A'), operator('B', { avgUptime: 7 })]);
    const report = await load('operators', content, { skipInvalid: true });
    expect(report).toMatchObject({ replaced: false, removed: 0 });
    expect(await ids()).toEqual(['A', 'B', 'C']);
  });

  it('is none either with skipInvalid, replace: true and a row that does not fit, whose stored version stays', async () => {
    await load('operators', stored);
    const rows = [operator('A'), operator('B', { avgUptime: 7 })];
    const report = await load('operators', rows, { skipInvalid: true, replace: true });
    expect(report).toMatchObject({ replaced: false, removed: 0, rejected: 1 });
    expect(await ids()).toEqual(['A', 'B', 'C']);
  });

  it('removes nothing with replace: false', async () => {
    await load('operators', stored);
    await load('operators', body([operator('A')]), { replace: false });
    expect(await ids()).toEqual(['A', 'B', 'C']);
  });

  it('is any file with replace: true', async () => {
    await load('operators', stored);
    expect(await load('operators', [operator('A')], { replace: true })).toMatchObject({ removed: 2 });
    expect(await ids()).toEqual(['A']);
  });
});

describe('a body of slashings', () => {
  it('removes nothing by itself, for a slashing stays', async () => {
    await load('slashings', [slashing(1), slashing(2)]);
    expect(await load('slashings', body([slashing(2)]))).toMatchObject({ replaced: false, removed: 0 });
    expect(await slashed()).toEqual([1, 2]);
  });

  it('removes the others of its network with replace: true', async () => {
    await load('slashings', [slashing(1), slashing(2), slashing(1, { network: 'hoodi' })]);
    expect(await load('slashings', body([slashing(2)]), { replace: true })).toMatchObject({ removed: 1 });
    expect(await slashed()).toEqual([2]);
    const { json } = await gateway.get('/v0/eth/slashings', { 'X-Service-Network': 'hoodi' });
    expect(json.total).toBe(1);
  });
});

describe('imports at once', () => {
  slow('of the same lists all arrive, and each row has one rank', async () => {
    const files = Array.from({ length: 4 }, (_, file) =>
      Array.from({ length: 30 }, (_, index) =>
        operator(`${file}-${index}`, { networkPenetration: index / 100 }),
      ),
    );
    await Promise.all(
      [...files, ...files.map((rows) => rows.toReversed())].map((rows) => load('operators', rows)),
    );
    const rows = await answer();
    expect(rows).toHaveLength(120);
    expect(new Set(rows.map((row: any) => row.id)).size).toBe(120);
    expect(rows.map((row: any) => row.networkPenetration)).toEqual(
      rows.map((row: any) => row.networkPenetration).toSorted((a: number, b: number) => b - a),
    );
  });

  it('are seen whole or not at all by a page read meanwhile', async () => {
    await load('operators', [operator('A'), operator('B')]);
    const replaced = load('operators', body([operator('C'), operator('D')]));
    const seen: string[] = [];
    for (let i = 0; i < 20; i += 1) seen.push((await ids()).join());
    await replaced;
    expect(['A,B', 'C,D']).toEqual(expect.arrayContaining([...new Set(seen)]));
    expect(await ids()).toEqual(['C', 'D']);
  });
});
