import { z } from 'zod';
import { duckdbText } from '../../archive/duckdb.ts';
import { archivedSums, type DateRange, type ReadMonths } from '../../archive/read.ts';
import { type Scan, scanMonths } from '../../archive/scan.ts';
import type { Calendar } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import { isMember, type OperatorScope } from '../../db/operator-members.ts';
import type { Queryable } from '../../db/pool.ts';
import { join, raw, rows, type Sql, sql } from '../../db/rows.ts';
import * as Leaf from '../../kernel/leaves.ts';
import { nextTurn } from '../../kernel/turns.ts';
import type { RankingField } from './record.ts';
import {
  archivedSumsOfValidators,
  UNITS,
  type ValidatorSumName,
  validatorSumNames,
  validatorSums,
} from './sums.ts';

export type RankingDays = { network: Network; calendar: Calendar; dates: DateRange };
export type RankingQuery = RankingDays & {
  operator: OperatorScope | null;
  /** Null: all. */
  indices: readonly number[] | null;
  field: RankingField;
  ascending: boolean;
};

/** What each order needs, and its key over the sums `s`: null comes last. */
const orders: Record<RankingField, { needs: readonly ValidatorSumName[]; key: Sql }> = {
  effectiveness: {
    needs: ['dayCount', 'effectiveness'],
    key: sql`(s."effectiveness"::bigint::float8 / ${UNITS} / nullif(s."dayCount"::bigint, 0)::float8)`,
  },
  rewards: { needs: ['rewards'], key: sql`s."rewards"::float8` },
  missed: { needs: ['missed'], key: sql`s."missed"::float8` },
};

const named = (names: readonly ValidatorSumName[], of: (name: ValidatorSumName) => Sql): Sql =>
  join(names.map((name) => sql`${of(name)} as ${raw(`"${name}"`)}`));
const inOrder = (ascending: boolean) =>
  raw(`"key" ${ascending ? 'asc' : 'desc'} nulls last, s.validator_index`);

const storedDays = ({ network, calendar, dates: { from, to } }: RankingDays, condition: Sql): Sql => sql`
  validator_days a
  where a.network = ${network} and a.utc = ${calendar === 'utc'}
    ${from === null ? sql`` : sql`and a.date >= ${from}::date`}
    ${to === null ? sql`` : sql`and a.date <= ${to}::date`}
    and ${condition}`;

const ofMembers = ({ network, operator }: RankingQuery): Sql =>
  operator === null
    ? sql`true`
    : sql`a.validator_index in (
      select v.validator_index from validators v where v.network = ${network} and ${isMember('v', network, operator)}
    )`;

const Members = z.object({ members: z.string() });

/** Indices of the validators that belong to the operator today. */
export async function rankingMembers(
  db: Queryable,
  network: Network,
  operator: OperatorScope,
): Promise<number[]> {
  const [found] = await rows(
    db,
    Members,
    sql`/* rankingMembers */
    select coalesce(string_agg(v.validator_index::text, ','), '') as members from validators v
    where v.network = ${network} and ${isMember('v', network, operator)}`,
  );
  return numbersOf(found?.members ?? '');
}

const numbersOf = (text: string): number[] => JSON.parse(`[${text}]`);

/** Adds validators in the order of the ranking, with their keys. */
type Add = (indices: readonly number[], keys: readonly (number | null)[]) => void;

const ROWS_A_TEXT = 10_000;
const Texts = z.object({ indices: z.string(), keys: z.string() });

/** A ranking over a range without archived months. */
export async function rankStored(
  db: Queryable,
  query: RankingQuery,
  condition: Sql,
  add: Add,
): Promise<void> {
  const { needs, key } = orders[query.field];
  const found = await rows(
    db,
    Texts,
    sql`/* rankStored */
    select string_agg(r.validator_index::text, ',' order by r.place) as indices,
      string_agg(coalesce(r.key::text, 'null'), ',' order by r.place) as keys
    from (
      select s.validator_index, s.key, row_number() over (order by ${inOrder(query.ascending)}) - 1 as place
      from (
        select s.validator_index, ${key} as key
        from (
          select a.validator_index, ${named(needs, (name) => validatorSums[name])}
          from ${storedDays(query, condition)} and ${ofMembers(query)}
          group by a.validator_index
        ) s
      ) s
    ) r
    group by r.place / ${ROWS_A_TEXT}::int
    order by min(r.place)`,
  );
  for (const { indices, keys } of found) {
    add(numbersOf(indices), JSON.parse(`[${keys}]`));
    await nextTurn();
  }
}

