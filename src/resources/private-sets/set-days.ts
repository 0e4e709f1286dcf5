import { z } from 'zod';
import { archivedMonths } from '../../archive/catalogue.ts';
import { duckdbText } from '../../archive/duckdb.ts';
import { archivedSumsOfDays, type DatedValidator } from '../../archive/read.ts';
import type { Bounds } from '../../chain/bounds.ts';
import type { Calendar } from '../../chain/calendar.ts';
import { genesisTime, Network } from '../../chain/networks.ts';
import { StoredRow } from '../../db/batch/stored.ts';
import type { Queryable } from '../../db/pool.ts';
import { join, queryOf, raw, rows, type Sql, sql } from '../../db/rows.ts';
import { withinBounds } from '../../periods/bounds.ts';
import * as figure from '../../periods/effectiveness.ts';
import type { DayColumn } from '../../periods/validator-day.ts';

/** `id` is a UUID. */
export type SetKey = { network: Network; id: string };

export const daysOfSets = (sets: readonly SetKey[], calendar: Calendar, bounds: Bounds) => ({
  keys: sql`(select set_id, set_id::text as entity_id, genesis, list, complete_from from unnest(
      ${sets.map((set) => set.id)}::uuid[], ${sets.map((set) => genesisTime[set.network])}::bigint[]
    ) with ordinality as given (set_id, genesis, list) join private_sets using (set_id)) k`,
  days: sql`private_set_days`,
  parted: false,
  own: sql`a.set_id = k.set_id and a.utc = ${calendar === 'utc'} and a.date >= k.complete_from
    ${withinBounds(bounds, false)}`,
});

/** Days of sets outlive those of validators. Days that do not count all validators yet are not shown. */
export const storedSetDates = queryOf(
  StoredRow,
  (sets: readonly SetKey[], utc: boolean) => sql`/* storedSetDates */
    select k.list::int - 1 as list, greatest(least(s.first, d.first), p.complete_from)::text as "from",
      greatest(s.last, d.last)::text as "to"
    from unnest(${sets.map((set) => set.id)}::uuid[], ${sets.map((set) => set.network)}::text[])
      with ordinality as k (set_id, network, list)
    join private_sets p using (set_id)
    cross join lateral (
      select min(date) as first, max(date) as last from private_set_days where set_id = k.set_id and utc = ${utc}
    ) s
    cross join lateral (
      select min(date) as first, max(date) as last from validator_day_dates where network = k.network and utc = ${utc}
    ) d`,
);

type Summed = Exclude<
  DayColumn,
  | 'validator_index'
  | 'utc'
  | 'day'
  | 'start_epoch'
  | 'end_epoch'
  | 'end_epoch_balance'
  | 'end_epoch_effective_balance'
  | 'effective_balance_epochs'
>;
const sumsOf = <Name extends Summed>(...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, raw(`sum(a.${name})`)])) as Record<Name, Sql>;

/** Sums of figures are stored as whole numbers of 2^-56, because sums of doubles depend on the order of adding. */
const UNITS = sql`72057594037927936::float8`;
const inUnits = (value: Sql) => sql`(${UNITS} * ${value})::bigint`;
export const fromUnits = (sum: Sql) => sql`(${sum}::float8 / ${UNITS})`;

/** Excludes exited validators whose only duty is the sync committee. */
const active = sql`filter (where ${figure.duties} > 0)`;

/** Expressions over days `a` of the members, for PostgreSQL and DuckDB. */
const columns = {
  validator_count: sql`count(*) ${active}`,
  ...sumsOf('total_unique_attestations', 'sum_missed_attestations'),
  ...sumsOf('sum_missed_sync_signatures', 'sum_sync_signature_count'),
  ...sumsOf('sum_correct_head', 'sum_correct_target', 'sum_correct_source'),
  ...sumsOf(
    'sum_wrong_head_votes',
    'sum_wrong_target_votes',
    'sum_late_target_votes',
    'sum_late_source_votes',
  ),
  ...sumsOf('sum_inclusion_delay', 'proposed_count', 'missed_proposal_count', 'empty_payload_count'),
  sum_end_epoch_balance: sql`coalesce(sum(a.end_epoch_balance) ${active}, 0)`,
  sum_end_epoch_effective_balance: sql`coalesce(sum(a.end_epoch_effective_balance) ${active}, 0)`,
  ...sumsOf('sum_attestation_rewards', 'sum_sync_committee_rewards', 'sum_proposer_rewards'),
  ...sumsOf('sum_priority_fees', 'sum_baseline_mev'),
  apr_rewards: sql`coalesce(sum(${figure.aprRewards}) ${active}, 0)`,
  apr_stake: sql`coalesce(sum(${figure.aprStake}) ${active}, 0)`,
  attested_count: sql`count(*) filter (where ${figure.attested} > 0)`,
  proposer_count: sql`count(*) filter (where ${figure.proposals} > 0)`,
  sum_correctness: sql`sum(${inUnits(figure.correctness)})`,
  sum_inclusion_delays: sql`sum(${inUnits(figure.inclusionDelay)})`,
  sum_uptime: sql`coalesce(sum(${inUnits(figure.uptime)}), 0)`,
  sum_attester_effectiveness: sql`coalesce(sum(${inUnits(figure.attester)}), 0)`,
  sum_proposer_effectiveness: sql`sum(${inUnits(figure.proposer)})`,
  sum_validator_effectiveness: sql`coalesce(sum(${inUnits(figure.effectiveness)}), 0)`,
} satisfies Record<Summed, Sql> & Record<string, Sql>;
const epochs = { start_epoch: sql`min(a.start_epoch)`, end_epoch: sql`max(a.end_epoch)` };
const names = Object.keys(columns);
const insertInto = sql`insert into private_set_days as d (set_id, utc, day, date, start_epoch, end_epoch,
    ${raw(names.join(', '))})`;

