import type pg from 'pg';
import { SLOTS_PER_EPOCH } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import type { ConsolidationFacts, EpochFacts, Registry, SeatFacts } from '../types.ts';
import { copyRows } from './binary-copy.ts';

export async function writeSeats(
  client: pg.ClientBase,
  network: Network,
  epoch: number,
  seats: readonly SeatFacts[],
): Promise<boolean> {
  const rows = seats.flatMap(seatRows);
  const within = `network = $1 and slot between ${epoch * SLOTS_PER_EPOCH} and ${(epoch + 1) * SLOTS_PER_EPOCH - 1}`;
  const { rows: stored } = await client.query<Record<string, number | string>>(
    `/* storedSeats */
    select slot, validator_index, position, rank, reward from sync_committee_rewards where ${within} order by slot, rank`,
    [network],
  );
  const same =
    stored.length === rows.length &&
    stored.every((row, at) =>
      (['slot', 'validator_index', 'position', 'rank', 'reward'] as const).every(
        (name, column) => Number(row[name]) === rows[at]?.[column],
      ),
    );
  if (same) return false;
  if (stored.length > 0)
    await client.query(`/* removeSeats */ delete from sync_committee_rewards where ${within}`, [network]);
  const name = Buffer.from(network);
  const target = 'sync_committee_rewards (network, slot, validator_index, position, rank, reward)';
  await copyRows(client, target, rows.length, (copy, at) => {
    const [slot, validator, position, rank, reward] = rows[at] as SeatRow;
    copy.row(6);
    copy.bytes(name);
    copy.integer(slot);
    copy.integer(validator);
    copy.smallint(position);
    copy.smallint(rank);
    copy.bigint(reward);
  });
  return true;
}

type SeatRow = [slot: number, validator: number, position: number, rank: number, reward: number];

function seatRows({ slot, validators, rewards }: SeatFacts): SeatRow[] {
  const order = [...validators.keys()].sort(
    (a, b) => (validators[a] as number) - (validators[b] as number) || a - b,
  );
  return order.map((position, rank) => [
    ...([slot, validators[position] as number, position, rank] as const),
    rewards[position] as number,
  ]);
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
  const { rows } = await client.query<{ inserted: boolean }>(
    `/* writeConsolidations */
    insert into consolidations as c
      (network, source_index, source_pubkey, target_index, target_pubkey, epoch, consolidated_balance)
    select $1, * from unnest($2::int[], $3::text[], $4::int[], $5::text[], $6::int[], $7::bigint[])
    on conflict (network, source_index) do update
      set (source_pubkey, target_index, target_pubkey, epoch, consolidated_balance)
        = (excluded.source_pubkey, excluded.target_index, excluded.target_pubkey, excluded.epoch,
          excluded.consolidated_balance)
      where c is distinct from excluded
    returning xmax = 0 as inserted`,
    [
      ...[network, sources, sources.map((index) => registry.record(index).pubkey)],
      ...[facts.map((one) => one.target), facts.map((one) => registry.record(one.target).pubkey)],
      ...[facts.map((one) => one.epoch), facts.map((one) => one.amount)],
    ],
  );
  if (rows.length === 0) return false;
  if (rows.length === facts.length && rows.every((row) => row.inserted))
    await client.query('/* addConsolidationTotals */ select add_consolidation_totals($1, $2)', [
      network,
      sources,
    ]);
  else
    await client.query('/* storeConsolidationTotals */ select store_consolidation_totals(array[$1])', [
      network,
    ]);
  return true;
}

/** The chain day must be complete. */
export async function writeChainDailyReward(
  client: pg.ClientBase,
  network: Network,
  day: number,
  { consensusRewards, effectiveBalance }: { consensusRewards: number; effectiveBalance: number },
): Promise<boolean> {
  const { rowCount } = await client.query(
    `/* writeChainDailyReward */
    insert into chain_daily_rewards as c (network, day, sum_consensus_rewards, sum_execution_rewards, sum_priority_fees,
      sum_baseline_mev, sum_effective_balance, computed)
    select $1, $2, $3, 0, 0, 0, $4, false
    on conflict (network, day) do update
      set (sum_consensus_rewards, sum_effective_balance, computed)
        = (excluded.sum_consensus_rewards, excluded.sum_effective_balance, false)
      where (c.sum_consensus_rewards, c.sum_effective_balance, c.computed)
        is distinct from (excluded.sum_consensus_rewards, excluded.sum_effective_balance, false)`,
    [network, day, consensusRewards, effectiveBalance],
  );
  return rowCount === 1;
}
