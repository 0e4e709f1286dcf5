import { dayOfDate } from '../../src/chain/calendar.ts';
import type { Pool } from '../../src/db/pool.ts';

const fill = `insert into validator_days
  select 'mainnet', i, $3::boolean, d, '2020-12-01'::date + d, d * 225, d * 225 + 224, null, null,
    225, 0, 225 - i % 7, 225, 225, i % 7, 0, 0, 0, 230, 0, 0,
    32000000000 + i * 17::bigint + d, 32000000000, 2000000 + (i * 31 + d) % 1000, 0, 0, 0, 0
  from generate_series(0, $1::int - 1) i, lateral (select $2::int as d) d`;

/** Stores days of mainnet in the order of dates, as imports do. */
export async function storeDays(
  pool: Pool,
  {
    from,
    until,
    validators,
    utc = false,
  }: { from: string; until: string; validators: number; utc?: boolean },
): Promise<void> {
  const [first, end] = [dayOfDate('mainnet', from), dayOfDate('mainnet', until)];
  const run = (text: string, values: unknown[]) => pool.query({ text, values });
  await run(
    `select validator_day_parts(array(select '2020-12-01'::date + d from generate_series($1::int, $2::int) d))`,
    [first, end - 1],
  );
  for (let day = first; day < end; day += 1) await run(fill, [validators, day, utc]);
  await run(
    `insert into validator_day_dates select 'mainnet', $3::boolean, d, '2020-12-01'::date + d
    from generate_series($1::int, $2::int) d on conflict do nothing`,
    [first, end - 1, utc],
  );
}