const gather = (network: Network, condition: Sql, from = sql`m.summed_from`): Sql => sql`
  ${insertInto}
  select * from (
  select m.set_id, a.utc, a.day, a.date, ${join([...Object.values(epochs), ...Object.values(columns)])}
  from private_sets s
  join private_set_members m using (set_id)
  join validator_days a on a.network = ${network} and a.utc = any('{f,t}') and a.validator_index = m.validator_index
    and a.date >= m.counts_from and a.date < m.counts_until and a.date >= ${from}
  where s.network = ${network} and ${condition}
  group by m.set_id, a.utc, a.day, a.date offset 0
  ) summed order by set_id, utc, day -- those who add to the same days at once wait for each other, and not in a circle
  `;

const run = (db: Queryable, { text, values }: Sql) => db.query({ text, values });

const LOCK = `hashtext('stakegraph private set days')`;

// Makes the planner hash the rows. It expects hundreds, and would sort the actual million on disk.
const HASHED = `set_config('enable_sort', 'off', true)`;

/** Call before a month is archived, in the transaction: changes of sets then find it in one place. */
export const lockAllSetDays = (db: Queryable) =>
  run(db, sql`/* lockAllSetDays */ select pg_advisory_xact_lock(${raw(LOCK)}), ${raw(HASHED)}`);

/** A change of a set waits for an import that aggregates days, because neither sees the other's uncommitted rows. */
export const lockSetDays = (db: Queryable) =>
  run(db, sql`/* lockSetDays */ select pg_advisory_xact_lock_shared(${raw(LOCK)}), ${raw(HASHED)}`);

/** Rows of validator_days per statement. Reading a million scattered rows would exceed STATEMENT_TIMEOUT_MS. */
const DAYS_AT_ONCE = 20_000;

const datesAtOnce = (validators: number) => Math.max(1, Math.floor(DAYS_AT_ONCE / (2 * validators)));

/** Consecutive ranges of dates from `from` on, each with few enough days of so many validators in both calendars. */
async function dateRanges(
  db: Queryable,
  network: Network,
  validators: number,
  from: string,
): Promise<{ from: string; until: string }[]> {
  const { rows } = await run(
    db,
    sql`/* setDayRanges */
    select date::text as date from (
      select date, row_number() over (order by date) - 1 as place
      from (select distinct date from validator_day_dates where network = ${network} and date >= ${from}::date) d
    ) d
    where place > 0 and place % ${datesAtOnce(validators)} = 0 order by place`,
  );
  const bounds = [from, ...rows.map(({ date }) => String(date)), 'infinity'];
  return bounds.slice(1).map((until, at) => ({ from: bounds[at] as string, until }));
}

const added = names.map(
  (name) => `${name} = coalesce(d.${name} + excluded.${name}, d.${name}, excluded.${name})`,
);
const addingTo = sql`
  on conflict (set_id, utc, day) do update set ${raw(added.join(', '))},
    start_epoch = least(d.start_epoch, excluded.start_epoch), end_epoch = greatest(d.end_epoch, excluded.end_epoch)`;

/**
 * How many members have a month of days summed at a time in the background. In a stored month, their 40,000 rows may be on as
 * many pages; an archived one takes time for each opening of its file.
 */
const MEMBERS_AT_ONCE = { stored: 640, archived: 1_000 };

/** Days that the request which adds validators sums; at least MIN_DATES. The rest follows in the background. */
const DAYS_IN_REQUEST = 100_000;
/** Enough for the window of 30 days in both calendars. */
const MIN_DATES = 31;

