import { beforeEach, describe, expect, it } from 'vitest';
import { useGateway } from '../support/gateway.ts';
import { importText } from '../support/import.ts';

const gateway = useGateway({ template: 'empty' });
beforeEach(() =>
  gateway.database.pool.query({
    text: 'truncate sync_committee_slots, sync_committees cascade; truncate chain_heads',
    values: [],
  }),
);

const load = (content: unknown, options = {}) =>
  importText(
    gateway,
    'sync-committee-rewards',
    typeof content === 'string' ? content : JSON.stringify(content),
    options,
  );
const path = (slot: number) => `/v0/eth/blocks/${slot}/syncCommitteeRewards`;
const answered = async (slot: number) => (await gateway.get(path(slot))).json;
const pairs = async (slot: number) =>
  (await answered(slot)).data.map((row: any) => [row.validatorIndex, row.syncCommitteeRewards]);
const seats = async () =>
  (
    await gateway.database.pool.query({
      text: 'select slot, position, rank, validator_index as index from sync_committee_rewards order by slot, rank',
      values: [],
    })
  ).rows;

const SLOT = 12_000_000;
const row = (validatorIndex: number, syncCommitteeRewards: unknown = '100', more = {}) => ({
  epoch: 375_000,
  consensusSlot: SLOT,
  validatorIndex,
  syncCommitteeRewards,
  blockTimestamp: '2025-06-25T04:00:23Z',
  ...more,
});
/** A body of the whole slot. */
const body = (data: object[], more = {}) => ({
  page: { from: 0, to: data.length, size: 512 },
  total: data.length,
  data,
  next: null,
  ...more,
});

describe('a REST body of a slot', () => {
  const rows = [row(3, '-5'), row(7), row(7, '-100'), row(9)];

  it('comes back as it was, also when it is loaded again', async () => {
    expect(await load(body(rows))).toMatchObject({
      faults: [],
      inserted: 4,
      updated: 0,
      removed: 0,
      replaced: true,
    });
    expect(await answered(SLOT)).toEqual(body(rows));
    const before = await seats();
    expect(await load(body(rows))).toMatchObject({ inserted: 0, updated: 0, removed: 0 });
    expect(await seats()).toEqual(before);
  });

  it('replaces what is stored of its slot when it is whole, and of no other', async () => {
    await load([
      row(1),
      row(2),
      row(3),
      row(1, '1', { consensusSlot: SLOT + 1, epoch: null, blockTimestamp: null }),
    ]);
    expect(await load(body([row(2, '-1'), row(4)]))).toMatchObject({ inserted: 1, updated: 1, removed: 2 });
    expect(await pairs(SLOT)).toEqual([
      [2, '-1'],
      [4, '100'],
    ]);
    expect(await pairs(SLOT + 1)).toEqual([[1, '1']]);
  });

  it('adds to what is stored when it is a page or --merge says so', async () => {
    const next = `${path(SLOT)}?from=2&limit=2`;
    expect(await load(body(rows.slice(0, 2), { total: 4, next }))).toMatchObject({ replaced: false });
    await load(body(rows.slice(2), { total: 4, page: { from: 2, to: 4, size: 2 } }));
    await load(body([row(1)]), { replace: false });
    // The page broke between the two rewards of validator 7: the second is read as a correction of the first.
    expect(await pairs(SLOT)).toEqual([
      [1, '100'],
      [3, '-5'],
      [7, '-100'],
      [9, '100'],
    ]);
  });

  it('is refused with more rows than a committee has seats', async () => {
    const many = Array.from({ length: 513 }, (_, index) => row(index));
    await expect(load(body(many))).rejects.toThrow(`mainnet, slot ${SLOT}: has more than 512 rewards`);
    expect(await seats()).toEqual([]);
    await load(body(many.slice(1)));
    expect((await answered(SLOT)).total).toBe(512);
    await expect(load([many[0]])).rejects.toThrow('more than 512');
  });
});

