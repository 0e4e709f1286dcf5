import type pg from 'pg';
import type { Network } from '../chain/networks.ts';
import type { TimeWindow } from '../chain/windows.ts';
import { isDistributed } from '../db/distributed/layout.ts';
import { waitForCommitOnAllNodes } from '../db/distributed/prepared.ts';
import { join, raw, type Sql, sql } from '../db/rows.ts';
import { summedCounts } from '../ingest/importers/validator-months.ts';
import * as figure from '../periods/effectiveness.ts';
import { monthOf, NONE, type Parts, type StoredDays, type SummedPart } from './windows.ts';
import { run } from './write.ts';

const aprColumns = ['apr_rewards', 'apr_stake'] as const;
const columns = [...summedCounts, ...aprColumns];
export const sumColumns = (window: TimeWindow) =>
  columns.map((name) => ({ name, column: `${name}_${window}` }));

/** Rows of sums by validator, which are added to the sums of its windows. */
export type Source = {
  rows: Sql;
  shares: SummedPart['shares'];
  /** Columns have the name of their window too. */
  isOfWindows?: boolean;
};

type Run = { from: string; until: string; part: SummedPart };

const areAlike = (one: SummedPart, other: SummedPart) =>
  JSON.stringify(one.shares) === JSON.stringify(other.shares);

/** Days that follow one another and are added to the same sums. The newest day is alone. */
function runsOf({ days }: StoredDays, parts: Parts): Run[] {
  const runs: Run[] = [];
  let open: Run | undefined;
  for (const { date } of [...days].reverse()) {
    const part = parts.get(date);
    if (open && part && date !== days[0]?.date && areAlike(part, open.part)) open.until = date;
    else {
      open = part && { from: date, until: date, part };
      if (open) runs.push(open);
    }
  }
  return runs;
}

type Months = { months: string[]; shares: SummedPart['shares'] };

function monthsOf(parts: Parts): Months[] {
  const found = new Map<string, Months>();
  for (const [key, { isMonth, shares }] of parts) {
    if (!isMonth) continue;
    const alike = found.get(JSON.stringify(shares)) ?? { months: [], shares };
    alike.months.push(monthOf(key));
    found.set(JSON.stringify(shares), alike);
  }
  return [...found.values()];
}

/** Reads each day once. `newest` is the source that has the balances of the newest day. */
export async function sourcesOf(
  client: pg.ClientBase,
  network: Network,
  stored: StoredDays,
  parts: Parts,
): Promise<{ sources: Source[]; newest: Sql | undefined }> {
  const sources: Source[] = [];
  await waitForCommitOnAllNodes(client); // the caller has seen a revision
  for (const { months, shares } of monthsOf(parts))
    sources.push({ rows: await summed(client, monthSums(network, months)), shares });
  let newest: Sql | undefined;
  for (const { from, until, part } of runsOf(stored, parts)) {
    const isOne = from === until && !isDistributed();
    const rows = isOne ? dayRows(network, from) : await summed(client, daySums(network, from, until));
    sources.push({ rows, shares: part.shares });
    if (from === stored.days[0]?.date) newest = rows;
  }
  return { sources, newest };
}

const counts = (of: (name: string) => string) =>
  raw(summedCounts.map((name) => `${of(name)} as ${name}`).join(', '));
const ofDays = (network: Network, condition: Sql) => sql`
  from validator_days a
  where a.network = ${network} and not a.utc and ${condition} and ${figure.duties} > 0`;

/** A validator has one row in a day. */
const dayRows = (network: Network, date: string): Sql => sql`(
  select a.validator_index, ${counts((name) => `a.${name}::integer`)},
    coalesce(${figure.aprRewards}, 0) as apr_rewards, coalesce(${figure.aprStake}, 0) as apr_stake,
    a.end_epoch, a.end_epoch_balance as balance, a.end_epoch_effective_balance as effective
  ${ofDays(network, sql`a.date = ${date}::date`)})`;

/** Balances are read from one day, because sums over several days do not need them. */
const daySums = (network: Network, from: string, until: string): Sql => sql`
  select a.validator_index, ${counts((name) => `sum(a.${name})::integer`)},
    coalesce(sum(${figure.aprRewards}), 0)::bigint as apr_rewards, coalesce(sum(${figure.aprStake}), 0)::bigint as apr_stake
    ${from === until ? sql`, max(a.end_epoch) as end_epoch, max(a.end_epoch_balance) as balance, max(a.end_epoch_effective_balance) as effective` : sql``}
  ${ofDays(network, sql`a.date >= ${from}::date and a.date <= ${until}::date`)}
  group by a.validator_index`;

const monthSums = (network: Network, months: readonly string[]): Sql => sql`
  select a.validator_index, ${counts((name) => `sum(a.${name})::integer`)},
    sum(a.apr_rewards)::bigint as apr_rewards, sum(a.apr_stake)::bigint as apr_stake
  from validator_month_sums a where a.network = ${network} and a.month = any(${[...months]}::date[])
  group by a.validator_index`;

/**
 * A statement for each group of days, because together their hash tables would exceed the memory. Citus answers joins of
 * distributed days with local tables wrongly.
 */
async function summed(client: pg.ClientBase, rows: Sql): Promise<Sql> {
  const { rows: made } = await client.query(
    `/* nextSums */ select 'window_days_' || count(*) as name from pg_class
    where relnamespace = pg_my_temp_schema() and relname like 'window\\_days\\_%'`,
  );
  const table = raw(made[0].name);
  await run(client, sql`/* windowDays */ create temp table ${table} on commit drop as ${rows}`);
  return table;
}

/** A row for each validator with its sums of each window. */
export function joined(sources: readonly Source[], windows: readonly TimeWindow[], more: Sql = sql``): Sql {
  const sumOf = (window: TimeWindow, name: string): string => {
    const isApr = name.startsWith('apr_');
    const terms = sources.flatMap(({ shares, isOfWindows }, at) => {
      const times = (shares[window] ?? NONE)[isApr ? 1 : 0];
      const sign = times < 0 ? '-' : '+';
      const column = isOfWindows ? `${name}_${window}` : name;
      return times === 0 ? [] : [`${sign} coalesce(s${at}.${column}, 0)`];
    });
    return terms.length > 0 ? terms.join(' ') : '0';
  };
  const list = windows.flatMap((window) =>
    sumColumns(window).map(({ name, column }) => `${sumOf(window, name)} as ${column}`),
  );
  return sql`
    select validator_index${more}, ${raw(list.join(', '))}
    from ${join(
      sources.map(
        ({ rows }, at) =>
          sql`${at > 0 ? sql`full join ` : sql``}${rows} s${raw(String(at))}${at > 0 ? sql` using (validator_index)` : sql``}`,
      ),
      ' ',
    )}`;
}
