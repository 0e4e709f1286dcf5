import { z } from 'zod';
import type { Queryable } from '../db/pool.ts';
import { queryOf, rows, sql } from '../db/rows.ts';

export type Count = { units: number; requests: number };

export type Counts = Map<string, Map<string, Count>>;

/** Counts a resent batch once. Skips deleted accounts. */
export async function addUsage(db: Queryable, batchId: string, counts: Counts): Promise<void> {
  const list = [...counts].flatMap(([month, accounts]) =>
    [...accounts].map(([account, count]) => ({ month: `${month}-01`, account, ...count })),
  );
  const column = <K extends keyof (typeof list)[number]>(name: K) => list.map((row) => row[name]);
  await rows(
    db,
    z.unknown(),
    sql`/* addUsage */
    with batch as (
      insert into usage_batches (batch_id) values (${batchId}) on conflict do nothing returning batch_id
    )
    insert into usage (account_id, month, units, requests)
    select account_id, u.month, u.units, u.requests
    from batch, unnest(${column('account')}::uuid[], ${column('month')}::date[], ${column('units')}::bigint[],
      ${column('requests')}::bigint[]) as u (account_id, month, units, requests) join accounts using (account_id)
    order by account_id, u.month
    on conflict (account_id, month) do update set units = usage.units + excluded.units,
      requests = usage.requests + excluded.requests, updated_at = now()`,
  );
}

const Total = z.object({
  accountId: z.string(),
  monthUnits: z.number(),
  monthRequests: z.number(),
  lifeUnits: z.number(),
  lifeRequests: z.number(),
});
export type Total = z.infer<typeof Total>;

/** Returns totals of accounts that changed within `withinSeconds`, or of all accounts for null. */
export const usageTotals = queryOf(
  Total,
  (month: string, withinSeconds: number | null) => sql`/* usageTotals */
    select account_id::text as "accountId",
      coalesce(sum(units) filter (where month = ${`${month}-01`}::date), 0)::float8 as "monthUnits",
      coalesce(sum(requests) filter (where month = ${`${month}-01`}::date), 0)::float8 as "monthRequests",
      sum(units)::float8 as "lifeUnits", sum(requests)::float8 as "lifeRequests"
    from usage
    where ${withinSeconds}::int is null or account_id in (
      select account_id from usage where updated_at > now() - make_interval(secs => ${withinSeconds}::int))
    group by account_id`,
);

const Used = z.object({ units: z.number(), requests: z.number() });

export const usageOf = async (db: Queryable, account: string, month: string | null): Promise<Count> => {
  const [row] = await rows(
    db,
    Used,
    sql`/* usageOf */
    select coalesce(sum(units), 0)::float8 as units, coalesce(sum(requests), 0)::float8 as requests
    from usage join accounts using (account_id)
    where name = ${account} and (${month}::text is null or month = (${month} || '-01')::date)`,
  );
  return row as Count;
};

export const forgetBatches = queryOf(
  z.unknown(),
  () => sql`/* forgetBatches */ delete from usage_batches where counted_at < now() - interval '7 days'`,
);
