import { z } from 'zod';
import type { Asked } from '../../fast-rows/row-form.ts';
import { gather, type RowTexts } from '../../fast-rows/row-text.ts';
import { count } from '../../kernel/leaves.ts';
import type { Range } from '../../kernel/page.ts';
import { type Reading, reader } from '../batch/readers.ts';
import type { Queryable } from '../pool.ts';
import { checkRows, type KeyColumns, keyTable, raw, rows, type Sql, sql } from '../rows.ts';
import type { KeyedSelection, RankedSelection } from './row-selection.ts';

/**
 * Reads the summaries of a ranked list by their keys, in no particular order; keys without a row are absent. `columns` are
 * those of the key in `table`, and `statement` names what is asked.
 */
export function summariesByKey<Key extends object, Field extends string, Row extends Key>(of: {
  statement: string;
  table: string;
  columns: KeyColumns<Key>;
  selection: (asked: Asked<Field>) => KeyedSelection<Row>;
}) {
  const [name, table] = [raw(`/* ${of.statement} */`), raw(of.table)];
  const using = raw(Object.keys(of.columns).join(', '));
  return async (db: Queryable, keys: readonly Key[], asked: Asked<Field>): Promise<Row[]> => {
    const { keyed, alone } = of.selection(asked);
    const only = keys.length === 1 ? keys[0] : undefined;
    const read = only ? alone : keyed;
    const statement = sql`${name}
      select ${read.columns}
      from ${keyTable(keys, of.columns)} join ${table} s using (${using})
      where not s.superseded`;
    const found = await rows(db, read.row, statement, read.decode);
    return (only ? found.map((row) => ({ ...only, ...row })) : found) as Row[];
  };
}

/** Names a revision of a stored list; undefined: the current one. */
type OfRevision = { revision?: number | undefined };

/** A page of a stored list by rank, with how many rows the whole list has, and its revision. */
export type RankedPage<Row> = { rows: Row[]; total: number; revision: number };

const Head = z.object({ total: count(), revision: count() });

/** Rows of a list in one text, from a rank on; without where no row is between the ranks. */
const Texts = Head.extend({ rank: count().nullable(), text: z.string().nullable() });
type Texts = { rank: number; text: string };

/** A row as it comes: of the only list without its place, and the head of a list without a rank. */
type Found = { list?: number; rank: number | null };
const listOf = (row: object): number => (row as Found).list ?? 0;

type Columns = { columns: Sql; none: Sql };

/** A list, and the ranks between which its page lies. */
type Place<List> = List & { after: number | undefined; before: number | undefined };
/** How much of it is read, and from which end. */
type Part = { limit: number; backward: boolean };

/**
 * Reads a page of each of several stored lists, by rank: the cost is that of the rows returned, wherever the page lies.
 * A list that is not there has no page. `columns` are those of the key in the table `<name>_lists`. Ranks are dense, so that
 * no row beyond the page is needed to know whether the list goes on.
 */
