import type pg from 'pg';
import type { Network } from '../../chain/networks.ts';
import { waitForCommitOnAllNodes } from '../../db/distributed/prepared.ts';
import { raw, sql } from '../../db/rows.ts';
import * as figure from '../../periods/effectiveness.ts';
import { analyzeGrown } from '../merge/staging.ts';

/** Counts that windows add up; the columns of `validator_days` and `validator_month_sums`. */
export const summedCounts = [
  'total_unique_attestations',
  'sum_missed_attestations',
  'sum_correct_head',
  'sum_correct_target',
  'sum_correct_source',
  'sum_inclusion_delay',
  'proposed_count',
  'missed_proposal_count',
] as const;

/** SQL: whether a chain day of the month `m` is stored. If none is, they were dropped, and the sums stay. */
export const hasDays = sql`exists (
  select from validator_day_dates d
  where d.network = m.network and not d.utc and d.date >= m.month and d.date < (m.month + interval '1 month')::date
)`;

/** Call after changing chain days: the next refresh sums them and their months again. */
export async function noteChangedDays(
  client: pg.ClientBase,
  network: Network,
  dates: readonly string[],
): Promise<void> {
  await client.query(
    `/* noteChangedDays */
    update validator_day_dates d set version = gen_random_uuid()
    from (
      select day from validator_day_dates
      where network = $1 and not utc and date = any($2::date[]) order by date for update -- as a refresh locks them
    ) c
    where d.network = $1 and not d.utc and d.day = c.day`,
    [network, dates],
  );
  await client.query(
    `/* monthsDue */
    insert into validator_months (network, month)
    select distinct $1, date_trunc('month', date::timestamp)::date as month from unnest($2::date[]) as date order by month
    on conflict (network, month) do update set due = true`,
    [network, dates],
  );
}

export type AddedAmount = { validator: number; date: string; amount: number };

/** Adds amounts that were added to rewards of chain days to the sums of their months, which need not be summed again. */
export async function addToMonths(client: pg.ClientBase, network: Network, added: readonly AddedAmount[]) {
  // A statement of its own, so that the next one sees what a refresh commits while this one waits for it.
  await client.query(
    `/* lockMonths */
    select from validator_months
    where network = $1 and month in (select date_trunc('month', date::timestamp)::date from unnest($2::date[]) as date)
    order by month for update`,
    [network, added.map(({ date }) => date)],
  );
  await client.query(
    `/* addToMonths */
    update validator_month_sums s set apr_rewards = s.apr_rewards + g.amount
    from (
      select validator_index, date_trunc('month', date::timestamp)::date as month, sum(amount)::bigint as amount
      from unnest($2::int[], $3::date[], $4::bigint[]) as g (validator_index, date, amount) group by 1, 2
    ) g
    where s.network = $1 and s.month = g.month and s.validator_index = g.validator_index`,
    [
      network,
      added.map(({ validator }) => validator),
      added.map(({ date }) => date),
      added.map(({ amount }) => amount),
    ],
  );
}

/**
 * Sums the first month that is due and has later days. Returns false if there is none. Locks the month: a concurrent
 * import then commits later and makes it due again.
 */
export async function sumDueMonth(client: pg.ClientBase, network: Network): Promise<boolean> {
  const { rows } = await client.query<{ month: string; next: string }>(
    `/* dueMonth */
    select m.month::text as month, (m.month + interval '1 month')::date::text as next from validator_months m
    where m.network = $1 and m.due and ${hasDays.sql} and exists (
      select from validator_day_dates d
      where d.network = m.network and not d.utc and d.date >= (m.month + interval '1 month')::date
    )
    order by m.month limit 1 for update`,
    [network],
  );
  const [found] = rows;
  if (!found) return false;
  const { month, next } = found;
  await waitForCommitOnAllNodes(client); // the days that made it due
  await client.query('/* dropSums */ delete from validator_month_sums where network = $1 and month = $2', [
    network,
    month,
  ]);
  const counts = summedCounts.join(', ');
  const { text, values } = sql`/* sumMonth */
    insert into validator_month_sums (network, month, validator_index, end_epoch, ${raw(counts)}, apr_rewards, apr_stake)
    select ${network}, ${month}::date, a.validator_index, max(a.end_epoch),
      ${raw(summedCounts.map((name) => `sum(a.${name})`).join(', '))},
      coalesce(sum(${figure.aprRewards}), 0), coalesce(sum(${figure.aprStake}), 0)
    from validator_days a
    where a.network = ${network} and not a.utc and a.date >= ${month}::date and a.date < ${next}::date
      and ${figure.duties} > 0
    group by a.validator_index order by a.validator_index`;
  const summed = await client.query(text, values);
  await client.query(
    `/* monthSummed */
    update validator_months set due = false, version = gen_random_uuid(), first_day = (
      select min(day) from validator_day_dates where network = $1 and not utc and date >= $2 and date < $3
    ) where network = $1 and month = $2`,
    [network, month, next],
  );
  await analyzeGrown(client, 'validator_month_sums', summed.rowCount ?? 0);
  return true;
}
