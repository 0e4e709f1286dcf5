import type { Pool } from '../../src/db/pool.ts';

/** Stores days of the validators 0 to `validators` of mainnet in both calendars, on `days` dates from 2025-01-21 on. */
export async function storeDays(pool: Pool, validators: number, days: number): Promise<void> {
  const query = (text: string, values: unknown[] = []) => pool.query({ text, values });
  const first = 1512;
  await query(
    `select validator_day_parts(array(select distinct date_trunc('month', '2020-12-01'::date + d)::date
      from generate_series(${first}, ${first - 1} + $1::int) d))`,
    [days],
  );
  for (const utc of [false, true]) {
    await query(
      `insert into validator_day_dates
      select 'mainnet', $1, d, '2020-12-01'::date + d from generate_series(${first}, ${first - 1} + $2::int) d`,
      [utc, days],
    );
    await query(
      `insert into validator_days
      select 'mainnet', i, $1, d, '2020-12-01'::date + d, d * 225, d * 225 + 224, null, null, 225, 0, 225 - i % 7, 225, 225,
        i % 7, 0, 0, 0, 225 + (i + d) % 9, 0, 0, 32000000000, 32000000000, 2000000 + i, 0, 0, 0, 0
      from generate_series(${first}, ${first - 1} + $3::int) d, generate_series(0, $2::int - 1) i`,
      [utc, validators, days],
    );
  }
}
