import type pg from 'pg';
import { z } from 'zod';
import { SLOTS_PER_EPOCH, slotStart } from '../chain/calendar.ts';
import { Network } from '../chain/networks.ts';
import { decode } from '../kernel/decode.ts';
import { count } from '../kernel/leaves.ts';
import { SyncCommitteeReward } from '../resources/sync-committee-rewards/record.ts';
import { raiseChainHeads } from './chain-heads.ts';
import { type Seat, type SlotSeats, seatsAfter } from './committee-seats.ts';
import { momentFault } from './given-time.ts';
import { type ImportCounts, type Importer, isObject } from './importer.ts';

const Shape = SyncCommitteeReward.extend({
  network: Network,
  // follow from the slot; a source may leave them out
  epoch: count().nullable(),
  blockTimestamp: z.string().nullable(),
  /** The seat; what REST answers does not tell it. */
  position: count().max(511).nullable(),
});

const ImportedReward = Shape.superRefine((row, context) => {
  const fault = (path: string, message: string) =>
    context.addIssue({ code: 'custom', path: [path], message });
  // zod goes on after a slot that is out of range, which its own check tells
  if (!Shape.shape.consensusSlot.safeParse(row.consensusSlot).success) return;
  const epoch = Math.floor(row.consensusSlot / SLOTS_PER_EPOCH);
  if (row.epoch !== null && row.epoch !== epoch) {
    fault('epoch', `is ${row.epoch}; slot ${row.consensusSlot} is in epoch ${epoch}`);
  }
  if (row.blockTimestamp === null) return;
  const start = slotStart(row.network, row.consensusSlot);
  const moment = momentFault(row.blockTimestamp, start, `slot ${row.consensusSlot}`);
  if (moment) fault('blockTimestamp', moment);
});
type ImportedReward = z.infer<typeof ImportedReward>;
/** What of a row is stored; the rest follows from the slot. */
type WrittenReward = Omit<ImportedReward, 'epoch' | 'blockTimestamp'>;

/** The rows of each slot together. */
function bySlot(rows: readonly WrittenReward[]): SlotSeats[] {
  const slots = new Map<string, SlotSeats>();
  for (const { network, consensusSlot: slot, syncCommitteeRewards: reward, ...row } of rows) {
    const key = `${network}:${slot}`;
    let seats = slots.get(key);
    if (!seats) slots.set(key, (seats = { network, slot, given: [], stored: [] }));
    seats.given.push({ position: row.position, validatorIndex: row.validatorIndex, reward });
  }
  return [...slots.values()];
}

const slotArrays = (slots: readonly SlotSeats[]) => [
  slots.map((slot) => slot.network),
  slots.map((slot) => slot.slot),
];

/** Takes what is stored of these slots out of the table: their ranks change with any row. */
async function takeStored(client: pg.ClientBase, slots: readonly SlotSeats[]) {
  const { rows } = await client.query(
    `/* takeSyncCommitteeRewards */
    with taken as (
      delete from sync_committee_rewards r
      using unnest($1::text[], $2::int[]) with ordinality as k (network, slot, list)
      where (r.network, r.slot) = (k.network, k.slot)
      returning k.list::int - 1 as list, r.position, r.validator_index, r.reward::text
    )
    select * from taken order by list, position`,
    slotArrays(slots),
  );
  for (const row of rows) {
    const { position, reward } = row;
    slots[row.list]?.stored.push({ position, validatorIndex: row.validator_index, reward });
  }
}

const holder = (seat: Seat) => `${seat.position}:${seat.validatorIndex}`;

async function insertSeats(client: pg.ClientBase, slots: readonly SlotSeats[], replace: boolean) {
  const counts = { inserted: 0, updated: 0, removed: 0 };
  const [networks, numbers, validators, rewards, positions, ranks]: [
    string[],
    number[],
    number[],
    string[],
    number[],
    number[],
  ] = [[], [], [], [], [], []];
  for (const slot of slots) {
    const seats = seatsAfter(slot, replace);
    const before = new Set(slot.stored.map(holder));
    const fresh = seats.filter((seat) => !before.has(holder(seat))).length;
    counts.inserted += fresh;
    counts.updated += slot.given.length - fresh;
    counts.removed += before.size - (seats.length - fresh);
    for (const [rank, seat] of seats.entries()) {
      networks.push(slot.network);
      numbers.push(slot.slot);
      validators.push(seat.validatorIndex);
      rewards.push(seat.reward);
      positions.push(seat.position);
      ranks.push(rank);
    }
  }
  await client.query(
    `/* importSyncCommitteeRewards */
    insert into sync_committee_rewards (network, slot, validator_index, reward, position, rank)
    select * from unnest($1::text[], $2::int[], $3::int[], $4::bigint[], $5::smallint[], $6::smallint[])`,
    [networks, numbers, validators, rewards, positions, ranks],
  );
  return counts;
}

const SLOTS_AT_ONCE = 32;

/** Writes rewards, the ranks of every slot they touch and the heads of their networks, in the client's transaction. */
export async function writeSyncCommitteeRewards(
  client: pg.ClientBase,
  rows: readonly WrittenReward[],
  options: { replace: boolean; onProgress?: ((done: number) => void) | undefined },
): Promise<ImportCounts> {
  await client.query(`select pg_advisory_xact_lock(hashtext('stakegraph sync committee rewards'))`);
  const counts = { inserted: 0, updated: 0, removed: 0 };
  const slots = bySlot(rows);
  let done = 0;
  for (let start = 0; start < slots.length; start += SLOTS_AT_ONCE) {
    const part = slots.slice(start, start + SLOTS_AT_ONCE);
    await takeStored(client, part);
    const written = await insertSeats(client, part, options.replace);
    for (const name of ['inserted', 'updated', 'removed'] as const) counts[name] += written[name];
    done += part.reduce((sum, slot) => sum + slot.given.length, 0);
    options.onProgress?.(done);
  }
  if (slots.length > 0) await raiseChainHeads(client, slots);
  return counts;
}

export const syncCommitteeRewardImporter: Importer<ImportedReward> = {
  resource: 'sync-committee-rewards',
  check: (raw, { network }) => {
    const value = decode(Shape, raw);
    return ImportedReward.safeParse(isObject(value) ? { network, ...value } : value);
  },
  // A validator that holds several seats is listed for each: only a seat that is told can repeat another.
  key: (row) => (row.position === null ? undefined : `${row.network}:${row.consensusSlot}:${row.position}`),
  write: writeSyncCommitteeRewards,
  // A body that is whole is that of one slot, and replaces it.
  replacesBy: (rows) => new Set(rows.map((row) => `${row.network}:${row.consensusSlot}`)).size === 1,
};
