import { z } from 'zod';
import { columnsOrText, type Selection } from '../../fast-rows/index.ts';
import { count } from '../../kernel/leaves.ts';
import type { Range } from '../../kernel/page.ts';
import { type Reading, reader } from '../batch/readers.ts';
import type { Queryable } from '../pool.ts';
import { checkRows, type Fields, type KeyColumns, keyTable, raw, rows, type Sql, sql } from '../rows.ts';

export type RankedRows = { record: z.ZodObject; fields: Fields<string>; keys: readonly string[] };

type Read = ReturnType<typeof columnsOrText>;
type RowTexts = NonNullable<Read['texts']>;

/** Rows have no order. `columns` are those of the key. */
export function summariesByKey<Key extends object, Field extends string, Row extends Key>(of: {
  statement: string;
  table: string;
  columns: KeyColumns<Key>;
  rows: RankedRows;
}) {
  const [name, table] = [raw(`/* ${of.statement} */`), raw(of.table)];
  const using = raw(Object.keys(of.columns).join(', '));
  return async (db: Queryable, keys: readonly Key[], selection: Selection<Field>): Promise<Row[]> => {
    const only = keys.length === 1 ? keys[0] : undefined;
    const read = columnsOrText(selection, of.rows, only ? [] : of.rows.keys);
    const statement = sql`${name}
      select ${read.columns}
      from ${keyTable(keys, of.columns)} join ${table} s using (${using})
      where not s.superseded`;
    const found = await rows(db, read.row, statement, read.decode);
    return (only ? found.map((row) => ({ ...only, ...row })) : found) as Row[];
  };
}

/** Without a revision: the current list. */
type OfRevision = { revision?: number | undefined };

export type RankedPage<Row> = { rows: Row[]; total: number; revision: number };

const Head = z.object({ total: count(), revision: count() });

/** `text` holds rows from `rank` on; both are null if no row is in range. */
const Texts = Head.extend({ rank: count().nullable(), text: z.string().nullable() });
type Texts = { rank: number; text: string };

/** Rows have no `list` if only one is read; the row with a list's size has no rank. */
type Found = { list?: number; rank: number | null };
const listOf = (row: object): number => (row as Found).list ?? 0;

type Place<List> = List & { after: number | undefined; before: number | undefined };
type Part = { limit: number; backward: boolean };

/**
 * Reads one page per list; deep pages cost no more than the first. Ranks are dense, so no row beyond the page is
 * needed. `columns` are those of the key in `<name>_lists`.
 */
export function pagesByRank<List extends OfRevision, Field extends string, Row extends { rank: number }>(of: {
  statement: string;
  name: 'operator' | 'stake_authority';
  columns: KeyColumns<List>;
  rows: RankedRows;
}) {
  const columns: KeyColumns<Place<List>> = {
    ...of.columns,
    asked: ['int', (list) => list.revision ?? null],
    after: ['bigint', (list) => list.after ?? -1], // adding the limit could exceed an integer
    before: ['bigint', (list) => list.before ?? 2 ** 31 - 1],
  };
  const [name, lists] = [raw(`/* ${of.statement} */`), raw(`${of.name}_lists`)];
  const using = raw(Object.keys(of.columns).join(', '));
  const ranked = raw(`${of.name}_ranks r join ${of.name}_summaries s using (summary_id)`);

  return async (
    db: Queryable,
    places: readonly Place<List>[],
    part: Part,
    selection: Selection<Field>,
  ): Promise<(RankedPage<Row> | undefined)[]> => {
    const read = columnsOrText(selection, of.rows, of.rows.keys);
    const { texts } = read;
    const many = places.length > 1;
    const page = texts
      ? sql`left join lateral (${textsByRank(ranked, texts, part)}) page on true`
      : sql`cross join lateral (${rowsByRank(ranked, read, part)}) page`;
    const { text, values } = sql`${name}
      select ${many ? sql`k.list::int - 1 as list,` : sql``} ${texts ? sql`l.total, l.revision,` : sql``} page.*
      from ${keyTable(places, columns)}
      join ${lists} l using (${using})
      ${page}
      where l.revision = k.asked or (k.asked is null and l.superseded_at is null)`;
    const found = (await db.query({ text, values })).rows as Found[];
    const pages = new Array<RankedPage<Row> | undefined>(places.length).fill(undefined);
    const heads = texts ? found : found.filter((row) => row.rank === null);
    for (const head of checkRows(texts ? Texts : Head, heads, { text })) {
      pages[listOf(head)] ??= { rows: [], total: head.total, revision: head.revision };
    }
    const placed = found.filter((row) => row.rank !== null);
    if (!texts) checkRows(read.row, placed, { text });
    for (const row of placed) {
      const some = texts ? rowsOf(row as Texts, texts) : [row];
      pages[listOf(row)]?.rows.push(...(some as unknown as Row[]));
    }
    // Sorted here, because PostgreSQL would sort whole rows with their texts.
    for (const page of pages) page?.rows.sort((a, b) => a.rank - b.rank);
    return pages;
  };
}

