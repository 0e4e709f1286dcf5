import { Refusal } from '../kernel/refusal.ts';
import { serialize } from '../kernel/serialize.ts';
import { CANCELED, isTransient } from './connection.ts';
import { createPool, type Pool, type Queryable } from './pool.ts';

/** Whether the read replica answers; listeners are called when that changes. */
export type Replica = {
  up(): boolean;
  onChange(listener: (up: boolean, error?: unknown) => void): void;
};

const PROBE_MS = 1_000;

/** Whether an error is a failure of the replica, and not a busy gateway or a slow statement. */
function isOfReplica(error: unknown): boolean {
  if (!(error instanceof Refusal)) return false;
  const { code } = (error.cause ?? {}) as { code?: string };
  return code === undefined ? isTransient(error.cause) : code !== CANCELED;
}

/**
 * Reads from a replica, and from the primary what the replica cannot answer. A separate connection probes the replica once a
 * second: while it does not answer, all reads go to the primary, also those in progress.
 */
export function replicaPool(
  url: string,
  replica: Pool,
  primary: Pool,
): { pool: Pool; revisions: Queryable; replica: Replica } {
  const probes = createPool({ url, readOnly: true, max: 1, statementTimeoutMs: PROBE_MS });
  const listeners: ((up: boolean, error?: unknown) => void)[] = [];
  /** For each statement that the replica is working on, a function that sends it to the primary instead. */
  const asking = new Set<() => void>();
  let up = true;
  let timer: NodeJS.Timeout | undefined;

  const probing = serialize(async () => {
    const asked = probes.query({ text: '/* isReplicaUp */ select', values: [] });
    const { now, error } = await asked.then(
      () => ({ now: true, error: undefined }),
      (error: Refusal) => ({ now: false, error: error.cause ?? error }),
    );
    if (now === up) return;
    up = now;
    if (!up) for (const instead of asking) instead();
    for (const listener of listeners) listener(up, error);
  });
  const current = () => {
    timer ??= setInterval(() => void probing.run(), PROBE_MS).unref(); // at the first read: a command that reads nothing needs no probes
    return up ? replica : primary;
  };

  const pool: Pool = {
    query: (statement) =>
      new Promise((resolve, reject) => {
        const instead = () => {
          asking.delete(instead);
          primary.query(statement).then(resolve, reject);
        };
        if (current() === primary) return instead();
        asking.add(instead);
        replica.query(statement).then(
          (result) => {
            asking.delete(instead);
            resolve(result);
          },
          (error) => {
            if (!asking.has(instead)) return; // the primary was asked meanwhile
            if (isOfReplica(error)) {
              void probing.run();
              return instead();
            }
            asking.delete(instead);
            reject(error);
          },
        );
      }),
    withClient: (work) => current().withClient(work),
    commit: (client) => primary.commit(client),
    abandon: async () => void (await Promise.all([replica.abandon(), primary.abandon()])),
    stats: () => (up ? replica : primary).stats(),
    async end() {
      clearInterval(timer);
      await probing.stop();
      await Promise.all([probes.end(), replica.end(), primary.end()]);
    },
  };
  // A revision of the primary would vouch for rows of a replica that lags: it is read where rows are, or not at all.
  const revisions: Queryable = { query: (statement) => current().query(statement) };
  return { pool, revisions, replica: { up: () => up, onChange: (listener) => listeners.push(listener) } };
}
