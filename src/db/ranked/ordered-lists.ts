import { z } from 'zod';
import { columnsOrText, type Selection } from '../../fast-rows/index.ts';
import * as Leaf from '../../kernel/leaves.ts';
import {
  type Order,
  type PlaceInOrder,
  type Range,
  type RankedRange,
  rowsToRead,
  slice,
} from '../../kernel/page.ts';
import { type Reading, reader } from '../batch/readers.ts';
import type { Queryable, Statement } from '../pool.ts';
import { checkRows, type KeyColumns, keyTable, raw, type Sql, sql } from '../rows.ts';
import {
  byPlace,
  Head,
  placeText,
  type RankedPage,
  type RankedRows,
  type RankedSlice,
  walkEnded,
} from './ranked-lists.ts';

/** Null means no filter. */
export type Where = Readonly<Record<string, string | number | null>>;

/**
 * `parts` are conditions on `c` (64 rows of an order), `rows` on `s` (a summary), whose columns are listed in
 * `compared`.
 */
export type Filter = {
  columns: KeyColumns<{ where: Where }>;
  compared: readonly string[];
  joins: Sql;
  parts: Sql;
  rows: Sql;
};

export type Bound = { column: string; type: string; at: 'least' | 'most' };

/** Bounds are inclusive. */
export function filterOf(bounds: Record<string, Bound>, others: Filter): Filter {
  const each = (condition: (name: string, bound: Bound) => string): Sql =>
    raw(
      Object.entries(bounds)
        .map(([name, bound]) => ` and (k."${name}" is null or ${condition(name, bound)})`)
        .join(''),
    );
  const columns = Object.fromEntries(
    Object.entries(bounds).map(([name, { type }]) => [
      `"${name}"`,
      [type, ({ where }: { where: Where }) => where[name] ?? null] as const,
    ]),
  );
  return {
    columns: { ...columns, ...others.columns },
    compared: [...new Set(Object.values(bounds).map(({ column }) => column)), ...others.compared],
    joins: others.joins,
    parts: sql`${each((name, { column, at }) =>
      at === 'least' ? `c.most_${column} >= k."${name}"` : `c.least_${column} <= k."${name}"`,
    )} ${others.parts}`,
    rows: sql`${each((name, { column, at }) => `s.${column} ${at === 'least' ? '>=' : '<='} k."${name}"`)} ${others.rows}`,
  };
}

type Bounds = { low: number; high: number };
type Place<List> = List & { pinned: number | null; valued: Bounds; others: Bounds; where: Where };
type PageOf = { order: Order<string>; limit: number; backward: boolean; counted: boolean; filtered: boolean };

const END = 2 ** 31 - 1;

/** Bounds are exclusive. Rows without a value come last in either direction. */
function boundsOf(
  { after, before }: Range<PlaceInOrder>,
  direction: 'asc' | 'desc',
  valued: boolean,
): Bounds {
  const isEmpty = valued ? after?.valued === false : before?.valued === true;
  if (isEmpty) return { low: END, high: END };
  const [low, high] = direction === 'asc' ? [after, before] : [before, after];
  return {
    low: low?.valued === valued ? low.rank : -1,
    high: high?.valued === valued ? high.rank : END,
  };
}

const Found = z.object({ valued: Leaf.flag(), rank: Leaf.count() });
/** `rank` is null for a list that has no row on the page. */
type Found = {
  list?: number;
  total: number;
  revision: number;
  valued: boolean;
  rank: number | null;
  text?: string;
};