/**
 * Adds a row with the size and revision of the list `l`, even to an empty page. Columns for them in every row made a
 * statement of 15 rows of four fields a sixth slower.
 */
const rowsByRank = (ranked: Sql, { columns, names }: Read, { backward, limit }: Part): Sql => sql`
  (select r.rank, null::int as total, null::int as revision, ${columns}
  from ${ranked}
  where r.list_id = l.list_id and r.rank > k.after and r.rank < k.before
  order by r.rank ${backward ? sql`desc` : sql``}
  limit ${limit})
  union all
  select null, l.total, l.revision, ${raw(names.map(() => 'null').join(', '))}`;

/**
 * Rows gathered into one text value. A larger value spans several packets, and pg copies all of it again for each
 * packet.
 */
const GATHERED_ROWS = raw('64');

function textsByRank(ranked: Sql, { text, gather }: RowTexts, { backward, limit }: Part): Sql {
  const end = sql`least(k.before, l.total)`;
  const [from, to] = backward
    ? [sql`greatest(k.after + 1, ${end} - ${limit}::bigint)`, end]
    : [sql`k.after + 1`, sql`least(k.after + 1 + ${limit}::bigint, ${end})`];
  return sql`
    select g.rank::int as rank, (
      select ${gather(sql`q.text`)}
      from (
        select ${text} as "text"
        from ${ranked}
        where r.list_id = l.list_id and r.rank >= g.rank and r.rank < least(g.rank + ${GATHERED_ROWS}, ${to})
        order by r.rank
        limit ${GATHERED_ROWS}
      ) q
    ) as "text"
    from generate_series(${from}, ${to} - 1, ${GATHERED_ROWS}) g (rank)`;
}

const rowsOf = ({ rank, text }: Texts, { decode }: RowTexts): Found[] =>
  decode(text).map((json, index) => ({ rank: rank + index, text: json }));

/** The reader returns undefined for an unknown list. */
export function rankedPageReader<
  List extends OfRevision,
  Field extends string,
  Row extends { rank: number },
>(of: { keyOf: (list: List) => string; load: ReturnType<typeof pagesByRank<List, Field, Row>> }) {
  const keyOf = (place: Place<List>) => `${place.revision} ${place.after} ${place.before} ${of.keyOf(place)}`;
  const read = reader({
    keyOf,
    async load(db: Queryable, places: readonly Place<List>[], part: Part, selection: Selection<Field>) {
      const found = new Map<string, RankedPage<Row>>();
      const pages = await of.load(db, places, part, selection);
      for (const [index, place] of places.entries()) {
        const page = pages[index];
        if (page) found.set(keyOf(place), page);
      }
      return found;
    },
    rows: ({ limit }: Part) => limit,
  });
  return (ctx: Reading, list: List, range: Range<number>, selection: Selection<Field>) => {
    const { after, before, limit, backward } = range;
    return read(ctx, { ...list, after, before }, { limit, backward: backward === true }, selection);
  };
}