/** Lists of the sums by validator, as texts; undefined without a stored day. */
async function storedSums(
  db: Queryable,
  query: RankingQuery,
  condition: Sql,
): Promise<Record<string, string> | undefined> {
  const { needs } = orders[query.field];
  const list = (column: string) => sql`'[' || string_agg(s.${raw(column)}::text, ',') || ']'`;
  const [found] = await rows(
    db,
    z.record(z.string(), z.string().nullable()),
    sql`/* rankingSums */
    select ${list('validator_index')} as indices, ${named(needs, (name) => list(`"${name}"`))}
    from (
      select a.validator_index, ${named(needs, (name) => validatorSums[name])}
      from ${storedDays(query, condition)} and ${ofMembers(query)}
      group by a.validator_index
    ) s`,
  );
  return found?.indices == null ? undefined : (found as Record<string, string>);
}

/** A ranking of archived days, and of those that are still in the database. `members` are those of the operator. */
export async function rankArchived(
  db: Queryable,
  query: RankingQuery,
  { condition, months, members, isGone }: ReadMonths & Pick<Scan, 'members' | 'isGone'>,
  add: Add,
): Promise<{ hasStored: boolean }> {
  const { needs, key } = orders[query.field];
  const stored = await storedSums(db, query, condition);
  const columns = (of: (name: ValidatorSumName) => string) =>
    needs.map((name) => `${of(name)} as "${name}"`).join(', ');
  const withStored = `union all
      select unnest($indices::integer[]), ${columns((name) => `unnest($${name}::hugeint[])`)}`;
  const statement = (archived: string) => `
    with s as (
      select validator_index, ${columns((name) => `sum("${name}")`)}
      from (${archived} ${stored ? withStored : ''}) group by validator_index
    )
    select s.validator_index, ${duckdbText(key)} as "key" from s order by ${duckdbText(inOrder(query.ascending))}`;
  const { calendar, dates } = query;
  const reading = { ...within(dates), utc: calendar === 'utc', members, isGone };
  await scanMonths(
    months,
    { ...reading, sums: archivedSumsOfValidators, needs, statement, values: stored ?? {} },
    ([indices, keys]) => add(indices as number[], keys as (number | null)[]),
  );
  return { hasStored: stored !== undefined };
}

const within = ({ from, to }: DateRange) => ({ from: from ?? undefined, to: to ?? undefined });

const digits = z.string().regex(/^-?\d+$/);
const Figures = z.object({
  validatorIndex: Leaf.count(),
  ...(Object.fromEntries(validatorSumNames.map((name) => [name, digits])) as Record<
    ValidatorSumName,
    typeof digits
  >),
});
type Figures = z.infer<typeof Figures>;

/** The sums of a few validators; those without a day are missing. */
export async function rankingFigures(
  db: Queryable,
  days: RankingDays,
  indices: readonly number[],
  { condition, months }: ReadMonths,
): Promise<{ sums: Map<number, Record<ValidatorSumName, bigint>>; hasStored: boolean }> {
  const stored = await rows(
    db,
    Figures,
    sql`/* rankingFigures */
    select a.validator_index as "validatorIndex", ${named(validatorSumNames, (name) => sql`(${validatorSums[name]})::text`)}
    from ${storedDays(days, condition)} and a.validator_index = any(${[...indices]}::int[])
    group by a.validator_index`,
  );
  const archived =
    months.length === 0
      ? []
      : await archivedSums<Figures>(
          db,
          months,
          { ...within(days.dates), utc: days.calendar === 'utc', indices },
          archivedSumsOfValidators,
        );
  const all = new Map<number, Record<ValidatorSumName, bigint>>();
  for (const row of [...stored, ...archived]) {
    const known = all.get(row.validatorIndex);
    const sum = (name: ValidatorSumName) => BigInt(row[name]) + (known?.[name] ?? 0n);
    all.set(row.validatorIndex, {
      ...{ dayCount: sum('dayCount'), effectiveness: sum('effectiveness') },
      ...{ rewards: sum('rewards'), missed: sum('missed') },
    });
  }
  return { sums: all, hasStored: stored.length > 0 };
}
