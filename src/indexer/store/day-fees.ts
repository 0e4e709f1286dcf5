import type pg from 'pg';
import { calendars, dateOfDay, dayOfEpoch, SLOTS_PER_EPOCH } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';

/**
 * Sets the fees and MEV of a validator's day, rounded down to whole Gwei, once all blocks of the day have both.
 * Idempotent. The caller must refresh private sets.
 */
export async function applyBlockFees(
  client: pg.ClientBase,
  network: Network,
  { firstSlot, lastSlot }: { firstSlot: number; lastSlot: number },
): Promise<{ validatorIndex: number; utc: boolean; date: string }[]> {
  const days = calendars.flatMap((calendar) => {
    const [first, last] = [firstSlot, lastSlot].map((slot) =>
      dayOfEpoch(network, calendar, Math.floor(slot / SLOTS_PER_EPOCH)),
    ) as [number, number];
    return Array.from({ length: last - first + 1 }, (_, n) => ({
      utc: calendar === 'utc',
      date: dateOfDay(network, first + n),
    }));
  });
  const { rows } = await client.query<{ validatorIndex: number; utc: boolean; date: string }>(
    `/* applyBlockFees */
    with days as (select * from unnest($4::boolean[], $5::date[]) as given (utc, date)),
    proposers as materialized (
      select distinct validator_index from blocks
      where network = $1 and slot between $2 and $3 and total_priority_fees_validator + baseline_mev is not null
    )
    update validator_days d set sum_priority_fees = s.fees, sum_baseline_mev = s.mev
    from (
      select a.utc, a.validator_index, a.date, b.fees, b.mev
      from proposers p
      cross join days y
      join validator_days a on a.network = $1 and a.utc = y.utc and a.validator_index = p.validator_index
        and a.date = y.date and a.date = any($5::date[])
      cross join lateral (
        select trunc(sum(total_priority_fees_validator))::bigint as fees, trunc(sum(baseline_mev))::bigint as mev,
          bool_and(total_priority_fees_validator + baseline_mev is not null) as known
        from blocks b
        where b.network = $1 and b.validator_index = a.validator_index and b.consensus_proposer_duty = 'proposed'
          and b.slot >= a.start_epoch * $6::int and b.slot < (a.end_epoch + 1) * $6::int
      ) b
      where b.known
    ) s
    where d.network = $1 and d.utc = s.utc and d.validator_index = s.validator_index and d.date = s.date
      and d.date = any($5::date[])
      and (d.sum_priority_fees, d.sum_baseline_mev) is distinct from (s.fees, s.mev)
    returning d.validator_index as "validatorIndex", d.utc, d.date::text as date`,
    [network, firstSlot, lastSlot, days.map(({ utc }) => utc), days.map(({ date }) => date), SLOTS_PER_EPOCH],
  );
  return rows;
}
