import type { Queryable } from '../../db/pool.ts';

export const TABLE = 'validator_days';
export const ORDER = 'network, validator_index, utc, date';

const SAMPLED_PAGES = 500;

/** Returns 1 for rows in `ORDER`, 1/30 for thirty days in date order. */
export async function orderOf(db: Queryable, part: string): Promise<number> {
  const { rows } = await db.query({
    text: `/* pagesOfPart */ select pg_relation_size($1::text::regclass) / current_setting('block_size')::int as pages`,
    values: [part],
  });
  const percent = Math.min(100, (100 * SAMPLED_PAGES) / Math.max(1, Number(rows[0]?.pages)));
  const found = await db.query({
    text: `/* orderOfPart */
      select coalesce(corr(stored, wanted), 1) as "order" from (
        select row_number() over (order by ctid) as stored, row_number() over (order by ${ORDER}) as wanted
        from "${part}" tablesample system ($1) repeatable (1)
      ) s`,
    values: [percent],
  });
  return Number(found.rows[0]?.order);
}