describe('rows of sync committee rewards', () => {
  it('may be NDJSON of several slots and networks, numbers or text', async () => {
    const lines = [
      row(1, -23018),
      row(2, '23018', {
        network: 'hoodi',
        consensusSlot: 5,
        epoch: 0,
        blockTimestamp: '2025-03-17T12:11:00Z',
      }),
    ];
    const report = await load(lines.map((line) => JSON.stringify(line)).join('\n'));
    expect(report).toMatchObject({ faults: [], inserted: 2, replaced: false });
    expect(await pairs(SLOT)).toEqual([[1, '-23018']]);
    const { json } = await gateway.get(path(5), { 'x-service-network': 'hoodi' });
    expect(json.data[0]).toMatchObject({ validatorIndex: 2, syncCommitteeRewards: '23018' });
  });

  it('keep the seats they tell, and the order of the list does not depend on that of the file', async () => {
    await load([row(9, '1', { position: 4 }), row(7, '2', { position: 511 }), row(7, '3', { position: 0 })]);
    expect(await pairs(SLOT)).toEqual([
      [7, '3'],
      [7, '2'],
      [9, '1'],
    ]);
    // without seats the rewards of a validator fall on those it is known to hold
    expect(await load([row(7, '-3'), row(7, '-2'), row(8, '5')])).toMatchObject({ inserted: 1, updated: 2 });
    expect((await seats()).map((seat) => [seat.position, seat.rank, seat.index])).toEqual([
      [0, 0, 7],
      [511, 1, 7],
      [1, 2, 8],
      [4, 3, 9],
    ]);
  });

  it.each([
    ['2025-06-25T04:00:23Z', []],
    ['2025-06-25T04:00:23', []],
    ['2025-06-25 04:00:23', []],
    ['2025-06-25T04:00:23.000Z', []],
    ['2025-06-25T06:00:23+02:00', []],
    [null, []],
    ['2025-06-25T04:00:24Z', ['blockTimestamp']],
    ['2025-06-25', ['blockTimestamp']],
    ['', ['blockTimestamp']],
    [1750824023, ['blockTimestamp']],
  ])('take the moment %j as %j faults', async (blockTimestamp, expected) => {
    const { faults } = await load([row(1, '1', { blockTimestamp })]);
    expect(faults.map((fault) => fault.field)).toEqual(expected);
  });

  it.each([
    [{ epoch: 374_999 }, ['epoch']],
    [{ epoch: null }, []],
    [{ consensusSlot: -1, epoch: null, blockTimestamp: null }, ['consensusSlot']],
    [{ consensusSlot: 2 ** 31, epoch: null, blockTimestamp: null }, ['consensusSlot']],
    [{ consensusSlot: 2 ** 50 }, ['consensusSlot']],
    [{ consensusSlot: 1.5 }, ['consensusSlot']],
    [{ validatorIndex: -1 }, ['validatorIndex']],
    [{ validatorIndex: null }, ['validatorIndex']],
    [{ syncCommitteeRewards: '1.5' }, ['syncCommitteeRewards']],
    [{ syncCommitteeRewards: '9223372036854775808' }, ['syncCommitteeRewards']],
    [{ syncCommitteeRewards: null }, ['syncCommitteeRewards']],
    [{ position: 512 }, ['position']],
    [{ position: -1 }, ['position']],
    [{ network: 'goerli' }, ['network']],
  ])('with %j have faults in %j', async (more, expected) => {
    const { faults } = await load([row(1, '1', more)]);
    expect(faults.map((fault) => fault.field)).toEqual(expected);
  });

  it('repeat one another only when they tell the same seat', async () => {
    const { faults } = await load([
      row(1, '1', { position: 3 }),
      row(2, '1', { position: 3 }),
      row(1),
      row(1),
    ]);
    expect(faults.map((fault) => [fault.place, fault.msg])).toEqual([['row 2', 'repeats row 1']]);
  });

  it('raise the head of their network and never lower it', async () => {
    const at = (consensusSlot: number) => row(1, '1', { consensusSlot, epoch: null, blockTimestamp: null });
    await load([at(100), at(90)]);
    await load(body([at(50)]));
    expect((await gateway.get(path(100))).status).toBe(200);
    expect((await answered(99)).total).toBe(0);
    expect((await gateway.get(path(101))).status).toBe(404);
    expect((await gateway.get(path(100), { 'x-service-network': 'hoodi' })).status).toBe(404);
  });
});
