import type pg from 'pg';
import { EPOCHS_PER_DAY, SLOTS_PER_DAY } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import { raisedRevision } from '../../db/changes/revisions.ts';
import { hasFees, isProposed } from '../../refresh/block-fees.ts';

/** Sums the execution rewards of changed chain days that the index covers, if all blocks are stored and have them. */
export async function addChainDayFees(client: pg.ClientBase, network: Network): Promise<boolean> {
  const { rows } = await client.query<{ day: number; date: string }>(
    `/* dueChainDays */
    select day, date::text as date from validator_day_dates d
    where network = $1 and not utc and rewards_due and exists (
      select from index_ranges r
      where r.network = $1 and r.first_epoch <= d.day * ${EPOCHS_PER_DAY}
        and r.last_epoch >= d.day * ${EPOCHS_PER_DAY} + ${EPOCHS_PER_DAY - 1}
    )
    order by date for update -- as a refresh locks them`,
    [network],
  );
  if (rows.length === 0) return false;
  const days = rows.map(({ day }) => day);
  const { rowCount } = await client.query(
    `/* addChainDayFees */
    update chain_daily_rewards c
    set (sum_execution_rewards, sum_priority_fees, sum_baseline_mev) = (b.execution, b.fees, b.mev)
    from unnest($2::int[], $3::date[]) as d (day, date)
    cross join lateral (
      select sum(b.execution_rewards) as execution, sum(b.total_priority_fees_validator) as fees,
        sum(b.baseline_mev) as mev,
        bool_and(${hasFees}) as known
      from blocks b
      where b.network = $1 and b.slot >= d.day * ${SLOTS_PER_DAY} and b.slot < (d.day + 1) * ${SLOTS_PER_DAY}
        and ${isProposed}
    ) b
    where b.known and c.network = $1 and c.day = d.day and not c.computed
      and not exists (select from kept_from k where k.dataset = 'blocks' and k.network = $1 and k.date > d.date)
      and (c.sum_execution_rewards, c.sum_priority_fees, c.sum_baseline_mev)
        is distinct from (b.execution, b.fees, b.mev)`,
    [network, days, rows.map(({ date }) => date)],
  );
  await client.query(
    '/* doneChainDays */ update validator_day_dates set rewards_due = false where network = $1 and not utc and day = any($2)',
    [network, days],
  );
  if (rowCount === 0) return false;
  await raisedRevision(client, 'chain-daily-rewards')();
  return true;
}
