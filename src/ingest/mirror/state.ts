import type pg from 'pg';
import type { Pool, Queryable } from '../../db/pool.ts';
import { type MirrorList, networkOfList } from './list.ts';

export type Run = { runId: number; roundId: number; source: string; resumed: boolean };

export type ListState = { roundId: number; position: string | null };

/** Continues the open round of this source and scope if it was active within `resumeWithinMs`. */
export async function beginRun(
  db: Queryable,
  options: { source: string; scope: string; resumeWithinMs: number },
): Promise<Run> {
  const { rows: last } = await db.query({
    text: `/* mirrorOpenRound */
      select r.round_id from mirror_runs r
      where r.run_id = (select max(run_id) from mirror_runs where source = $1)
        and r.scope = $2 and not r.done
        and greatest(r.started_at, (
          select max(finished_at) from mirror_state s where s.source = $1 and s.round_id = r.round_id
        )) > clock_timestamp() - $3 * interval '1 millisecond'`,
    values: [options.source, options.scope, options.resumeWithinMs],
  });
  const open = last[0]?.round_id as number | undefined;
  const { rows } = await db.query({
    text: `/* mirrorBeginRun */
      with next as (select nextval(pg_get_serial_sequence('mirror_runs', 'run_id'))::int as run_id)
      insert into mirror_runs (run_id, round_id, source, scope) overriding system value
      select run_id, coalesce($3, run_id), $1, $2 from next
      returning run_id, round_id`,
    values: [options.source, options.scope, open ?? null],
  });
  const { run_id: runId, round_id: roundId } = rows[0] as { run_id: number; round_id: number };
  return { runId, roundId, source: options.source, resumed: open !== undefined };
}

export const endRun = (db: Queryable, run: Run, done: boolean) =>
  db.query({
    text: '/* mirrorEndRun */ update mirror_runs set ended_at = now(), done = $2 where run_id = $1',
    values: [run.runId, done],
  });

export async function stateOf(db: Queryable, source: string, list: StateKey): Promise<ListState | undefined> {
  const { rows } = await db.query({
    text: `/* mirrorState */
      select round_id, position from mirror_state
      where (source, resource, network, list) = ($1, $2, $3, $4)`,
    values: [source, list.resource, networkOfList(list), list.name],
  });
  const [row] = rows;
  return row && { roundId: row.round_id as number, position: row.position as string | null };
}
export type StateKey = Pick<MirrorList, 'resource' | 'network' | 'name'>;

/** Call in the transaction that loads the rows. */
export async function noteDone(
  client: pg.ClientBase,
  run: Run,
  list: StateKey,
  done: { rows: number; position: string | undefined },
): Promise<void> {
  await client.query(
    `/* mirrorNoteDone */
    insert into mirror_state (source, resource, network, list, round_id, position, row_count)
    values ($1, $2, $3, $4, $5, $6, $7)
    on conflict (source, resource, network, list) do update set
      round_id = excluded.round_id, position = coalesce(excluded.position, mirror_state.position),
      row_count = excluded.row_count, finished_at = excluded.finished_at`,
    [
      run.source,
      list.resource,
      networkOfList(list),
      list.name,
      run.roundId,
      done.position ?? null,
      done.rows,
    ],
  );
}

export async function addUsage(
  db: Queryable,
  run: Run,
  resource: string,
  usage: { requests: number; units: number | undefined },
): Promise<void> {
  await db.query({
    text: `/* mirrorAddUsage */
      insert into mirror_usage as u (run_id, resource, requests, compute_units) values ($1, $2, $3, $4)
      on conflict (run_id, resource) do update set
        requests = u.requests + excluded.requests,
        compute_units = case when excluded.compute_units is null then u.compute_units
          else coalesce(u.compute_units, 0) + excluded.compute_units end`,
    values: [run.runId, resource, usage.requests, usage.units ?? null],
  });
}

/** `lost` aborts when the connection that holds the lock breaks, because another process may then take the lock. */
export const withAdvisoryLock = <T>(
  pool: Pool,
  source: string,
  work: (lost: AbortSignal) => Promise<T>,
): Promise<T> =>
  pool.withClient(async (client) => {
    const key = `hashtext('stakegraph mirror ' || $1)`;
    const { rows } = await client.query(`/* mirrorLock */ select pg_try_advisory_lock(${key}) as free`, [
      source,
    ]);
    if (!rows[0].free) throw new Error(`Another process mirrors ${source} into this database.`);
    const lost = new AbortController();
    const lose = () => lost.abort();
    client.on('error', lose);
    try {
      return await work(lost.signal);
    } finally {
      await client
        .query(`/* mirrorUnlock */ select pg_advisory_unlock(${key})`, [source])
        .catch(() => undefined);
      client.off('error', lose);
    }
  });
