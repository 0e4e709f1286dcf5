import { z } from 'zod';
import { columnsOrText, type Selection } from '../../fast-rows/index.ts';
import * as Leaf from '../../kernel/leaves.ts';
import type { RankedRange, Slice, Walk } from '../../kernel/page.ts';
import { badInput } from '../../kernel/refusal.ts';
import { type Reading, reader } from '../batch/readers.ts';
import type { Queryable, Statement } from '../pool.ts';
import { checkRows, type Fields, type KeyColumns, keyTable, raw, rows, type Sql, sql } from '../rows.ts';

export type RankedRows = { record: z.ZodObject; fields: Fields<string>; keys: readonly string[] };

type Read = ReturnType<typeof columnsOrText>;
type RowTexts = NonNullable<Read['texts']>;

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

export type RankedPage<Row> = { rows: Row[]; total: number; revision: number };
export type RankedSlice<Row> = Slice<Row> & { total: number; revision: number };

type Cut = { limit: number; backward: boolean };

export const Head = z.object({ total: Leaf.count(), revision: Leaf.count() });

/** `text` contains rows, the first of which has `rank`. If there are no rows, both are null. */
const Texts = Head.extend({ rank: Leaf.count().nullable(), text: z.string().nullable() });

/** `list` is absent if only one list is read. */
type Found = { list?: number; rank: number | null; text: string };

/** `pinned` is a revision; null means the current one. The ranks `after` and `before` are exclusive. */
type Place<List> = List & { pinned: number | null; after: number; before: number };
export const placeText: (place: object) => string = JSON.stringify;

export function byPlace<Row>(places: readonly object[], pages: readonly (RankedPage<Row> | undefined)[]) {
  const found = new Map<string, RankedPage<Row>>();
  for (const [index, page] of pages.entries()) if (page) found.set(placeText(places[index] as object), page);
  return found;
}

/** A deep page costs as much as the first: ranks have no gaps, so no row outside the page is read. */
export function pagesByRank<List extends object, Field extends string, Row extends { rank: number }>(of: {
  statement: string;
  name: 'operator' | 'stake_authority';
  dataset: 'operators' | 'stake-authorities';
  columns: KeyColumns<List>;
  rows: RankedRows;
}) {
  const columns: KeyColumns<Place<List>> = {
    ...of.columns,
    pinned: ['int', 'pinned'],
    after: ['bigint', 'after'], // as `int`, adding the limit could overflow
    before: ['bigint', 'before'],
  };
  const [name, lists] = [raw(`/* ${of.statement} */`), raw(`${of.name}_lists`)];
  const using = raw(Object.keys(of.columns).join(', '));
  const ranked = raw(`${of.name}_ranks r join ${of.name}_summaries s using (summary_id)`);

  return async (
    db: Queryable,
    places: readonly Place<List>[],
    limit: number,
    backward: boolean,
    selection: Selection<Field>,
  ): Promise<Map<string, RankedPage<Row>>> => {
    const read = columnsOrText(selection, of.rows, of.rows.keys);
    const { texts } = read;
    const page = texts
      ? sql`left join lateral (${textsByRank(ranked, texts, { limit, backward })}) page on true`
      : sql`cross join lateral (${rowsByRank(ranked, read, { limit, backward })}) page`;
    const { text, values } = sql`${name}
      select ${places.length > 1 ? sql`k.list::int - 1 as list,` : sql``} ${texts ? sql`l.total, l.revision,` : sql``} page.*
      from ${keyTable(places, columns)}
      join ${lists} l using (${using})
      ${page}
      where l.revision = k.pinned or (k.pinned is null and l.superseded_at is null)`;
    const pages: RankedPage<{ rank: number; text?: string }>[] = [];
    let since: Statement['since'];
    for (const { pinned: revision } of places)
      if (revision !== null && revision > (since?.revision ?? -1)) since = { dataset: of.dataset, revision };
    const found = (await db.query({ text, values, since })).rows as Found[];
    found.sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0)); // PostgreSQL would sort whole rows with their texts
    for (const row of found) {
      const page = (pages[row.list ?? 0] ??= { rows: [], total: 0, revision: 0 });
      if (texts || row.rank === null) {
        const [head] = checkRows(texts ? Texts : Head, [row], { text });
        Object.assign(page, { total: head?.total, revision: head?.revision });
      }
      if (row.rank === null) continue;
      let { rank } = row;
      if (texts) for (const json of texts.decode(row.text)) page.rows.push({ rank: rank++, text: json });
      else {
        checkRows(read.row, [row], { text });
        page.rows.push(row as { rank: number });
      }
    }
    return byPlace(places, pages as RankedPage<Row>[]);
  };
}

/**
 * Adds a row with the size and revision of the list, even to an empty page. Having both in 15 rows made a statement a
 * sixth slower.
 */
const rowsByRank = (ranked: Sql, { columns, names }: Read, { backward, limit }: Cut): Sql => sql`
  (select r.rank, null::int as total, null::int as revision, ${columns}
  from ${ranked}
  where r.list_id = l.list_id and r.rank > k.after and r.rank < k.before
  order by r.rank ${backward ? sql`desc` : sql``}
  limit ${limit})
  union all
  select null, l.total, l.revision, ${raw(names.map(() => 'null').join(', '))}`;

/** Rows per text value. A larger value spans several packets, and pg copies it whole for each packet. */
const GATHERED_ROWS = raw('64');

function textsByRank(ranked: Sql, { text, gather }: RowTexts, { backward, limit }: Cut): Sql {
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

export const walkEnded = ({ revision, loc }: Walk) =>
  badInput([
    {
      loc,
      msg: `${loc.at(-1)} belongs to revision ${revision} of the list, which is gone: replaced lists are kept for up to an hour, at most eight of each. Start again from the first page.`,
      type: 'revision',
    },
  ]);

export function rankedSlice<Row extends { rank: number }>(
  page: RankedPage<Row> | undefined,
  { range, walk }: RankedRange,
): RankedSlice<Row> {
  if (walk && !page) throw walkEnded(walk);
  const { rows, total, revision } = page ?? { rows: [], total: 0, revision: 0 };
  const [first, last] = [rows[0], rows.at(-1)];
  const [after, before] = [range.after ?? -1, Math.min(range.before ?? total, total)];
  return range.backward
    ? {
        rows,
        total,
        revision,
        hasPrevious: first !== undefined && first.rank > after + 1,
        hasNext: range.before !== undefined,
      }
    : {
        rows,
        total,
        revision,
        hasNext: last !== undefined && last.rank + 1 < before,
        hasPrevious: range.after !== undefined,
      };
}

/** The page of an unknown list is empty. */
export function rankedPageReader<List extends object, Field extends string, Row extends { rank: number }>(
  load: ReturnType<typeof pagesByRank<List, Field, Row>>,
) {
  const read = reader({ keyOf: placeText, load, rows: (limit) => limit });
  return async (
    ctx: Reading,
    list: List,
    ranked: RankedRange,
    selection: Selection<Field>,
  ): Promise<RankedSlice<Row>> => {
    const { after = -1, before = 2 ** 31 - 1, limit, backward = false } = ranked.range;
    const place = { ...list, pinned: ranked.walk?.revision ?? null, after, before };
    return rankedSlice(await read(ctx, place, limit, backward, selection), ranked);
  };
}
