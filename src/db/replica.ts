import { Refusal } from '../kernel/refusal.ts';
import { serialize } from '../kernel/serialize.ts';
import { CANCELED, isTransient } from './connection.ts';
import { createPool, type Pool, type Queryable } from './pool.ts';

export type Replica = {
  up(): boolean;
  onChange(listener: (up: boolean, error?: unknown) => void): void;
};

const PROBE_MS = 1_000;

function isOfReplica(error: unknown): boolean {
  if (!(error instanceof Refusal)) return false;
  const { code } = (error.cause ?? {}) as { code?: string };
  return code === undefined ? isTransient(error.cause) : code !== CANCELED;
}

/** While the probe fails, the primary serves all reads, including reads in progress. */
export function replicaPool(
  url: string,
  replica: Pool,
  primary: Pool,
): { pool: Pool; revisions: Queryable; replica: Replica } {
  const probes = createPool({ url, readOnly: true, max: 1, statementTimeoutMs: PROBE_MS });
  const listeners: ((up: boolean, error?: unknown) => void)[] = [];
  const inProgress = new Set<() => void>();
  let up = true;
  let timer: NodeJS.Timeout | undefined;

  const probing = serialize(async () => {
    const probe = probes.query({ text: '/* isReplicaUp */ select', values: [] });
    const { now, error } = await probe.then(
      () => ({ now: true, error: undefined }),
      (error: Refusal) => ({ now: false, error: error.cause ?? error }),
    );
    if (now === up) return;
    up = now;
    if (!up) for (const sendToPrimary of inProgress) sendToPrimary();
    for (const listener of listeners) listener(up, error);
  });
  const current = () => {
    // Probing starts at the first read, because some commands read nothing.
    timer ??= setInterval(() => void probing.run(), PROBE_MS).unref();
    return up ? replica : primary;
  };

  const pool: Pool = {
    query: (statement) =>
      new Promise((resolve, reject) => {
        const sendToPrimary = () => {
          inProgress.delete(sendToPrimary);
          primary.query(statement).then(resolve, reject);
        };
        if (current() === primary) return sendToPrimary();
        inProgress.add(sendToPrimary);
        replica.query(statement).then(
          (result) => {
            inProgress.delete(sendToPrimary);
            resolve(result);
          },
          (error) => {
            if (!inProgress.has(sendToPrimary)) return; // a failed probe has sent the read to the primary
            if (isOfReplica(error)) {
              void probing.run();
              return sendToPrimary();
            }
            inProgress.delete(sendToPrimary);
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
  // Failed reads of revisions are not repeated on the primary, whose revisions may be ahead of the replica's rows.
  const revisions: Queryable = { query: (statement) => current().query(statement) };
  return { pool, revisions, replica: { up: () => up, onChange: (listener) => listeners.push(listener) } };
}
