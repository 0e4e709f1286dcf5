import { LAST_NUMBER } from '../kernel/page.ts';
import { join, raw, type Sql, sql } from './rows.ts';

const LARGEST = { int: sql`2147483647`, bigint: sql`9223372036854775807` };

type EpochRange = { first: number; last: number };

export type OrderColumn = { name: string; type: keyof typeof LARGEST };

const orderKey = (order: readonly OrderColumn[], alias: string): Sql =>
  sql`(${join(order.map(({ name }) => raw(`${alias}.${name}`)))})`;

export const hasAll = ({ first, last }: EpochRange): boolean => first === 0 && last === LAST_NUMBER;

/** A generic plan expects few rows of any range, and sorts them. The condition is therefore left out for all epochs. */
export const within = (epochs: EpochRange): Sql =>
  hasAll(epochs) ? sql`true` : sql`c.epoch between ${epochs.first}::int and ${epochs.last}::int`;

/** Number of consolidations up to `epoch`: a stored number, plus a count of fewer than a hundred rows. */
const upTo = (epoch: Sql): Sql => sql`coalesce((
  select p.place + (
    select count(*)::int from consolidations c
    where c.network = k.network and (c.epoch, c.source_index) >= (p.epoch, p.source_index) and c.epoch <= ${epoch}
  )
  from consolidation_places p
  where p.network = k.network and p.sorted_by = 'epoch' and p.epoch <= ${epoch}
  order by p.epoch desc, p.place desc limit 1
), 0)`;

const before = ({ first }: EpochRange): Sql => upTo(sql`${first}::int - 1`);
const until = ({ last }: EpochRange): Sql => upTo(sql`${last}::int`);

/** The statement must have a table `k` with a column `network`. */
export const countWithin = (epochs: EpochRange): Sql =>
  sql`greatest(0, ${until(epochs)} - ${before(epochs)})`;

/** Every hundredth row has its number stored, so that fewer than a hundred rows are skipped. */
export function rowsAtOffset(
  order: readonly OrderColumn[],
  descending: boolean,
  epochs: EpochRange,
  { limit, offset }: { limit: number; offset: number },
): Sql {
  const direction = descending ? sql`desc` : sql`asc`;
  const ordered = join(order.map(({ name }) => sql`${raw(`c.${name}`)} ${direction}`));
  const [place, nearest, beyond, skipped] = descending
    ? [
        sql`b.high - 1 - ${offset}::bigint`,
        sql`p.place >= t.place order by p.place`,
        // no upper bound after the last stored number
        sql`${orderKey(order, 'c')} <= (${join(order.map(({ name, type }) => sql`coalesce(${raw(`a.${name}`)}, ${LARGEST[type]})`))})`,
        sql`least(coalesce(a.place, b.high - 1), b.high - 1) - t.place`,
      ]
    : [
        sql`b.low + ${offset}::bigint`,
        sql`p.place <= t.place order by p.place desc`,
        sql`${orderKey(order, 'c')} >= ${orderKey(order, 'a')}`,
        sql`t.place - greatest(a.place, b.low)`,
      ];
  return sql`
    select page.source_index
    from (select ${before(epochs)} as low, ${until(epochs)} as high offset 0) b
    cross join lateral (select ${place} as place) t
    left join lateral (
      select * from consolidation_places p
      where p.network = k.network and p.sorted_by = ${order[0]?.name} and ${nearest} limit 1
    ) a on true
    cross join lateral (
      select c.source_index from consolidations c
      where c.network = k.network and ${within(epochs)} and ${beyond}
      order by ${ordered} limit ${limit} offset ${skipped}
    ) page`;
}
