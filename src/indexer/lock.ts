import { setTimeout as sleep } from 'node:timers/promises';
import type { Network } from '../chain/networks.ts';
import { Connection } from '../db/connection.ts';
import { targetOf } from '../db/servers.ts';

export class LockedError extends Error {}

const CHECK_MS = 2_000;
const CHECK_DEADLINE_MS = 10_000;
const WAIT_MS = 3_000;

/** Throws LockedError if another process holds the lock. `lost` aborts if the lock's connection breaks. */
export async function withIndexLock<T>(
  url: string,
  network: Network,
  work: (lost: AbortSignal) => Promise<T>,
): Promise<T> {
  const target = targetOf(url);
  await target.choose();
  const client = new Connection({
    target,
    application_name: 'stakegraph index',
    query_timeout: CHECK_DEADLINE_MS,
  });
  const lost = new AbortController();
  const done = new AbortController();
  const lose = () =>
    done.signal.aborted ||
    lost.abort(new Error('The connection that holds the index lock was lost; the index restarts.'));
  client.on('end', lose);
  await client.connect();
  try {
    await take(client, network);
    void watch(client, done.signal).catch(lose);
    return await work(lost.signal);
  } finally {
    done.abort();
    await client.end().catch(() => undefined);
  }
}

/** Waits, because PostgreSQL may notice late that the previous process was killed. */
async function take(client: Connection, network: Network): Promise<void> {
  for (const until = performance.now() + WAIT_MS; ; await sleep(CHECK_MS / 10)) {
    const { rows } = await client.query(
      `/* indexLock */ select pg_try_advisory_lock(hashtext('stakegraph index process ' || $1)) as free`,
      [network],
    );
    if (rows[0].free) return;
    if (performance.now() < until) continue;
    throw new LockedError(
      `Another process indexes ${network} into this database; stop it first, or use another database.`,
    );
  }
}

async function watch(client: Connection, done: AbortSignal): Promise<void> {
  while (!done.aborted) {
    await sleep(CHECK_MS, undefined, { signal: done, ref: false }).catch(() => undefined);
    if (!done.aborted) await client.query('/* indexLockHeld */ select');
  }
}
