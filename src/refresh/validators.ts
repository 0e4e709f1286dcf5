import type pg from 'pg';
import { SLOTS_PER_DAY } from '../chain/calendar.ts';
import type { Network } from '../chain/networks.ts';
import { type TimeWindow, windowDays } from '../chain/windows.ts';
import { join, raw, type Sql, sql } from '../db/rows.ts';
import { hasDays, summedCounts } from '../ingest/importers/validator-months.ts';
import * as figure from '../periods/effectiveness.ts';
import { relayNames, relayPart } from '../periods/relays.ts';
import { droppedBlocks } from './dropped-relays.ts';
import { localSums } from './local-days.ts';
import { run } from './write.ts';

/** The APR of `all` covers the last 90 days. */
const MAX_APR_DAYS = 90;

export type Days = {
  last: string;
  firstDay: number;
  lastDay: number;
  aprFirst: string;
  aprFirstDay: number;
  /** Months that are read from their sums, in order; none unless the window is `all`. */
  summed: SummedMonth[];
  ranges: DateRange[];
};
type DateRange = { from: string; until: string };

export async function daysOfWindow(
  client: pg.ClientBase,
  network: Network,
  window: TimeWindow,
): Promise<Days | undefined> {
  const { rows } = await run(
    client,
    sql`/* refreshDays */
    select min(date)::text as first, max(date)::text as last, (max(date) + 1)::text as until,
      min(day) as "firstDay", max(day) as "lastDay",
      (min(date) filter (where place <= ${MAX_APR_DAYS}))::text as "aprFirst",
      min(day) filter (where place <= ${MAX_APR_DAYS}) as "aprFirstDay"
    from (
      select day, date, row_number() over (order by day desc) as place from validator_day_dates
      where network = ${network} and not utc order by day desc limit ${windowDays[window]}
    ) d`,
  );
  const { first, until, ...days } = rows[0];
  if (first === null) return undefined;
  if (window !== 'all') return { ...days, summed: [], ranges: [{ from: first, until }] };
  const months = await summedMonths(client, network, days.last);
  return {
    ...days,
    firstDay: Math.min(days.firstDay, ...months.map(({ firstDay }) => firstDay)),
    summed: months,
    ranges: rangesBetween(first, until, months),
  };
}

type SummedMonth = { month: string; next: string; firstDay: number };

/** Months before that of `last` whose sums are up to date; their days may have been dropped. */
async function summedMonths(client: pg.ClientBase, network: Network, last: string): Promise<SummedMonth[]> {
  const { rows } = await run(
    client,
    sql`/* summedMonths */
    select month::text as month, (month + interval '1 month')::date::text as next, first_day as "firstDay"
    from validator_months m
    where network = ${network} and not (due and ${hasDays}) and first_day is not null and month < date_trunc('month', ${last}::timestamp)::date
    order by month`,
  );
  return rows;
}

/** The dates from `first` to before `until` outside `months`, which are in order. */
function rangesBetween(first: string, until: string, months: readonly SummedMonth[]): DateRange[] {
  const ranges: DateRange[] = [];
  let from = first;
  for (const { month, next } of months) {
    if (from < month) ranges.push({ from, until: month });
    if (from < next) from = next;
  }
  return from < until ? [...ranges, { from, until }] : ranges;
}

/**
 * Figures are summed as integers of 1e-15, because a sum of doubles depends on the order of rows. 100 % has 18 digits,
 * which fit 64 bits.
 */
const SCALE = sql`1e15::float8`;
export const scaled = (value: Sql) => sql`round(${SCALE} * ${value})::bigint`;

