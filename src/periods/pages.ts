import { z } from 'zod';
import type { Bounds } from '../chain/bounds.ts';
import type { Calendar } from '../chain/calendar.ts';
import type { Queryable } from '../db/pool.ts';
import { raw, rows, type Sql, sql } from '../db/rows.ts';
import type { Asked } from '../fast-rows/row-form.ts';
import { gather, type RowTexts } from '../fast-rows/row-text.ts';
import { count } from '../kernel/leaves.ts';
import { type Range, rowsToRead } from '../kernel/page.ts';
import type { Expression } from './expressions.ts';
import type { Granularity } from './record.ts';
import { selectionOf } from './selection.ts';

/** What is asked of figures over time; bounds are inclusive and null where open. */
export type PeriodQuery<Field extends string> = Bounds & {
  granularity: Granularity;
  calendar: Calendar;
  /** `day` is the period itself. */
  sortBy: Field | 'day';
  sortOrder: 'asc' | 'desc';
};

/**
 * The fields that were asked for. `list` is the place of what they are of among the keys. `position` is what a cursor
 * holds: the hour or day itself where rows are those, in their own order, so that a new day moves no page; else the
 * place in the list.
 */
export type PeriodRow<Record> = Partial<Record> & { list: number; position: number; total: number | null };

/** Figures over time: their record, and the SQL of each field. */
export type Series<Field extends string> = {
  /** Name of its statements. */
  statement: string;
  record: z.ZodObject<Record<Field, z.ZodType>>;
  fields: Record<Field, Expression>;
};

/** Where the rows of hours and days come from. */
export type PeriodSource = {
  /** Common table expressions that the others name. */
  with?: Sql;
  /** What the rows are of, as `k` with `list` (from 1) and `genesis`. */
  keys: Sql;
  days: Sql;
  /** Absent where there are no rows of hours. */
  hours?: Sql;
  /** Whether rows lie in parts by their date: in the order of dates a page looks into no more parts than it has rows of. */
  parted: boolean;
  /** Which rows `a` belong to `k`, within the bounds of the query. */
  own: Sql;
};

/** What a granularity reads, what it counts as one period, and how rows gather into it. */
function shape(source: PeriodSource, granularity: Granularity) {
  const plain = { table: source.days, group: sql`` };
  if (granularity === 'hour') {
    const none = sql`(select d.*, null::int as hour from ${source.days} d where false)`;
    return { ...plain, table: source.hours ?? none, period: sql`a.hour` };
  }
  if (granularity === 'day') return { ...plain, period: sql`a.day` };
  if (granularity === 'all') return { ...plain, period: sql`0`, group: sql`having count(*) > 0` };
  // ISO weeks begin on Monday, as date_trunc has it
  const period = raw(`date_trunc('${granularity}', a.date::timestamp)`);
  return { ...plain, period, group: sql`group by ${period}` };
}

/** The date of a day as a bound, by which parts that cannot hold it are left out; a day beyond what is stored is as good as the last. */
const onDate = (parted: boolean, sign: '>=' | '<=', day: number): Sql =>
  parted
    ? sql`and a.date ${raw(sign)} (to_timestamp(k.genesis) at time zone 'UTC')::date + ${Math.min(day, 100_000)}::int`
    : sql``;

/**
 * Conditions on `a` that a query's bounds set. Days are dates as well where rows lie in parts by them; elsewhere a second
 * condition that says the same would have the planner expect so few rows that it sorts them.
 */
export const withinBounds = (bounds: Bounds, parted: boolean): Sql => sql`
  ${bounds.fromDate === null ? sql`` : sql`and a.date >= ${bounds.fromDate}::date`}
  ${bounds.toDate === null ? sql`` : sql`and a.date <= ${bounds.toDate}::date`}
  ${bounds.fromDay === null ? sql`` : sql`and a.day >= ${bounds.fromDay} ${onDate(parted, '>=', bounds.fromDay)}`}
  ${bounds.toDay === null ? sql`` : sql`and a.day <= ${bounds.toDay} ${onDate(parted, '<=', bounds.toDay)}`}`;

/** Hours and days in their own order are the order of the primary key: dates rise with them. */
const inKeyOrder = (query: PeriodQuery<string>): boolean =>
  query.sortBy === 'day' && (query.granularity === 'hour' || query.granularity === 'day');

/** The most rows that a page reads of its key; no bound where all are gathered, put in order or, of hours, counted. */
export const rowsRead = (query: PeriodQuery<string>, range: Range<number>): number =>
  inKeyOrder(query) && !(range.counted && query.granularity === 'hour')
    ? (range.offset ?? 0) + rowsToRead(range)
    : Number.POSITIVE_INFINITY;

/** Whether keys fall from one fetched row to the next. */
const isDescending = (query: PeriodQuery<string>, range: Range<number>): boolean =>
  (query.sortOrder === 'desc') !== (range.backward === true);