/** First of the newest dates that a request sums, if older ones are stored or archived. */
async function firstInRequest(db: Queryable, network: Network, validators: number): Promise<string> {
  const { rows: archived } = await run(
    db,
    sql`/* afterArchive */
    select max((month + interval '1 month')::date)::text as date from archived_months where network = ${network}`,
  );
  const after = (archived[0]?.date as string | null) ?? '-infinity';
  const dates = Math.max(MIN_DATES, Math.floor(DAYS_IN_REQUEST / (2 * validators)));
  const { rows } = await run(
    db,
    sql`/* firstSummed */
    select (array_agg(date::text order by date))[2] as date from (
      select distinct date from validator_day_dates where network = ${network} order by date desc limit ${dates + 1}
    ) d having count(*) > ${dates}`,
  );
  const first = rows[0] ? String(rows[0].date) : '-infinity';
  return first === '-infinity' || (after !== '-infinity' && after > first) ? after : first;
}

/** Call once per new membership, in the transaction that adds it. Returns false if older days are left for `sumOlderDays`. */
export async function addSetDays(
  db: Queryable,
  { network, id }: SetKey,
  indices: readonly number[],
): Promise<boolean> {
  await lockSetDays(db);
  const isNew = sql`m.set_id = ${id}::uuid and m.removed_at is null and m.validator_index = any(${[...indices]}::int[])`;
  const first = await firstInRequest(db, network, indices.length);
  const isWhole = first === '-infinity' || !(await leaveOlder(db, id, isNew, first));
  for (const { from, until } of await dateRanges(db, network, indices.length, first))
    await run(
      db,
      sql`/* addSetDays */
      ${gather(network, sql`${isNew} and a.date >= ${from}::date and a.date < ${until}::date`)} ${addingTo}`,
    );
  return isWhole;
}

async function leaveOlder(db: Queryable, id: string, isNew: Sql, first: string): Promise<boolean> {
  const { rows: left } = await run(
    db,
    sql`/* leaveOlderDays */
    update private_set_members m set summed_from = ${first}::date where ${isNew} and m.counts_from < ${first}::date
    returning 1`,
  );
  if (left.length === 0) return false;
  await run(
    db,
    sql`/* setIncomplete */
    update private_sets set complete_from = greatest(complete_from, ${first}::date) where set_id = ${id}::uuid`,
  );
  return true;
}

const Step = z.object({
  id: z.string(),
  network: Network,
  until: z.string(),
  /** The first of a month, or -infinity for the earliest one. */
  from: z.string(),
  indices: z.array(z.int()),
});

const expressions = Object.fromEntries(
  Object.entries({ ...epochs, ...columns }).map(([name, sum]) => [name, duckdbText(sum)]),
);

/**
 * Adds the archived days of these members from `from` to before `until`, summed by DuckDB: PostgreSQL would have to parse
 * each of them. Under the lock, no month is archived meanwhile.
 */
async function addArchivedDays(
  db: Queryable,
  { network, id, from, until }: { network: Network; id: string; from: string; until: string },
  members: Sql,
): Promise<void> {
  const months = await archivedMonths(
    db,
    sql`network = ${network} and (month + interval '1 month')::date > ${from}::date and month < ${until}::date`,
  );
  if (months.length === 0) return;
  const { rows: counted } = await run(
    db,
    sql`/* countedMembers */
    select validator_index as index, greatest(counts_from, ${from}::date)::text as "from",
      least(counts_until, ${until}::date)::text as until
    from private_set_members m where ${members}`,
  );
  const days = await archivedSumsOfDays(db, months, counted as DatedValidator[], expressions);
  await run(
    db,
    sql`/* addArchivedSetDays */ ${insertInto}
    select ${id}::uuid, utc, day, date, start_epoch, end_epoch, ${raw(names.join(', '))}
    from jsonb_populate_recordset(null::private_set_days, ${JSON.stringify(days)}::jsonb) order by utc, day
    ${addingTo}`,
  );
}

/**
 * Sums some of the days that requests have left out: of one set, those of some validators in one month, the newest month
 * first. A month is in one partition or in one archived file, which is then read once for these validators. Several may do so
 * at once, of one set too. Call `completeSets` afterwards. Returns whether days were summed: `busy` if others sum what is
 * left, or change the set, or an import has days.
 */
