import type pg from 'pg';
import { EPOCHS_PER_DAY, SLOTS_PER_DAY } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import { sql } from '../../db/rows.ts';
import { firstKeptSlot } from '../../ingest/merge/dropped-time.ts';
import { filterProposed, hasFees, isProposed } from '../../refresh/block-fees.ts';
import { computesRewards } from '../../refresh/chain-rewards.ts';
import { DAYS_AT_ONCE } from '../../refresh/due-days.ts';
import { allIndices } from '../../refresh/known.ts';

export const whyBlocksNeeded = (network: Network, date: string) =>
  `chain daily rewards of ${network} from ${date} on are not computed from their blocks yet: an index does so when it publishes; without one, run stakegraph refresh first.`;

/**
 * The first date before `before` whose chain day is due, and would get other rewards from its blocks. Passes over days
 * that stay due. Call in a transaction.
 */
export async function firstNeededDate(
  client: pg.ClientBase,
  network: Network,
  before: string,
): Promise<string | undefined> {
  const { rows } = await client.query<{ date: string; stored: boolean }>(
    `/* dueOfBlocks */
    select d.date::text as date, c.day is not null as stored
    from validator_day_dates d
    cross join lateral (
      select count(*) = ${SLOTS_PER_DAY} as whole,
        bool_and(not ${isProposed} or ${hasFees}) as known,
        sum(b.execution_rewards) ${filterProposed} as execution,
        sum(b.total_priority_fees_validator) ${filterProposed} as fees, sum(b.baseline_mev) ${filterProposed} as mev
      from blocks b
      where b.network = $1 and b.slot >= d.day * ${SLOTS_PER_DAY} and b.slot < (d.day + 1) * ${SLOTS_PER_DAY}
    ) b
    left join chain_daily_rewards c on c.network = $1 and c.day = d.day and not c.computed
    where d.network = $1 and not d.utc and d.rewards_due and d.date < $2::date
      and d.day * ${SLOTS_PER_DAY} >= $3::int and b.known
      and case when c.day is null then b.whole else b.execution is not null
        and (c.sum_execution_rewards, c.sum_priority_fees, c.sum_baseline_mev) is distinct from (b.execution, b.fees, b.mev)
        and exists (
          select from index_ranges r
          where r.network = $1 and r.first_epoch <= d.day * ${EPOCHS_PER_DAY}
            and r.last_epoch >= d.day * ${EPOCHS_PER_DAY} + ${EPOCHS_PER_DAY - 1}
        ) end
    order by d.date`,
    [network, before, await firstKeptSlot(client, network)],
  );
  const first = rows.find(({ stored }) => stored)?.date;
  const dates = rows.map(({ date }) => date).filter((date) => first === undefined || date < first);
  return (await firstComputed(client, network, dates)) ?? first;
}

async function firstComputed(
  client: pg.ClientBase,
  network: Network,
  dates: readonly string[],
): Promise<string | undefined> {
  if (dates.length === 0) return undefined;
  const { text, values } = sql`/* everyIndex */ select ${allIndices(network)} as known`;
  const { rows } = await client.query(text, values);
  if (!rows[0].known) return undefined;
  for (let at = 0; at < dates.length; at += DAYS_AT_ONCE) {
    const week = dates.slice(at, at + DAYS_AT_ONCE);
    if (!(await computesRewards(client, network, week))) continue;
    for (const date of week) if (await computesRewards(client, network, [date])) return date;
  }
  return undefined;
}
