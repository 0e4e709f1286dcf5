import type pg from 'pg';
import type { z } from 'zod';
import { Network } from '../chain/networks.ts';
import { count, moment } from '../kernel/leaves.ts';
import { SyncCommitteeReward } from '../resources/sync-committee-rewards/record.ts';
import { raiseChainHeads } from './chain-heads.ts';
import { type Seat, type SlotSeats, seatsAfter } from './committee-seats.ts';
import { slotFaults } from './given-time.ts';
import {
  columnsOf,
  type ImportCounts,
  type Importer,
  type MergeOptions,
  rowChecker,
  snakeCased,
} from './importer.ts';

const Shape = SyncCommitteeReward.extend({
  network: Network,
  epoch: count().nullable(),
  blockTimestamp: moment().nullable(),
  position: count().max(511).nullable(),
});

export type ImportedReward = z.infer<typeof Shape>;

const SLOTS_AT_ONCE = 32;

async function nextSlots(
  client: pg.ClientBase,
  after: { network: string; slot: number },
): Promise<SlotSeats[]> {
  const { rows } = await client.query(
    `/* nextStagedSlots */
    select network, consensus_slot as slot, position, validator_index as "validatorIndex",
      sync_committee_rewards::text as reward
    from staged join (
      select distinct network, consensus_slot from staged where (network, consensus_slot) > ($1::text, $2::int)
      order by 1, 2 limit ${SLOTS_AT_ONCE}
    ) as next using (network, consensus_slot)
    order by network, consensus_slot, place`,
    [after.network, after.slot],
  );
  const slots: SlotSeats[] = [];
  for (const { network, slot, ...seat } of rows) {
    const last = slots.at(-1);
    if (last && last.slot === slot && last.network === network) last.given.push(seat);
    else slots.push({ network, slot, given: [seat], stored: [] });
  }
  return slots;
}

/** Moves the stored rows of these slots into `slots`, because a new row changes the ranks in its slot. */
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
    [slots.map((slot) => slot.network), slots.map((slot) => slot.slot)],
  );
  for (const row of rows) {
    const { position, reward } = row;
    slots[row.list]?.stored.push({ position, validatorIndex: row.validator_index, reward });
  }
}

const holder = (seat: Seat) => `${seat.position}:${seat.validatorIndex}`;

async function insertSeats(client: pg.ClientBase, slots: readonly SlotSeats[], replace: boolean) {
  const counts = { inserted: 0, updated: 0, removed: 0 };
  const rows: (Seat & { network: Network; slot: number; rank: number })[] = [];
  for (const slot of slots) {
    const seats = seatsAfter(slot, replace);
    const before = new Map(slot.stored.map((seat) => [holder(seat), seat.reward]));
    const fresh = seats.filter((seat) => !before.has(holder(seat))).length;
    counts.inserted += fresh;
    counts.updated += seats.filter(
      (seat) => (before.get(holder(seat)) ?? seat.reward) !== seat.reward,
    ).length;
    counts.removed += before.size - (seats.length - fresh);
    const { network, slot: number } = slot;
    rows.push(...seats.map((seat, rank) => ({ ...seat, network, slot: number, rank })));
  }
  await client.query(
    `/* importSyncCommitteeRewards */
    insert into sync_committee_rewards (network, slot, validator_index, reward, position, rank)
    select * from unnest($1::text[], $2::int[], $3::int[], $4::bigint[], $5::smallint[], $6::smallint[])`,
    (['network', 'slot', 'validatorIndex', 'reward', 'position', 'rank'] as const).map((name) =>
      rows.map((row) => row[name]),
    ),
  );
  return counts;
}

async function mergeRewards(client: pg.ClientBase, options: MergeOptions): Promise<ImportCounts> {
  const counts = { inserted: 0, updated: 0, removed: 0 };
  await client.query('/* orderStaged */ create index on staged (network, consensus_slot)');
  let slots = await nextSlots(client, { network: '', slot: -1 });
  while (slots.length > 0) {
    await takeStored(client, slots);
    const written = await insertSeats(client, slots, options.replace);
    for (const name of ['inserted', 'updated', 'removed'] as const) counts[name] += written[name];
    await raiseChainHeads(client, slots);
    slots = await nextSlots(client, slots.at(-1) as SlotSeats);
  }
  return counts;
}

export const syncCommitteeRewardImporter: Importer<ImportedReward> = {
  resource: 'sync-committee-rewards',
  shape: Shape,
  check: rowChecker(Shape, { faults: slotFaults }),
  columns: columnsOf(Shape.omit({ epoch: true, blockTimestamp: true })),
  stored: snakeCased,
  // Rows without a position are never duplicates, because a validator may hold several seats.
  key: ['network', 'consensus_slot', 'position'],
  merge: mergeRewards,
  replacesWhen: 'count(distinct (network, consensus_slot)) = 1',
};
