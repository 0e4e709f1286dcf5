import { z } from 'zod';
import type { Queryable } from '../../db/pool.ts';
import { join, keyTable, raw, rows, type Sql, sql } from '../../db/rows.ts';
import { totalBy } from '../../db/total.ts';
import { boundedMap } from '../../kernel/bounded.ts';
import * as Leaf from '../../kernel/leaves.ts';
import { snake } from '../../kernel/names.ts';
import { type Order, type Range, rowsToRead } from '../../kernel/page.ts';
import { type RewardSum, rewardSums } from './networks/definition.ts';
import { definitions, fieldsOf, type RewardKind, type RewardsNetwork, rewardRecord } from './record.ts';

export type RewardTable = { network: RewardsNetwork; kind: RewardKind };

/** Dates are inclusive; null means unbounded. */
export type RewardQuery = {
  fromDate: string | null;
  toDate: string | null;
  sortBy: string;
  sortOrder: 'asc' | 'desc';
};

export type RewardRow = Record<string, unknown> & { network: RewardsNetwork };

/**
 * Cursors contain `position`. In lists sorted by day, `position` is the number of days since year 1, so that new days
 * do not shift pages. In other lists, `position` is the rank.
 */
export type RewardDay = RewardRow & {
  list: number;
  position: number;
  total: number | null;
};

const column = (field: string): Sql => raw(`r.${snake(field)}`);
const tableName = ({ network, kind }: RewardTable): Sql => raw(`${network}_${kind}_rewards`);
const idField = ({ network }: RewardTable): string => definitions[network].idField;

const isSum = (field: string): field is RewardSum => (rewardSums as readonly string[]).includes(field);

const amountOf = ({ network }: RewardTable, field: string): Sql =>
  isSum(field) ? join(definitions[network].sums[field].map(column), ' + ') : column(field);

function wire(table: RewardTable, field: string): Sql {
  if (isSum(field)) return sql`(${amountOf(table, field)})::text as ${raw(`"${field}"`)}`;
  const kind = Leaf.leafKind(rewardRecord(table.network, table.kind).shape[field]);
  const value = kind === 'Decimal' || kind === 'Date' ? sql`${column(field)}::text` : column(field);
  return sql`${value} as ${raw(`"${field}"`)}`;
}

/** Casts numeric ids, which are passed as text. */
const idCast = (table: RewardTable): Sql =>
  Leaf.leafKind(rewardRecord(table.network, table.kind).shape[idField(table)]) === 'Int'
    ? sql`::integer`
    : sql``;

const ofValidator = (table: RewardTable): Sql =>
  table.kind === 'network' ? sql`` : sql`and ${column(idField(table))} = k.id${idCast(table)}`;

const within = (table: RewardTable, query: RewardQuery): Sql => sql`true ${ofValidator(table)}
        ${query.fromDate === null ? sql`` : sql`and r.day >= ${query.fromDate}::date`}
        ${query.toDate === null ? sql`` : sql`and r.day <= ${query.toDate}::date`}`;

const DayPlace = z.object({
  list: Leaf.count(),
  position: Leaf.count(),
  total: Leaf.count().nullable(),
  network: z.string(),
});
const RankPlace = z.object({ amount: Leaf.decimal(), network: z.string() });
const rowChecks = boundedMap<z.ZodType>(500);

function rowCheck<Row extends RewardRow>(
  { network, kind }: RewardTable,
  names: readonly string[],
  place: z.ZodObject,
): z.ZodType<Row> {
  const key = [...Object.keys(place.shape), network, kind, ...names].join();
  let check = rowChecks.get(key);
  if (!check) {
    const sums = Object.fromEntries(names.filter(isSum).map((name) => [name, Leaf.decimal()]));
    const plain = names.filter((name) => !isSum(name));
    const mask = Object.fromEntries(plain.map((name) => [name, true])) as Record<string, true>;
    const shape = { ...rewardRecord(network, kind).pick(mask).shape, ...sums };
    check = place.extend(shape);
    rowChecks.set(key, check);
  }
  return check as z.ZodType<Row>;
}