/** Deep pages cost no more than the first. A filter skips 64 rows at a time if none can match. */
export function pagesByOrder<List extends object, Field extends string, Row extends PlaceInOrder>(of: {
  statement: string;
  name: 'operator' | 'stake_authority';
  dataset: 'operators' | 'stake-authorities';
  columns: KeyColumns<List>;
  rows: RankedRows;
  filter: Filter;
}) {
  const columns: KeyColumns<Place<List>> = {
    ...of.columns,
    pinned: ['int', 'pinned'],
    low: ['int', ({ valued }) => valued.low],
    high: ['int', ({ valued }) => valued.high],
    low_other: ['int', ({ others }) => others.low],
    high_other: ['int', ({ others }) => others.high],
  };
  const [name, lists] = [raw(`/* ${of.statement} */`), raw(`${of.name}_lists`)];
  const using = raw(Object.keys(of.columns).join(', '));

  const [orders, summaries] = [raw(`${of.name}_orders`), raw(`${of.name}_summaries`)];
  const parts = ({ order, filtered }: PageOf): Sql => sql`
    from ${orders} c
    where c.list_id = l.list_id and c.ordered_by = ${order.field} ${filtered ? of.filter.parts : sql``}`;
  const members = ({ filtered }: PageOf): Sql => sql`
    from unnest(c.members) with ordinality as u (summary_id, n)
    join ${summaries} s using (summary_id)
    where true ${filtered ? of.filter.rows : sql``}`;

  function page(options: PageOf, selected: Sql): Sql {
    const descends = (options.order.direction === 'desc') !== options.backward;
    const direction = raw(descends ? 'desc' : 'asc');
    // A lateral join keeps the order of `c`, so the limit stops it early. A sort would first read every part.
    const part = (valued: Sql, low: Sql, high: Sql, limit: Sql) => sql`
      select m.* from (
        select c.members, c.first_rank ${parts(options)}
          and c.valued = ${valued} and c.first_rank > ${low} - 64 and c.first_rank < ${high}
        order by c.first_rank ${direction}
      ) c
      cross join lateral (
        select ${valued} as valued, (c.first_rank + u.n - 1)::int as rank ${selected}
        ${members(options)} and c.first_rank + u.n - 1 > ${low} and c.first_rank + u.n - 1 < ${high}
        order by u.n ${direction}
      ) m
      limit ${limit}`;
    const valued = [sql`true`, sql`k.low`, sql`k.high`] as const;
    const others = [sql`false`, sql`k.low_other`, sql`k.high_other`] as const;
    const [first, second] = options.backward ? [others, valued] : [valued, others];
    return sql`
      with first as materialized (${part(...first, sql`${options.limit}`)})
      select * from first
      union all (${part(...second, sql`${options.limit} - (select count(*) from first)`)})`;
  }

  // The count is joined: a column would be computed again for each row of the page.
  const compared = (prefix: string): Sql => raw(of.filter.compared.map((name) => prefix + name).join(', '));
  const counted = sql`cross join lateral (
    select count(*)::int as total
    from ${orders} c cross join lateral unnest(${compared('c.each_')}) as s (${compared('')})
    where c.list_id = l.list_id and c.ordered_by = 'networkPenetration' ${of.filter.parts} ${of.filter.rows}
  ) t`;

  return async (
    db: Queryable,
    places: readonly Place<List>[],
    options: PageOf,
    selection: Selection<Field>,
  ): Promise<Map<string, RankedPage<Row>>> => {
    const read = columnsOrText(selection, of.rows, of.rows.keys);
    const counts = options.filtered && options.counted;
    const { text, values } = sql`${name}
      select ${places.length > 1 ? sql`k.list::int - 1 as list,` : sql``} l.revision, ${counts ? sql`t` : sql`l`}.total, p.*
      from ${keyTable(places, options.filtered ? { ...columns, ...of.filter.columns } : columns)}
      join ${lists} l using (${using})
      ${options.filtered ? of.filter.joins : sql``}
      ${counts ? counted : sql``}
      left join lateral (${page(options, sql`, ${read.columns}`)}) p on true
      where l.revision = k.pinned or (k.pinned is null and l.superseded_at is null)`;
    const pages: (RankedPage<Row> | undefined)[] = [];
    let since: Statement['since'];
    for (const { pinned: revision } of places)
      if (revision !== null && revision > (since?.revision ?? -1)) since = { dataset: of.dataset, revision };
    for (const row of (await db.query({ text, values, since })).rows as Found[]) {
      const at = row.list ?? 0;
      if (!pages[at]) checkRows(Head, [row], { text });
      const page = (pages[at] ??= { rows: [], total: row.total, revision: row.revision });
      if (row.rank === null) continue;
      checkRows(Found, [row], { text });
      read.decode?.(row);
      checkRows(read.row, [row], { text });
      page.rows.push(row as unknown as Row);
    }
    // Sorts here, because SQL guarantees no order of a union.
    const [up, first] = [options.order.direction === 'asc' ? 1 : -1, options.backward ? -1 : 1];
    for (const page of pages)
      page?.rows.sort((a, b) => first * (a.valued === b.valued ? up * (a.rank - b.rank) : a.valued ? -1 : 1));
    return byPlace(places, pages);
  };
}

/** Throws BAD_INPUT if the revision of `walk` is no longer stored. The page of an unknown list is empty. */
export function orderedPageReader<List extends object, Field extends string, Row extends PlaceInOrder>(
  load: ReturnType<typeof pagesByOrder<List, Field, Row>>,
) {
  const read = reader({ keyOf: placeText, load, rows: ({ limit }) => limit });
  return async (
    ctx: Reading,
    list: List,
    order: Order<string>,
    where: Where | null,
    { range, walk }: RankedRange<PlaceInOrder>,
    selection: Selection<Field>,
  ): Promise<RankedSlice<Row>> => {
    const place = {
      ...list,
      pinned: walk?.revision ?? null,
      valued: boundsOf(range, order.direction, true),
      others: boundsOf(range, order.direction, false),
      where: where ?? {},
    };
    const { backward = false, counted = false } = range;
    const options = { order, limit: rowsToRead(range), backward, counted, filtered: where !== null };
    const page = await read(ctx, place, options, selection);
    if (walk && !page) throw walkEnded(walk);
    const { rows, total, revision } = page ?? { rows: [], total: 0, revision: 0 };
    return { ...slice(rows, range), total, revision };
  };
}