export function pagesByRank<List extends OfRevision, Field extends string, Row extends { rank: number }>(of: {
  statement: string;
  name: 'operator' | 'stake_authority';
  columns: KeyColumns<List>;
  selection: (asked: Asked<Field>) => RankedSelection<Row>;
}) {
  const columns: KeyColumns<Place<List>> = {
    ...of.columns,
    asked: ['int', (list) => list.revision ?? null],
    after: ['bigint', (list) => list.after ?? -1], // with the limit added more than an integer holds
    before: ['bigint', (list) => list.before ?? 2 ** 31 - 1],
  };
  const [name, lists] = [raw(`/* ${of.statement} */`), raw(`${of.name}_lists`)];
  const using = raw(Object.keys(of.columns).join(', '));
  const ranked = raw(`${of.name}_ranks r join ${of.name}_summaries s using (summary_id)`);

  return async (
    db: Queryable,
    places: readonly Place<List>[],
    part: Part,
    asked: Asked<Field>,
  ): Promise<(RankedPage<Row> | undefined)[]> => {
    const { ranked: selected } = of.selection(asked);
    const inColumns = 'none' in selected;
    const many = places.length > 1;
    const page = inColumns
      ? sql`cross join lateral (${rowsByRank(ranked, selected, part)}) page`
      : sql`left join lateral (${textsByRank(ranked, selected, part)}) page on true`;
    const { text, values } = sql`${name}
      select ${many ? sql`k.list::int - 1 as list,` : sql``} ${inColumns ? sql`` : sql`l.total, l.revision,`} page.*
      from ${keyTable(places, columns)}
      join ${lists} l using (${using})
      ${page}
      where l.revision = k.asked or (k.asked is null and l.superseded_at is null)`;
    const found = (await db.query({ text, values })).rows as Found[];
    const pages = new Array<RankedPage<Row> | undefined>(places.length).fill(undefined);
    const heads = inColumns ? found.filter((row) => row.rank === null) : found;
    for (const head of checkRows(inColumns ? Head : Texts, heads, { text })) {
      pages[listOf(head)] ??= { rows: [], total: head.total, revision: head.revision };
    }
    const placed = found.filter((row) => row.rank !== null);
    if (inColumns) {
      for (const row of checkRows(selected.row, placed, { text })) pages[listOf(row)]?.rows.push(row);
    } else {
      for (const row of placed) pages[listOf(row)]?.rows.push(...rowsOf<Row>(row as Texts, selected));
    }
    // Here: PostgreSQL, asked to, would sort whole rows with their texts once more. Those of a backward page come in reverse.
    for (const page of pages) page?.rows.sort((a, b) => a.rank - b.rank);
    return pages;
  };
}

/**
 * The rows of a page of the list `l`, as columns. What is of the list comes once, in a row of its own, also where the page has
 * no rows: to read and send it with each of 15 rows of four fields was a sixth of the time there and back.
 */
const rowsByRank = (ranked: Sql, { columns, none }: Columns, { backward, limit }: Part): Sql => sql`
  (select r.rank, null::int as total, null::int as revision, ${columns}
  from ${ranked}
  where r.list_id = l.list_id and r.rank > k.after and r.rank < k.before
  order by r.rank ${backward ? sql`desc` : sql``}
  limit ${limit})
  union all
  select null, l.total, l.revision, ${none}`;

/** How many rows are gathered in one text: pg puts together longer ones again and again as they come. */
const GATHERED_ROWS = raw('64');

/** The same as texts of several rows, each with the rank of its first: those after it have the ranks that follow. */
function textsByRank(ranked: Sql, { text }: RowTexts, { backward, limit }: Part): Sql {
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

/** The rows of a text. */
const rowsOf = <Row>({ rank, text }: Texts, { decode }: RowTexts): Row[] =>
  decode(text).map((written, index) => ({ rank: rank + index, text: written }) as unknown as Row);

/** Makes a function that reads a page of a list, of what `pagesByRank` reads; undefined where there is no such list. */
export function rankedPageReader<
  List extends OfRevision,
  Field extends string,
  Row extends { rank: number },
>(of: { keyOf: (list: List) => string; load: ReturnType<typeof pagesByRank<List, Field, Row>> }) {
  const keyOf = (place: Place<List>) => `${place.revision} ${place.after} ${place.before} ${of.keyOf(place)}`;
  const read = reader({
    keyOf,
    async load(db: Queryable, places: readonly Place<List>[], part: Part, asked: Asked<Field>) {
      const found = new Map<string, RankedPage<Row>>();
      const pages = await of.load(db, places, part, asked);
      for (const [index, place] of places.entries()) {
        const page = pages[index];
        if (page) found.set(keyOf(place), page);
      }
      return found;
    },
    rows: ({ limit }: Part) => limit,
  });
  return (ctx: Reading, list: List, range: Range<number>, asked: Asked<Field>) => {
    const { after, before, limit, backward } = range;
    return read(ctx, { ...list, after, before }, { limit, backward: backward === true }, asked);
  };
}