/** Sums of months and single days, to be added up by validator. Omits days with only sync duty, after an exit. */
async function factsOf(
  client: pg.ClientBase,
  network: Network,
  { last, aprFirst, aprFirstDay, summed, ranges }: Days,
): Promise<Sql> {
  const counts = (value: (name: string) => string) => raw(summedCounts.map(value).join(', '));
  const income = (inApr: (value: Sql) => Sql) => sql`${inApr(figure.aprRewards)} as apr_rewards,
        ${inApr(figure.aprStake)} as apr_stake`;
  const ifInApr = (value: Sql) => sql`case when a.date >= ${aprFirst}::date then ${value} end`;
  const atEnd = (name: string) => sql`case when a.date = ${last}::date then a.${raw(name)} end`;
  const parts: Sql[] = [];
  const days = ({ from, until }: DateRange, columns: Sql) =>
    localSums(
      client,
      parts.length,
      sql`
      select a.validator_index, ${columns}, ${income(from >= aprFirst ? (value) => value : ifInApr)} from validator_days a
      where a.network = ${network} and not a.utc and a.date >= ${from}::date and a.date < ${until}::date
        and ${figure.duties} > 0`,
    );
  // Columns of one type let the planner read days and sums in parallel.
  const ofDay = sql`${counts((name) => `a.${name}::integer`)}, a.end_epoch,
        ${atEnd('end_epoch_balance')} as balance, ${atEnd('end_epoch_effective_balance')} as effective`;
  for (const range of ranges) parts.push(await days(range, ofDay));
  if (summed.length > 0) {
    const whole = summed.filter(({ firstDay }) => firstDay >= aprFirstDay).map(({ month }) => month);
    const ofMonth = (value: Sql) => sql`case when a.month = any(${whole}::date[]) then ${value} end`;
    parts.push(sql`
      select a.validator_index, ${counts((name) => `a.${name}`)}, a.end_epoch, null::bigint, null::bigint,
        ${ofMonth(sql`a.apr_rewards`)}, ${ofMonth(sql`a.apr_stake`)}
      from validator_month_sums a where a.network = ${network} and a.month = any(${summed.map(({ month }) => month)}::date[])`);
  }
  // The APR begins within a month.
  const cut = summed.find(({ firstDay, next }) => firstDay < aprFirstDay && aprFirst < next);
  if (cut)
    parts.push(
      await days(
        { from: aprFirst, until: cut.next },
        sql`${counts(() => '0')}, null::integer, null::bigint, null::bigint`,
      ),
    );
  return join(parts, ' union all ');
}

export async function gatherValidators(client: pg.ClientBase, network: Network, days: Days): Promise<number> {
  // The planner expects few rows of sums and days together, and would look up each validator by index. JIT saves a
  // fifth of the time of the sums.
  await client.query('/* hashedJoins */ set local enable_nestloop = off; set local jit = on');
  const facts = await factsOf(client, network, days);
  const gathered = await run(
    client,
    sql`/* gatherValidators */
    create temp table window_validators on commit drop as
    select a.validator_index, v.deposit_address, v.withdrawal_address, v.node_operator, v.pool, c.client,
      ${scaled(figure.correctness)} as correctness, ${scaled(figure.inclusionDelay)} as delay,
      ${scaled(figure.uptime)} as uptime, ${scaled(figure.effectiveness)} as effectiveness,
      a.balance, a.effective, a.end_epoch, a.apr_rewards::bigint as apr_rewards, a.apr_stake::bigint as apr_stake
    from (
      select a.validator_index, ${raw(summedCounts.map((name) => `sum(a.${name}) as ${name}`).join(', '))},
        max(a.end_epoch) as end_epoch, max(a.balance) as balance, max(a.effective) as effective,
        sum(a.apr_rewards) as apr_rewards, sum(a.apr_stake) as apr_stake
      from (${facts}
      ) a
      group by a.validator_index
    ) a
    left join validators v on v.network = ${network} and v.validator_index = a.validator_index
    left join validator_clients c on c.network = ${network} and c.validator_index = a.validator_index`,
  );
  await client.query('/* interpreted */ set local jit = off');
  await client.query('/* analyzeValidators */ analyze window_validators');
  return gathered.rowCount ?? 0;
}

/** The relays of each proposed block. */
export async function gatherRelays(client: pg.ClientBase, network: Network, days: Days): Promise<void> {
  const first = days.firstDay * SLOTS_PER_DAY;
  const end = (days.lastDay + 1) * SLOTS_PER_DAY;
  const relaysOf = (blocks: Sql) => sql`
    select w.deposit_address, w.withdrawal_address, w.node_operator, w.pool, b.validator_index, r.relayer,
      ${relayPart} as blocks
    from (${blocks}) b
    join window_validators w using (validator_index)
    cross join lateral unnest(${relayNames}) as r (relayer)`;
  // Without "offset 0", the planner would read the blocks of a year by proposer: a page for each.
  const stored = sql`
    select validator_index, relays from blocks
    where network = ${network} and consensus_proposer_duty = 'proposed' and relays is not null
      and slot >= ${first} and slot < ${end} offset 0`;
  // One statement, so that blocks that are dropped meanwhile count once.
  await run(
    client,
    sql`/* gatherRelays */
    create temp table window_relays on commit drop as
    ${relaysOf(stored)} union all ${relaysOf(droppedBlocks(network, first, end))}`,
  );
  await client.query('/* analyzeRelays */ analyze window_relays');
}
