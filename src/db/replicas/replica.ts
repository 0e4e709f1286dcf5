import { databaseName } from '../../config/database-url.ts';
import { Refusal } from '../../kernel/refusal.ts';
import { type SerializedWork, serialize } from '../../kernel/serialize.ts';
import { outsideSpans } from '../../kernel/tracing.ts';
import { type Reached, reachedOf } from '../changes/reached.ts';
import { CANCELED, isTransient } from '../connection.ts';
import { HistoryError, namesOf, pendingOf } from '../migrate/index.ts';
import { createPool, type Pool, type Result, type Statement } from '../pool.ts';
import { targetOf } from '../servers.ts';

const PROBE_MS = 1_000;

export const openProbePool = (url: string): Pool =>
  createPool({ url, readOnly: true, max: 1, statementTimeoutMs: PROBE_MS });

export async function readReached(db: Pool): Promise<Reached> {
  const text = '/* replicaRevisions */ select name, revision from datasets';
  return reachedOf((await db.query({ text, values: [] })).rows);
}

const UNKNOWN = 'unknown';
const NO_PRIVILEGE = '42501';

/** SQL of the cluster and the database, which a physical replica has as its primary does. */
export const identitySql = `/* identityOf */ select system_identifier || '/' || oid as id
  from pg_control_system(), pg_database where datname = current_database()`;

/** Undefined if the server did not answer. */
export async function identityOf(db: Pool): Promise<string | undefined> {
  try {
    return (await db.query({ text: identitySql, values: [] })).rows[0]?.id as string;
  } catch (error) {
    const { code } = ((error as Error).cause ?? error) as { code?: string };
    return code === NO_PRIVILEGE ? UNKNOWN : undefined;
  }
}

export const areDifferent = (one: string | undefined, other: string | undefined): boolean =>
  one !== other && [one, other].every((id) => id !== undefined && id !== UNKNOWN);

function isOfReplica(error: unknown): boolean {
  if (!(error instanceof Refusal)) return false;
  const { code } = (error.cause ?? {}) as { code?: string };
  return code === undefined ? isTransient(error.cause) : code !== CANCELED;
}

export type ReplicaState = ReturnType<Replica['state']>;
export type ServerFault = { reason: string; err?: unknown };

export type Listeners = {
  /** Called after each probe, and when another server of the URL was chosen. */
  onProbe(replica: Replica): void;
  /** Called before the result of a statement is returned, with revisions read after it. */
  onRead(reached: Reached): Promise<void>;
};

export class Replica {
  readonly name: string;
  readonly pool: Pool;
  /** Why statements must not be sent to this replica. */
  fault: ServerFault | undefined = { reason: 'is not probed yet' };
  /** Undefined until the first probe, and after another server of the URL was chosen. */
  reached: Reached | undefined;
  /** The result of `identityOf`, known as soon as `reached` is. */
  identity: string | undefined;
  isStranger = false;
  statements = 0;
  lagMs = 0;
  isLate = false;

  readonly #probes: Pool;
  readonly #inProgress = new Set<() => void>();
  readonly #probing: SerializedWork<void>;
  readonly #noting: SerializedWork<Reached | undefined>;
  readonly #onRead: Listeners['onRead'];

  constructor(url: string, pool: Pool, { onProbe, onRead }: Listeners) {
    this.name = databaseName(url);
    this.pool = pool;
    this.#probes = openProbePool(url);
    this.#probing = serialize(async () => {
      this.fault = await this.#look();
      if (this.fault) for (const leave of this.#inProgress) leave();
      onProbe(this);
    });
    this.#noting = serialize(() => readReached(this.#probes).catch(() => undefined));
    this.#onRead = onRead;
    targetOf(url).onChange(() => {
      this.reached = undefined;
      this.identity = undefined;
      onProbe(this);
      void this.#probing.run();
    });
  }

  async #look(): Promise<ServerFault | undefined> {
    try {
      if (this.fault || !this.identity) this.identity = await identityOf(this.#probes);
      this.reached = await readReached(this.#probes);
      const pending = await pendingOf(this.#probes);
      return pending.length > 0 ? { reason: `lacks ${namesOf(pending)}` } : undefined;
    } catch (error) {
      if (error instanceof HistoryError) return { reason: error.message };
      return { reason: 'does not answer', err: (error as Error).cause ?? error };
    }
  }

  get busy(): number {
    return this.#inProgress.size;
  }

  probe(): Promise<void> {
    return this.#probing.run();
  }

  /** Reads revisions; undefined, and probes the replica, if that fails. */
  async readRevisions(statement: Statement): Promise<Result | undefined> {
    try {
      const result = await this.#probes.query(statement);
      this.reached = reachedOf(result.rows);
      return result;
    } catch {
      void this.probe();
      return undefined;
    }
  }

  /** Calls `elsewhere` if the replica fails, or if a probe of it fails before the statement ends. */
  query(statement: Statement, elsewhere: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#inProgress.delete(leave);
        elsewhere().then(resolve, reject);
      };
      this.#inProgress.add(leave);
      this.statements += 1;
      this.pool.query(statement).then(
        async (result) => {
          const reached = await this.#note();
          if (!this.#inProgress.has(leave)) return;
          this.#inProgress.delete(leave);
          if (reached) return resolve(result);
          void this.probe();
          // Without another server, an answer that may be newer than later ones is better than none.
          elsewhere().then(resolve, () => resolve(result));
        },
        (error) => {
          if (!this.#inProgress.has(leave)) return;
          if (isOfReplica(error)) {
            void this.probe();
            return leave();
          }
          this.#inProgress.delete(leave);
          reject(error);
        },
      );
    });
  }

  /** Statements that end at about the same time share one read. */
  async #note(): Promise<Reached | undefined> {
    const reached = await outsideSpans(() => this.#noting.run());
    if (!reached) return undefined;
    this.reached = reached;
    await this.#onRead(reached);
    return reached;
  }

  /** For metrics. */
  state() {
    const { name, statements, lagMs } = this;
    return {
      name,
      statements,
      lagSeconds: lagMs / 1000,
      up: !this.fault && !this.isStranger && !this.isLate,
    };
  }

  async end(): Promise<void> {
    await Promise.all([this.#probing.stop(), this.#noting.stop()]);
    await Promise.all([this.#probes.end(), this.pool.end()]);
  }
}