const namesOf = (table: RewardTable, fields: readonly string[]): string[] =>
  [...new Set([...fields, ...(table.kind === 'validator' ? [idField(table)] : [])])].sort();
const selected = (table: RewardTable, names: readonly string[]): Sql =>
  join([sql`${table.network} as network`, ...names.map((name) => wire(table, name))]);

export type RewardKey = { id: string; day: string };

/** Returns all fields. The id in a key is '' for a whole network. */
export function rewardsByDay(
  db: Queryable,
  keys: readonly RewardKey[],
  table: RewardTable,
): Promise<RewardRow[]> {
  const names = namesOf(table, [...fieldsOf(table.network, table.kind), ...rewardSums]);
  return rows(
    db,
    rowCheck(table, names, z.object({ network: z.string() })),
    sql`/* rewardsByDay */
    select ${selected(table, names)}
    from ${keyTable(keys, { id: ['text', 'id'], day: ['date', 'day'] })}
    join ${tableName(table)} r on r.day = k.day ${ofValidator(table)}`,
  );
}

/** `ids` is [''] for a whole network. */
export function rewardPages(
  db: Queryable,
  table: RewardTable,
  ids: readonly string[],
  query: RewardQuery,
  range: Range<number>,
  fieldNames: readonly string[],
): Promise<RewardDay[]> {
  const names = namesOf(table, fieldNames);
  const list = selected(table, names);
  const page = query.sortBy === 'day' ? keyedPage : sortedPage;
  return rows(
    db,
    rowCheck<RewardDay>(table, names, DayPlace),
    sql`/* rewardPages */
    select k.list::int - 1 as list, p.*
    from ${keyTable(ids, { id: ['text', (id) => id] })}
    cross join lateral (${page(table, query, range, list)}) p
    order by k.list, p.position ${descends(query, range) ? sql`desc` : sql``}`,
  );
}

const descends = (query: RewardQuery, range: Range<number>): boolean =>
  query.sortBy === 'day' && query.sortOrder === 'desc' ? !range.backward : range.backward === true;

const dayNumber = sql`(r.day - date '0001-01-01')`;
/** Capped at 9999-12-31, because a forged cursor may contain any number. */
const dayAt = (position: number): Sql => sql`date '0001-01-01' + ${Math.min(position, 3_652_058)}::int`;

/** Reads only the rows of the page. */
function keyedPage(table: RewardTable, query: RewardQuery, range: Range<number>, list: Sql): Sql {
  const [low, high] = query.sortOrder === 'desc' ? [range.before, range.after] : [range.after, range.before];
  const total = range.counted
    ? sql`(select count(*)::int from ${tableName(table)} r where ${within(table, query)})`
    : sql`null::int`;
  return sql`
      select ${dayNumber} as position, ${total} as total, ${list}
      from ${tableName(table)} r
      where ${within(table, query)}
        ${low === undefined ? sql`` : sql`and r.day > ${dayAt(low)}`}
        ${high === undefined ? sql`` : sql`and r.day < ${dayAt(high)}`}
      order by r.day ${descends(query, range) ? sql`desc` : sql``}
      limit ${rowsToRead(range)} offset ${range.offset ?? 0}
    `;
}

/** Reads the whole list. */
function sortedPage(table: RewardTable, query: RewardQuery, range: Range<number>, list: Sql): Sql {
  const order = sql`${amountOf(table, query.sortBy)} ${raw(query.sortOrder)} nulls last, r.day`;
  const after = range.after ?? (range.offset ?? 0) - 1;
  const cut = range.backward
    ? sql`s.position >= least(${range.before ?? null}::bigint, s.total) - ${rowsToRead(range)}`
    : sql`s.position <= ${after + rowsToRead(range)}::bigint`; // the sum may exceed an integer
  return sql`
      select * from (
        select (row_number() over (order by ${order}))::int - 1 as position,
          (count(*) over ())::int as total, ${list}
        from ${tableName(table)} r
        where ${within(table, query)}
      ) s
      where s.position > ${after}::bigint and s.position < ${range.before ?? 2 ** 31 - 1}::bigint and ${cut}
    `;
}