/** A page for each of several keys, in one statement: the rows to read for the range. */
export async function periodPages<Field extends string, Row>(
  db: Queryable,
  series: Series<Field>,
  source: PeriodSource,
  query: PeriodQuery<Field>,
  range: Range<number>,
  asked: Asked<Field>,
): Promise<PeriodRow<Row>[]> {
  const { typed, shown, row, decode, texts } = selectionOf(series, query, asked);
  const keyed = inKeyOrder(query);
  const head = sql`/* ${raw(series.statement)} */ ${source.with ?? sql``}`;
  if (keyed && texts && range.rowsOnly && range.limit <= MAX_GATHERED) {
    const statement = sql`${head} ${gatheredPage(source, query, range, typed, texts.text)}`;
    return (await rows(db, Gathered, statement)).flatMap((found) => rowsOf<PeriodRow<Row>>(found, texts));
  }
  const page = keyed ? keyedPage : sortedPage;
  const statement = sql`${head} ${page(source, query, range, typed, shown)}`;
  const found = (await rows(db, row, statement, decode)) as PeriodRow<Row>[];
  return inOrder(found, keyed ? isDescending(query, range) : range.backward);
}

/**
 * Puts rows in order, each key's by their position. They come so; PostgreSQL, asked to see to it, would sort whole rows
 * with their texts once more.
 */
export const inOrder = <Row extends { list: number; position: number }>(found: Row[], falls = false): Row[] =>
  found.sort((a, b) => a.list - b.list || (falls ? b.position - a.position : a.position - b.position));

/** The most rows that come as one text: of 1,000 rows it takes longer than a row each, since pg joins it as it comes. */
const MAX_GATHERED = 200;

const Gathered = z.object({ list: count(), total: count().nullable(), text: z.string().nullable() });

type Gathered = z.infer<typeof Gathered>;

/** The page of each key as one text. */
const gatheredPage = (
  source: PeriodSource,
  query: PeriodQuery<string>,
  range: Range<number>,
  typed: Sql,
  text: Sql,
): Sql => sql`
  select k.list::int - 1 as list, ${totalOf(range)} as total, p.text
  from ${source.keys} ${countOf(source, query, range)}
  cross join lateral (select ${gather(text)} as "text" from (${storedRows(source, query, range, typed)}) p) p`;

/** The rows of a text, in their order; none has a place, since nobody asks for it. */
const rowsOf = <Row>({ list, total, text }: Gathered, { decode }: RowTexts): Row[] =>
  text === null ? [] : decode(text).map((row) => ({ list, total, text: row }) as Row);

/** Stored rows, read from the primary key: a page costs its own rows, and the count only where it is asked for. */
function keyedPage(
  source: PeriodSource,
  query: PeriodQuery<string>,
  range: Range<number>,
  typed: Sql,
  list: Sql,
): Sql {
  return sql`
    select k.list::int - 1 as list, p.position, ${totalOf(range)} as total ${list}
    from ${source.keys} ${countOf(source, query, range)}
    cross join lateral (${storedRows(source, query, range, typed)}) p`;
}

/** The rows of a page of one key, in the order in which they are read. */
function storedRows(source: PeriodSource, query: PeriodQuery<string>, range: Range<number>, typed: Sql): Sql {
  const { table, period } = shape(source, query.granularity);
  const direction = isDescending(query, range) ? sql`desc` : sql`asc`;
  const [low, high] = query.sortOrder === 'desc' ? [range.before, range.after] : [range.after, range.before];
  const date = (sign: '>=' | '<=', position: number) =>
    onDate(source.parted, sign, query.granularity === 'hour' ? Math.floor(position / 24) : position);
  return sql`
    select ${period} as position ${typed}
    from ${table} a
    where ${source.own}
      ${low === undefined ? sql`` : sql`and ${period} > ${low} ${date('>=', low)}`}
      ${high === undefined ? sql`` : sql`and ${period} < ${high} ${date('<=', high)}`}
    order by ${source.parted ? sql`a.date ${direction},` : sql``} ${period} ${direction}
    limit ${rowsToRead(range)} offset ${range.offset ?? 0}`;
}

const totalOf = (range: Range<number>): Sql => (range.counted ? sql`t.total` : sql`null::int`);

/** Counts the rows of a key, and not for each of its rows: PostgreSQL would count again for every one. */
const countOf = (source: PeriodSource, query: PeriodQuery<string>, range: Range<number>): Sql =>
  range.counted
    ? sql`cross join lateral (
        select count(*)::int as total from ${shape(source, query.granularity).table} a where ${source.own}
      ) t`
    : sql``;

/** Periods are gathered and put in order for each key, and the page is cut by place: the cost is that of its days. */
function sortedPage(
  source: PeriodSource,
  query: PeriodQuery<string>,
  range: Range<number>,
  typed: Sql,
  list: Sql,
): Sql {
  const { table, period, group } = shape(source, query.granularity);
  const direction = query.sortOrder === 'desc' ? sql`desc` : sql`asc`;
  const order =
    query.sortBy === 'day'
      ? sql`period ${direction}`
      : sql`${raw(`"${query.sortBy}"`)} ${direction} nulls last, period`;
  const after = range.after ?? (range.offset ?? 0) - 1;
  const cut = range.backward
    ? sql`p.position >= least(${range.before ?? null}::bigint, p.total) - ${rowsToRead(range)}`
    : sql`p.position <= ${after + rowsToRead(range)}`;
  return sql`
    select k.list::int - 1 as list, p.position::int, p.total::int ${list}
    from ${source.keys}
    cross join lateral (
      select g.*, row_number() over (order by ${order}) - 1 as position, count(*) over () as total
      from (
        select ${period} as period ${typed}
        from ${table} a where ${source.own} ${group}
      ) g
    ) p
    where p.position > ${after} and p.position < ${range.before ?? 2 ** 31 - 1} and ${cut}`;
}