export async function sumOlderDays(db: Queryable): Promise<'summed' | 'busy' | 'nothing left'> {
  const { rows: left } = await run(
    db,
    sql`/* anyOlderDays */ select 1 from private_sets where complete_from > '-infinity' limit 1`,
  );
  if (left.length === 0) return 'nothing left';
  const { rows: locks } = await run(
    db,
    sql`/* tryLockSetDays */ select pg_try_advisory_xact_lock_shared(${raw(LOCK)}) as held, ${raw(HASHED)}`,
  );
  if (!locks[0]?.held) return 'busy';
  const [step] = await rows(
    db,
    Step,
    sql`/* olderSetDays */
    with chosen as (
      select set_id, network from private_sets
      where complete_from > '-infinity' order by set_id limit 1 for share skip locked
    ), size as (
      select case
        when (select max(date) from archived_day_dates d where d.network = c.network and d.date < m.until)
          > coalesce((
            select max(date) from validator_day_dates d where d.network = c.network and d.date < m.until
          ), '-infinity')
        then ${MEMBERS_AT_ONCE.archived}::int else ${MEMBERS_AT_ONCE.stored}::int end as members
      from chosen c
      cross join lateral (select max(summed_from) as until from private_set_members where set_id = c.set_id) m
    ), free as materialized (
      select m.validator_index, m.summed_from from private_set_members m
      where m.set_id = (select set_id from chosen) and m.summed_from > '-infinity'
      order by m.summed_from desc, m.validator_index limit (select members from size)
      for update skip locked
    ), newest as (select max(summed_from) as until from free)
    select c.set_id::text as id, c.network, n.until::text as until, coalesce((
        select max(m.month)::text from (
          select distinct date_trunc('month', d.date::timestamp)::date as month from (
            select date from validator_day_dates d where d.network = c.network and d.date < n.until
            union all select date from archived_day_dates d where d.network = c.network and d.date < n.until
          ) d order by month desc limit 2
        ) m having count(*) = 2
      ), '-infinity') as "from",
      array(
        select validator_index from free where summed_from = n.until order by validator_index
      ) as indices
    from chosen c cross join newest n where n.until is not null`,
  );
  if (!step) return 'busy';
  const { id, network, from, until, indices } = step;
  const members = sql`m.set_id = ${id}::uuid and m.summed_from = ${until}::date and m.validator_index = any(${indices}::int[])`;
  const dates = sql`a.date >= ${from}::date and a.date < ${until}::date`;
  await run(
    db,
    sql`/* addOlderSetDays */ ${gather(network, sql`${members} and ${dates}`, sql`${from}::date`)} ${addingTo}`,
  );
  await addArchivedDays(db, { network, id, from, until }, members);
  await run(
    db,
    sql`/* olderDaysSummed */ update private_set_members m set summed_from = ${from}::date where ${members}`,
  );
  return 'summed';
}

/** Notes from which date on all members of a set are summed. In a transaction of its own, which waits for changes of the set. */
export async function completeSets(db: Queryable): Promise<void> {
  const latest = sql`(select max(summed_from) from private_set_members m where m.set_id = s.set_id)`;
  const { rows: found } = await run(
    db,
    sql`/* laterThanSummed */
    select set_id::text as id from private_sets s
    where complete_from > '-infinity' and complete_from > ${latest} order by set_id limit 1`,
  );
  const id = found[0]?.id;
  if (id === undefined) return;
  await run(db, sql`/* lockSet */ select 1 from private_sets where set_id = ${id}::uuid for no key update`);
  await run(
    db,
    sql`/* setCompleteFrom */
    update private_sets s set complete_from = ${latest} where set_id = ${id}::uuid and complete_from > ${latest}`,
  );
}

/** Call in the transaction that removes members. `from` is the first date without these members. */
export async function recomputeSetDays(db: Queryable, { network, id }: SetKey, from: string): Promise<void> {
  await lockSetDays(db);
  await run(
    db,
    sql`/* removeSetDays */
    delete from private_set_days where set_id = ${id}::uuid and date >= ${from}::date`,
  );
  await run(
    db,
    sql`/* regatherSetDays */ ${gather(network, sql`m.set_id = ${id}::uuid and a.date >= ${from}::date`)}`,
  );
}

export async function refreshSetDays(
  db: Queryable,
  network: Network,
  dates: readonly string[],
): Promise<void> {
  await lockAllSetDays(db);
  // Fails if a date is archived: the days of its validators are not in the table that is summed.
  await run(
    db,
    sql`/* dropSetDays */
    delete from private_set_days d using private_sets s
    where s.set_id = d.set_id and s.network = ${network} and d.date = any(${[...dates]}::date[])
      and archive_unchanged(coalesce((
        select array_agg(date::text) from archived_day_dates where network = ${network} and date = any(${[...dates]}::date[])
      ), '{}'), '{}')`,
  );
  await run(db, sql`/* refreshSetDays */ ${gather(network, sql`a.date = any(${[...dates]}::date[])`)}`);
}