/** The index of the validators' days has numbers, not dates. */
export function storedRewardDates(table: RewardTable): Sql {
  const [day, text] =
    table.kind === 'network'
      ? [sql`r.day`, (end: Sql) => sql`(${end})::text`]
      : [dayNumber, (end: Sql) => sql`(date '0001-01-01' + ${end})::text`];
  return sql`select ${text(sql`min(${day})`)} as first, ${text(sql`max(${day})`)} as last from ${tableName(table)} r`;
}

export const rankedBy = ['stake', ...rewardSums] as const;
export type RankedBy = (typeof rankedBy)[number];

/** A null `date` means the day in the cursor or, without a cursor, the newest day. */
export type RankedRewards = { network: RewardsNetwork; date: string | null; order: Order<RankedBy> };
export type RankedPosition = { day: string; amount: string; id: string };
export type RankedReward = RewardRow & { day: string; amount: string };

/** The indexes contain day numbers, not dates. */
const onDay = (table: RewardTable, date: string | null): Sql =>
  date === null
    ? sql`${dayNumber} = (select max(${dayNumber}) from ${tableName(table)} r)`
    : sql`${dayNumber} = ${date}::date - date '0001-01-01'`;

/** An index on amount and id lets a page read only its own rows. */
export function rankedRewards(
  db: Queryable,
  { network, date, order }: RankedRewards,
  { after, before, ...range }: Range<RankedPosition>,
  fieldNames: readonly string[],
): Promise<RankedReward[]> {
  const table: RewardTable = { network, kind: 'validator' };
  const names = namesOf(table, ['day', ...fieldNames]);
  const amount = order.field === 'stake' ? column('totalStake') : amountOf(table, order.field);
  const id = column(idField(table));
  const [above, below] = order.direction === 'asc' ? [after, before] : [before, after];
  const bound = (at: RankedPosition) => sql`(${at.amount}::numeric, ${at.id}::text${idCast(table)})`;
  const direction = (order.direction === 'desc') === (range.backward === true) ? sql`` : sql`desc`;
  return rows(
    db,
    rowCheck<RankedReward>(table, names, RankPlace),
    sql`/* rankedRewards */
    select (${amount})::text as amount, ${selected(table, names)}
    from ${tableName(table)} r
    where ${onDay(table, date ?? (after ?? before)?.day ?? null)}
      ${above ? sql`and (${amount}, ${id}) > ${bound(above)}` : sql``}
      ${below ? sql`and (${amount}, ${id}) < ${bound(below)}` : sql``}
    order by ${amount} ${direction}, ${id} ${direction}
    limit ${rowsToRead(range)}`,
  );
}

export const rewardedValidators = totalBy((network: RewardsNetwork, date: string | null) => {
  const table: RewardTable = { network, kind: 'validator' };
  return sql`/* rewardedValidators */
    select count(*)::int as total from ${tableName(table)} r where ${onDay(table, date)}`;
});

export async function rewardedValidatorExists(
  db: Queryable,
  network: RewardsNetwork,
  id: string,
): Promise<boolean> {
  const table: RewardTable = { network, kind: 'validator' };
  const [found] = await rows(
    db,
    z.object({ yes: z.boolean() }),
    sql`/* rewardedValidatorExists */
    select exists (
      select from ${tableName(table)} r cross join (select ${id}::text as id) k where true ${ofValidator(table)}
    ) as yes`,
  );
  return found?.yes === true;
}
