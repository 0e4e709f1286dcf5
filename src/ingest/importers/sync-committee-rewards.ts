import type pg from 'pg';
import type { z } from 'zod';
import { Network } from '../../chain/networks.ts';
import * as Leaf from '../../kernel/leaves.ts';
import { SyncCommitteeReward } from '../../resources/sync-committee-rewards/record.ts';
import { slotFaults } from '../importer/given-time.ts';
import {
  columnsOf,
  type ImportCounts,
  type Importer,
  type MergeOptions,
  rowChecker,
} from '../importer/importer.ts';
import { raiseChainHeads } from './chain-heads.ts';
import { type Seat, type SlotSeats, seatsAfter } from './committee-seats.ts';
import { removeUnusedCommittees, type SlotRewards, writeSlots } from './sync-committees.ts';

const Shape = SyncCommitteeReward.extend({
  network: Network,
  epoch: Leaf.count().nullable(),
  blockTimestamp: Leaf.moment().nullable(),
  position: Leaf.count().max(511).nullable(),
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

/** Adds the stored seats to `slots`, and returns the committees of these slots. */
async function readStored(client: pg.ClientBase, slots: readonly SlotSeats[]): Promise<number[]> {
  const { rows } = await client.query(
    `/* storedSyncCommitteeSlots */
    select k.list::int - 1 as list, s.committee, c.validators, c.positions, s.rewards::text[] as rewards
    from unnest($1::text[], $2::int[]) with ordinality as k (network, slot, list)
    join sync_committee_slots s using (network, slot)
    join sync_committees c on c.committee = s.committee`,
    [slots.map((slot) => slot.network), slots.map((slot) => slot.slot)],
  );
  for (const { list, validators, positions, rewards } of rows) {
    const seats: Seat[] = positions.map((position: number, rank: number) => {
      return { position, validatorIndex: validators[rank], reward: rewards[rank] };
    });
    slots[list]?.stored.push(...seats.sort((a, b) => a.position - b.position));
  }
  return rows.map((row) => row.committee);
}

const holder = (seat: Seat) => `${seat.position}:${seat.validatorIndex}`;

async function storeSeats(client: pg.ClientBase, slots: readonly SlotSeats[], replace: boolean) {
  const counts = { inserted: 0, updated: 0, removed: 0 };
  const changed = new Map<Network, SlotRewards[]>();
  for (const slot of slots) {
    const seats = seatsAfter(slot, replace);
    const before = new Map(slot.stored.map((seat) => [holder(seat), seat.reward]));
    const fresh = seats.filter((seat) => !before.has(holder(seat))).length;
    const updated = seats.filter((seat) => (before.get(holder(seat)) ?? seat.reward) !== seat.reward).length;
    const removed = before.size - (seats.length - fresh);
    counts.inserted += fresh;
    counts.updated += updated;
    counts.removed += removed;
    if (fresh + updated + removed === 0) continue;
    const own = changed.get(slot.network) ?? [];
    changed.set(slot.network, own);
    own.push({
      slot: slot.slot,
      validators: seats.map((seat) => seat.validatorIndex),
      positions: seats.map((seat) => seat.position),
      rewards: seats.map((seat) => seat.reward),
    });
  }
  for (const [network, own] of changed) await writeSlots(client, network, own);
  return counts;
}

async function mergeRewards(client: pg.ClientBase, options: MergeOptions): Promise<ImportCounts> {
  const counts = { inserted: 0, updated: 0, removed: 0 };
  const committees = new Set<number>();
  await client.query('/* orderStaged */ create index on staged (network, consensus_slot)');
  let slots = await nextSlots(client, { network: '', slot: -1 });
  while (slots.length > 0) {
    for (const committee of await readStored(client, slots)) committees.add(committee);
    const written = await storeSeats(client, slots, options.replace);
    for (const name of ['inserted', 'updated', 'removed'] as const) counts[name] += written[name];
    await raiseChainHeads(client, slots);
    slots = await nextSlots(client, slots.at(-1) as SlotSeats);
  }
  if (counts.inserted + counts.removed > 0) await removeUnusedCommittees(client, committees);
  return counts;
}

const checks = { faults: slotFaults };

export const syncCommitteeRewardImporter: Importer<ImportedReward> = {
  resource: 'sync-committee-rewards',
  shape: Shape,
  check: rowChecker(Shape, checks),
  checks,
  columns: columnsOf(Shape.omit({ epoch: true, blockTimestamp: true })),
  // Rows without a position are never duplicates, because a validator may hold several seats.
  key: ['network', 'consensus_slot', 'position'],
  merge: mergeRewards,
  replacesWhen: 'count(distinct (network, consensus_slot)) = 1',
};
