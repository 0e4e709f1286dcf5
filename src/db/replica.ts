import { inTurn } from '../kernel/in-turn.ts';
import { Refusal } from '../kernel/refusal.ts';
import { CANCELED, isPassing } from './connection.ts';
import { createPool, type Pool } from './pool.ts';

/** Whether a read replica answers, and who is told when that changes. */
export type Replica = {
  up(): boolean;
  onChange(listener: (up: boolean, error?: unknown) => void): void;
};

const PROBE_MS = 1_000;

/** Whether the replica is to blame, and not how busy this gateway is or how long a statement takes. */
function isOfReplica(error: unknown): boolean {
  if (!(error instanceof Refusal)) return false;
  const { code } = (error.cause ?? {}) as { code?: string };
  return code === undefined ? isPassing(error.cause) : code !== CANCELED;
}

/**
 * Answers reads from a replica, and from the primary what the replica cannot answer. The replica is asked once a second
 * whether it answers, on a connection of its own: while it does not, all reads go to the primary, also those under way.
 */
export function replicaPool(url: string, replica: Pool, primary: Pool): { pool: Pool; replica: Replica } {
  const probes = createPool({ url, readOnly: true, max: 1, statementTimeoutMs: PROBE_MS });
  const listeners: ((up: boolean, error?: unknown) => void)[] = [];
  /** What asks the primary in place of the replica, of each statement that the replica works on. */
  const asking = new Set<() => void>();
  let up = true;
  let timer: NodeJS.Timeout | undefined;

  const probing = inTurn(async () => {
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
    timer ??= setInterval(() => void probing.run(), PROBE_MS).unref(); // a command that reads nothing asks nothing
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
  return { pool, replica: { up: () => up, onChange: (listener) => listeners.push(listener) } };
}
