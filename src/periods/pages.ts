import { z } from 'zod';
import type { Queryable } from '../db/pool.ts';
import { raw, rows, type Sql, sql } from '../db/rows.ts';
import type { columnsOrText, Selection } from '../fast-rows/index.ts';
import * as Leaf from '../kernel/leaves.ts';
import { type Range, rowsToRead } from '../kernel/page.ts';
import { onDate } from './bounds.ts';
import { type PeriodQuery, readPlan, type Series } from './read-plan.ts';
import type { Granularity } from './record.ts';

/**
 * `list` is the index of the key. `position` is in the cursors. In time order, hours and days use their number, and
 * longer periods count from the oldest, so that a new period does not shift pages. In other orders it is the rank.
 */
export type PeriodRow<Record> = Partial<Record> & { list: number; position: number; total: number | null };

export type PeriodSource = {
  with?: Sql;
  /** The table of keys `k`, with `list` (from 1) and `genesis`. */
  keys: Sql;
  days: Sql;
  hours?: Sql;
  /** Whether `days` is partitioned by date. Pages in date order then read only the partitions they need. */
  parted: boolean;
  own: Sql;
};

function shape(source: PeriodSource, granularity: Granularity) {
  const plain = { table: source.days, group: sql`` };
  if (granularity === 'hour') {
    const none = sql`(select d.*, null::int as hour from ${source.days} d where false)`;
    return { ...plain, table: source.hours ?? none, period: sql`a.hour` };
  }
  if (granularity === 'day') return { ...plain, period: sql`a.day` };
  if (granularity === 'all') return { ...plain, period: sql`0`, group: sql`having count(*) > 0` };
  const period = raw(`date_trunc('${granularity}', a.date::timestamp)`);
  return { ...plain, period, group: sql`group by ${period}` };
}

export const inKeyOrder = (query: PeriodQuery<string>): boolean =>
  query.sortBy === 'day' && (query.granularity === 'hour' || query.granularity === 'day');

/** Rows read per key; infinite if all are read. */
export const rowsRead = (query: PeriodQuery<string>, range: Range<number>): number =>
  inKeyOrder(query) && !(range.counted && query.granularity === 'hour')
    ? (range.offset ?? 0) + rowsToRead(range)
    : Number.POSITIVE_INFINITY;

/** Whether positions fall from row to row. */
export const falls = (query: PeriodQuery<string>, range: Range<number>): boolean =>
  (query.sortBy === 'day' && query.sortOrder === 'desc') !== (range.backward === true);

export const positionsOf = (query: PeriodQuery<string>, { after, before }: Range<number>) =>
  query.sortBy === 'day' && query.sortOrder === 'desc' ? [before, after] : [after, before];

export async function periodPages<Field extends string, Row>(
  db: Queryable,
  series: Series<Field>,
  source: PeriodSource,
  query: PeriodQuery<Field>,
  range: Range<number>,
  selection: Selection<Field>,
): Promise<PeriodRow<Row>[]> {
  const { typed, columns, row, decode, texts } = readPlan(series, query, selection);
  const keyed = inKeyOrder(query);
  const head = sql`/* ${raw(series.statement)} */ ${source.with ?? sql``}`;
  if (keyed && texts && range.rowsOnly && range.limit <= MAX_GATHERED) {
    const statement = sql`${head} ${gatheredPage(source, query, range, typed, texts)}`;
    return (await rows(db, Gathered, statement)).flatMap((found) => rowsOf<PeriodRow<Row>>(found, texts));
  }
  const page = keyed ? keyedPage : sortedPage;
  const statement = sql`${head} ${page(source, query, range, typed, columns)}`;
  const found = (await rows(db, row, statement, decode)) as PeriodRow<Row>[];
  return inOrder(found, falls(query, range));
}

/** Not sorted in SQL, because `order by` would sort whole rows with their texts. */
export const inOrder = <Row extends { list: number; position: number }>(found: Row[], down: boolean): Row[] =>
  found.sort((a, b) => a.list - b.list || (down ? b.position - a.position : a.position - b.position));

/** More rows are read separately, because pg joins the packets of a large value: 1,000 rows in one text are slower. */
const MAX_GATHERED = 200;

const Gathered = z.object({
  list: Leaf.count(),
  total: Leaf.count().nullable(),
  text: z.string().nullable(),
});

type Gathered = z.infer<typeof Gathered>;
type Texts = NonNullable<ReturnType<typeof columnsOrText>['texts']>;

const gatheredPage = (
  source: PeriodSource,
  query: PeriodQuery<string>,
  range: Range<number>,
  typed: Sql,
  { text, gather }: Texts,
): Sql => sql`
  select k.list::int - 1 as list, ${totalOf(range)} as total, p.text
  from ${source.keys} ${countOf(source, query, range)}
  cross join lateral (select ${gather(text)} as "text" from (${storedRows(source, query, range, typed)}) p) p`;

const rowsOf = <Row>({ list, total, text }: Gathered, { decode }: Texts): Row[] =>
  text === null ? [] : decode(text).map((row) => ({ list, total, text: row }) as Row);

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

function storedRows(source: PeriodSource, query: PeriodQuery<string>, range: Range<number>, typed: Sql): Sql {
  const { table, period } = shape(source, query.granularity);
  const direction = falls(query, range) ? sql`desc` : sql`asc`;
  const [low, high] = positionsOf(query, range);
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

/** A join counts once. A column would count again for each row. */
const countOf = (source: PeriodSource, query: PeriodQuery<string>, range: Range<number>): Sql =>
  range.counted
    ? sql`cross join lateral (
        select count(*)::int as total from ${shape(source, query.granularity).table} a where ${source.own}
      ) t`
    : sql``;

function sortedPage(
  source: PeriodSource,
  query: PeriodQuery<string>,
  range: Range<number>,
  typed: Sql,
  list: Sql,
): Sql {
  const { table, period, group } = shape(source, query.granularity);
  const order =
    query.sortBy === 'day'
      ? sql`period`
      : sql`${raw(`"${query.sortBy}" ${query.sortOrder}`)} nulls last, period`;
  const [low = -1, high = 2 ** 31 - 1] = positionsOf(query, range);
  return sql`
    select k.list::int - 1 as list, p.position::int, p.total::int ${list}
    from ${source.keys}
    cross join lateral (
      select * from (
        select g.*, row_number() over (order by ${order}) - 1 as position, count(*) over () as total
        from (
          select ${period} as period ${typed}
          from ${table} a where ${source.own} ${group}
        ) g
      ) g
      where g.position > ${low} and g.position < ${high}
      order by g.position ${falls(query, range) ? sql`desc` : sql`asc`}
      limit ${rowsToRead(range)} offset ${range.offset ?? 0}
    ) p`;
}
