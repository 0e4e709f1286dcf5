import type pg from 'pg';
import { calendars, dateOfDay, dayOfEpoch, SLOTS_PER_EPOCH } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';

type Slots = { firstSlot: number; lastSlot: number };
export type FeeDay = { validatorIndex: number; utc: boolean; date: string };
type StoredDay = { index: number; utc: boolean; day: number; start: number; end: number };
type Fees = { utc: boolean; index: number; day: number; fees: string; mev: string };

/**
 * Sets the fees and MEV of a validator's day, rounded down to whole Gwei, once all blocks of the day have both.
 * Idempotent. The caller must refresh private sets.
 *
 * Several statements, because Citus updates no distributed table by a join with a local one.
 */
export async function applyBlockFees(
  client: pg.ClientBase,
  network: Network,
  slots: Slots,
): Promise<FeeDay[]> {
  const fees = await knownFees(client, network, await proposersDays(client, network, slots));
  if (fees.length === 0) return [];
  const dates = fees.map(({ day }) => dateOfDay(network, day));
  const { rows } = await client.query<Pick<StoredDay, 'index' | 'utc' | 'day'>>(
    `/* applyBlockFees */
    update validator_days d set sum_priority_fees = g.fees, sum_baseline_mev = g.mev
    from unnest($2::boolean[], $3::int[], $4::date[], $5::bigint[], $6::bigint[])
      as g (utc, validator_index, date, fees, mev)
    where d.network = $1 and d.utc = g.utc and d.validator_index = g.validator_index and d.date = g.date
      and d.date = any($7::date[])
      and (d.sum_priority_fees, d.sum_baseline_mev) is distinct from (g.fees, g.mev)
    returning d.validator_index as index, d.utc, d.day`,
    [
      ...[network, fees.map(({ utc }) => utc), fees.map(({ index }) => index), dates],
      ...[fees.map((one) => one.fees), fees.map((one) => one.mev), [...new Set(dates)]],
    ],
  );
  return rows.map(({ index, utc, day }) => ({ validatorIndex: index, utc, date: dateOfDay(network, day) }));
}

/** Stored days with one of the slots, of validators that proposed a block with fees and MEV in one of them. */
async function proposersDays(
  client: pg.ClientBase,
  network: Network,
  { firstSlot, lastSlot }: Slots,
): Promise<StoredDay[]> {
  const { rows: proposers } = await client.query<{ index: number }>(
    `/* feeProposers */
    select distinct validator_index as index from blocks
    where network = $1 and slot between $2 and $3 and total_priority_fees_validator + baseline_mev is not null`,
    [network, firstSlot, lastSlot],
  );
  if (proposers.length === 0) return [];
  const days = calendars.flatMap((calendar) => {
    const [first, last] = [firstSlot, lastSlot].map((slot) =>
      dayOfEpoch(network, calendar, Math.floor(slot / SLOTS_PER_EPOCH)),
    ) as [number, number];
    return Array.from({ length: last - first + 1 }, (_, n) => ({ utc: calendar === 'utc', day: first + n }));
  });
  const { rows } = await client.query<StoredDay>(
    `/* feeDays */
    select validator_index as index, utc, day, start_epoch as start, end_epoch as "end" from validator_days
    where network = $1 and utc = any('{f,t}') and validator_index = any($2::int[]) and date = any($3::date[])`,
    [
      network,
      proposers.map(({ index }) => index),
      [...new Set(days.map(({ day }) => dateOfDay(network, day)))],
    ],
  );
  return rows.filter((row) => days.some(({ utc, day }) => row.utc === utc && row.day === day));
}

/** Sums of the days of which every proposed block has fees and MEV, in Gwei. */
async function knownFees(
  client: pg.ClientBase,
  network: Network,
  days: readonly StoredDay[],
): Promise<Fees[]> {
  if (days.length === 0) return [];
  const { rows } = await client.query<Fees>(
    `/* feesOfDays */
    select d.utc, d.index, d.day, b.fees, b.mev
    from unnest($2::boolean[], $3::int[], $4::int[], $5::int[], $6::int[]) as d (utc, index, day, first, last)
    cross join lateral (
      select trunc(sum(total_priority_fees_validator))::bigint::text as fees, trunc(sum(baseline_mev))::bigint::text as mev,
        bool_and(total_priority_fees_validator + baseline_mev is not null) as known
      from blocks
      where network = $1 and validator_index = d.index and consensus_proposer_duty = 'proposed'
        and slot >= d.first and slot < d.last
    ) b
    where b.known`,
    [
      ...[network, days.map(({ utc }) => utc), days.map(({ index }) => index), days.map(({ day }) => day)],
      days.map(({ start }) => start * SLOTS_PER_EPOCH),
      days.map(({ end }) => (end + 1) * SLOTS_PER_EPOCH),
    ],
  );
  return rows;
}
