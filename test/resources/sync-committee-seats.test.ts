import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { useGateway } from '../support/gateway.ts';
import { importText } from '../support/import.ts';
import { runs, slow } from '../support/thorough.ts';
import { walkNext } from '../support/walk.ts';

const gateway = useGateway({ template: 'empty' });
const run = (text: string) => gateway.database.pool.query({ text, values: [] }).then(({ rows }) => rows);
const empty = () =>
  run('truncate sync_committee_slots, sync_committees cascade; truncate chain_heads, validators');

const FIRST = 500;
const SLOTS = 6;
const VALIDATORS = 4;

type Seat = { position: number; validatorIndex: number; reward: string };
const seat = fc.record({
  position: fc.oneof(fc.nat({ max: 5 }), fc.nat({ max: 511 })),
  validatorIndex: fc.nat({ max: VALIDATORS - 1 }),
  reward: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
});
const given = fc.record({
  slot: fc.integer({ min: FIRST, max: FIRST + SLOTS - 1 }),
  seats: fc.uniqueArray(seat, { minLength: 1, maxLength: 8, selector: (one) => one.position }),
  replace: fc.boolean(),
});

const load = (slot: number, seats: readonly Seat[], replace: boolean) =>
  importText(
    gateway,
    'sync-committee-rewards',
    seats
      .map(({ reward, ...row }) =>
        JSON.stringify({ ...row, consensusSlot: slot, syncCommitteeRewards: reward }),
      )
      .join('\n'),
    { replace },
  );

const ranked = (seats: ReadonlyMap<number, Seat> | undefined) =>
  [...(seats?.values() ?? [])].sort((a, b) => a.validatorIndex - b.validatorIndex || a.position - b.position);

async function listOf(validator: number, direction: 'first' | 'last'): Promise<unknown[]> {
  const found: unknown[] = [];
  for (let cursor: string | null = null; ; ) {
    const from = cursor === null ? '' : `, ${direction === 'first' ? 'after' : 'before'}: "${cursor}"`;
    const { data } = await gateway.graphql(`{ validator(by: { index: ${validator} }) {
      syncCommitteeRewards(${direction}: 2${from}) { totalCount nodes { consensusSlot reward }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`);
    const page = data.validator.syncCommitteeRewards;
    found[direction === 'first' ? 'push' : 'unshift'](...page.nodes);
    if (!page.pageInfo[direction === 'first' ? 'hasNextPage' : 'hasPreviousPage']) {
      expect(page.totalCount).toBe(found.length);
      return found;
    }
    cursor = page.pageInfo[direction === 'first' ? 'endCursor' : 'startCursor'];
  }
}

describe('rewards of a slot and of a validator', () => {
  slow(
    'are those of a plain list of seats, whatever parts of committees are loaded in whatever order',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(given, { minLength: 1, maxLength: 6 }), async (imports) => {
          await empty();
          await run(`insert into validators (network, validator_index, validator_pubkey, slashed)
          select 'mainnet', n, '0x' || lpad(n::text, 96, '0'), false from generate_series(0, ${VALIDATORS - 1}) n`);
          const model = new Map<number, Map<number, Seat>>();
          for (const { slot, seats, replace } of imports) {
            await load(slot, seats, replace);
            const own = replace ? new Map<number, Seat>() : (model.get(slot) ?? new Map());
            model.set(slot, own);
            for (const one of seats) own.set(one.position, one);
          }
          for (const slot of model.keys()) {
            const rows = await walkNext(gateway, `/v0/eth/blocks/${slot}/syncCommitteeRewards?limit=3`);
            expect(rows.map((row) => [row.validatorIndex, row.syncCommitteeRewards])).toEqual(
              ranked(model.get(slot)).map((one) => [one.validatorIndex, one.reward]),
            );
          }
          for (let validator = 0; validator < VALIDATORS; validator += 1) {
            const expected = [...model.keys()]
              .sort((a, b) => b - a)
              .flatMap((slot) =>
                ranked(model.get(slot))
                  .filter((one) => one.validatorIndex === validator)
                  .reverse()
                  .map(({ reward }) => ({ consensusSlot: slot, reward })),
              );
            expect(await listOf(validator, 'first')).toEqual(expected);
            expect(await listOf(validator, 'last')).toEqual(expected);
          }
          const holders = [...model.values()].map((seats) =>
            ranked(seats)
              .map((one) => `${one.position}:${one.validatorIndex}`)
              .join(),
          );
          expect(await run('select count(*)::int as n from sync_committees')).toEqual([
            { n: new Set(holders).size },
          ]);
        }),
        runs(16),
      );
    },
  );

  it('of slots with one committee store its seats once, and about 300 bytes a slot', async () => {
    await empty();
    const seats = Array.from({ length: 512 }, (_, position) => ({
      position,
      validatorIndex: (position * 7919) % 100_003,
    }));
    for (let slot = FIRST; slot < FIRST + 4; slot += 1)
      await load(
        slot,
        seats.map((one) => ({ ...one, reward: (one.position * 31 + slot) % 50 === 0 ? '-23018' : '23018' })),
        true,
      );
    expect(await run('select count(*)::int as n from sync_committees')).toEqual([{ n: 1 }]);
    expect(await run('select count(*)::int as n from sync_committee_seats')).toEqual([{ n: 512 }]);
    const [size] = await run('select max(pg_column_size(s)) as bytes from sync_committee_slots s');
    expect(size?.bytes).toBeLessThan(300);
  });

  it('are unchanged, and so is their revision, when the same rows come again', async () => {
    await empty();
    await load(FIRST, [{ position: 3, validatorIndex: 1, reward: '5' }], false);
    const state = () =>
      run(`select (select array_agg(s.xmin::text || s.ctid) from sync_committee_slots s) as slots,
        (select revision from datasets where name = 'sync-committee-rewards') as revision`);
    const before = await state();
    expect(await load(FIRST, [{ position: 3, validatorIndex: 1, reward: '5' }], false)).toMatchObject({
      ...{ inserted: 0, updated: 0, removed: 0 },
    });
    expect(await state()).toEqual(before);
  });
});
