import { z } from 'zod';
import type { Queryable } from './pool.ts';
import { queryOf, sql } from './rows.ts';

type Job =
  | 'backup'
  | 'import'
  | 'index'
  | 'mirror'
  | 'partial-refresh'
  | 'publish'
  | 'refresh'
  | 'repack'
  | 'retain';
const outcomes = ['success', 'failure'] as const;
type Outcome = (typeof outcomes)[number];

type Run = {
  job: Job;
  /** Empty for a job that is not of one network. */
  network?: string | undefined;
  startedAt: Date;
  outcome: Outcome;
  rows: number;
};

/** The newest run of each job, network and outcome is kept for ever. */
const KEPT_DAYS = 90;

/** Never throws: a job that succeeded must not fail because its run cannot be recorded. */
export async function recordRun(
  db: Queryable,
  { job, network = '', startedAt, outcome, rows }: Run,
  onError: (error: Error) => void,
): Promise<void> {
  // By the clock of the database, like `finished_at`.
  const seconds = (Date.now() - startedAt.getTime()) / 1000;
  const statement = sql`/* recordRun */
    with old as (
      delete from job_runs r where job = ${job} and network = ${network} and outcome = ${outcome}
        and finished_at < now() - make_interval(days => ${KEPT_DAYS})
    )
    insert into job_runs (job, network, started_at, outcome, row_count)
    values (${job}, ${network}, clock_timestamp() - make_interval(secs => ${seconds}), ${outcome}, ${rows})`;
  await db.query({ text: statement.text, values: statement.values }).catch(onError);
}

const LastRun = z.object({
  job: z.string(),
  network: z.string(),
  outcome: z.enum(outcomes),
  finished: z.number(),
  previous: z.number().nullable(),
  seconds: z.number(),
  rows: z.number(),
});
export type LastRun = z.infer<typeof LastRun>;

/** `finished`, and `previous` of the run before, are in Unix seconds. */
export const lastRuns = queryOf(
  LastRun,
  () => sql`/* lastRuns */
    with recursive kind as (
      (select job, network, outcome from job_runs order by job, network, outcome limit 1)
      union all
      select n.* from kind k cross join lateral (
        select job, network, outcome from job_runs r
        where (r.job, r.network, r.outcome) > (k.job, k.network, k.outcome)
        order by job, network, outcome limit 1
      ) n
    )
    select job, network, outcome, extract(epoch from last.finished_at)::float8 as finished,
      extract(epoch from previous.finished_at)::float8 as previous,
      extract(epoch from last.finished_at - last.started_at)::float8 as seconds, last.row_count::float8 as rows
    from kind cross join lateral (
      select finished_at, started_at, row_count from job_runs r
      where (r.job, r.network, r.outcome) = (kind.job, kind.network, kind.outcome)
      order by finished_at desc limit 1
    ) last left join lateral (
      select finished_at from job_runs r
      where (r.job, r.network, r.outcome) = (kind.job, kind.network, kind.outcome)
      order by finished_at desc offset 1 limit 1
    ) previous on true`,
);
