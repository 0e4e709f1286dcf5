import type pg from 'pg';
import { SLOTS_PER_EPOCH } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import { type SlotRewards, writeSlots } from '../../ingest/importers/sync-committees.ts';
import type { ConsolidationFacts, EpochFacts, Registry, SeatFacts } from '../chain/types.ts';

export async function writeSeats(
  client: pg.ClientBase,
  network: Network,
  epoch: number,
  seats: readonly SeatFacts[],
): Promise<boolean> {
  const slots = seats.map(slotRewards);
  const { rowCount: removed } = await client.query(
    `/* removeSyncCommitteeSlots */
    delete from sync_committee_slots where network = $1 and slot between $2 and $3 and slot <> all($4::int[])`,
    [network, epoch * SLOTS_PER_EPOCH, (epoch + 1) * SLOTS_PER_EPOCH - 1, slots.map(({ slot }) => slot)],
  );
  return (await writeSlots(client, network, slots)) + (removed ?? 0) > 0;
}

/** Ranks the seats by validator and position, as an import does. */
function slotRewards({ slot, validators, rewards }: SeatFacts): SlotRewards {
  const positions = [...validators.keys()].sort(
    (a, b) => (validators[a] as number) - (validators[b] as number) || a - b,
  );
  return {
    ...{ slot, positions },
    validators: positions.map((position) => validators[position] as number),
    rewards: positions.map((position) => rewards[position] as number),
  };
}

export async function writeChainBalance(
  client: pg.ClientBase,
  network: Network,
  { epoch, totalActiveBalance }: EpochFacts,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `/* writeChainBalance */
    insert into chain_balances as c (network, epoch, total_active_balance) values ($1, $2, $3)
    on conflict (network, epoch) do update set total_active_balance = excluded.total_active_balance
    where c.total_active_balance <> excluded.total_active_balance`,
    [network, epoch, totalActiveBalance],
  );
  return rowCount === 1;
}

export async function writeConsolidations(
  client: pg.ClientBase,
  network: Network,
  facts: readonly ConsolidationFacts[],
  registry: Registry,
): Promise<boolean> {
  if (facts.length === 0) return false;
  const sources = facts.map((one) => one.source);
  const { rowCount } = await client.query(
    `/* writeConsolidations */
    insert into consolidations as c
      (network, source_index, source_pubkey, target_index, target_pubkey, epoch, consolidated_balance)
    select $1, * from unnest($2::int[], $3::text[], $4::int[], $5::text[], $6::int[], $7::bigint[])
    on conflict (network, source_index) do update
      set (source_pubkey, target_index, target_pubkey, epoch, consolidated_balance)
        = (excluded.source_pubkey, excluded.target_index, excluded.target_pubkey, excluded.epoch,
          excluded.consolidated_balance)
      where c is distinct from excluded`,
    [
      ...[network, sources, sources.map((index) => registry.record(index).pubkey)],
      ...[facts.map((one) => one.target), facts.map((one) => registry.record(one.target).pubkey)],
      ...[facts.map((one) => one.epoch), facts.map((one) => one.amount)],
    ],
  );
  if (rowCount === 0) return false;
  await client.query('/* storeConsolidationTotals */ select store_consolidation_totals($1, $2)', [
    network,
    sources,
  ]);
  return true;
}

/** The chain day must be complete. */
export async function writeChainDailyReward(
  client: pg.ClientBase,
  network: Network,
  day: number,
  rewards: { consensusRewards: number; effectiveBalance: number; effectiveBalanceEpochs: bigint },
): Promise<boolean> {
  const { rowCount } = await client.query(
    `/* writeChainDailyReward */
    insert into chain_daily_rewards as c (network, day, sum_consensus_rewards, sum_execution_rewards, sum_priority_fees,
      sum_baseline_mev, sum_effective_balance, effective_balance_epochs, computed)
    select $1, $2, $3, 0, 0, 0, $4, $5, false
    on conflict (network, day) do update
      set (sum_consensus_rewards, sum_effective_balance, effective_balance_epochs, computed) = (
        excluded.sum_consensus_rewards, excluded.sum_effective_balance, excluded.effective_balance_epochs, false)
      where (c.sum_consensus_rewards, c.sum_effective_balance, c.effective_balance_epochs, c.computed) is distinct from (
        excluded.sum_consensus_rewards, excluded.sum_effective_balance, excluded.effective_balance_epochs, false)`,
    [
      ...[network, day, rewards.consensusRewards, rewards.effectiveBalance],
      rewards.effectiveBalanceEpochs.toString(),
    ],
  );
  return rowCount === 1;
}
