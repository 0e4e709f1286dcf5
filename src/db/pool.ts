import type { Socket } from 'node:net';
import pg from 'pg';
import { unavailable } from '../kernel/refusal.ts';
import { statementNames } from './statement-names.ts';

/** What queries need of a database: one statement in, rows out. */
export type Queryable = { query(statement: Statement): Promise<Result> };
type Statement = { text: string; values: unknown[] };
type Result = { rows: Record<string, unknown>[] };

/** A database that may be written to. */
export type Primary = Queryable & {
  /** Runs work in one transaction; anything thrown rolls all of it back. Within one it is part of that one. */
  transaction<T>(work: (db: Queryable) => Promise<T>): Promise<T>;
};

export type Pool = Queryable & {
  /** A client of one's own, for transactions and COPY. */
  withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T>;
  stats(): { total: number; idle: number; waiting: number };
  end(): Promise<void>;
};

type Options = {
  url: string;
  /** Read-only pools cannot write, whatever a query says. */
  readOnly: boolean;
  max?: number;
  statementTimeoutMs?: number;
  /** Whether statements keep their plans on the connection; not behind a proxy that hands each to any connection. */
  prepared?: boolean;
  onError?: (error: Error) => void;
};

const ACQUIRE_DEADLINE_MS = 5_000;
/** A thousand callers at once are served one after the other; what waits longer than the deadline is refused anyway. */
const MAX_WAITING = 2_000;

/** SQLSTATEs that mean "not now": no connection, shutting down, too many clients, out of time. */
const passing = /^(08|57P0|53300|57014|25P03)/;
/** Those of a connection that there was: without one, whatever the reason, the database is away. */
const socketCodes = new Set(['ECONNRESET', 'ETIMEDOUT', 'EPIPE']);

/** Whether an error says that the database is away or busy, rather than that a statement is wrong. */
function isPassing(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  if (code && (passing.test(code) || socketCodes.has(code))) return true;
  return /Connection terminated|timeout expired|Client has encountered a connection error/.test(
    message ?? '',
  );
}

/** "cached plan must not change result type": a feature that is not supported, which a read has no other way to meet. */
const STALE_PLAN = '0A000';

/** How much longer than PostgreSQL may take for a statement its answer is waited for, until the connection counts as dead. */
const SILENCE_MS = 2_000;

/** A connection of a pool, which is made in time or not at all. */
class Connection extends pg.Client {
  constructor(config: pg.ClientConfig = {}) {
    super({ ...config, connectionTimeoutMillis: ACQUIRE_DEADLINE_MS });
    // The pool listens while it is idle. At work its statement is told that it is lost; unheard, it would end the process.
    this.on('error', () => undefined);
  }
}

/**
 * Gives a connection up when nothing comes for so long while a statement is at work on it. By the socket's own clock: pg's
 * `query_timeout` is a timer for each statement that keeps its rows, with which 200 of them took a fifth more CPU.
 */
function giveUpAfter(client: pg.ClientBase, milliseconds: number): void {
  const wired = client as unknown as { connection: { stream: Socket }; readyForQuery: boolean };
  const { stream } = wired.connection;
  stream.setTimeout(milliseconds, () => {
    if (wired.readyForQuery) return;
    stream.destroy(new Error(`Connection terminated: nothing came for ${milliseconds} ms`));
  });
}

/** A pool whose waiting is bounded: a caller gets a client, or 503 within the deadline or when the queue is long. */
export function createPool(options: Options): Pool {
  const { statementTimeoutMs = 0 } = options;
  // Said on each new connection and not in its startup `options`, which poolers such as PgBouncer refuse; and they count, whatever
  // the URL, the database or the role sets.
  const settings = [
    `default_transaction_read_only = ${options.readOnly ? 'on' : 'off'}`,
    `statement_timeout = ${statementTimeoutMs}`,
    // how values are written as text
    `timezone = 'UTC'`,
    `datestyle = 'ISO, YMD'`,
    'extra_float_digits = 1',
    // Statements are written for one way to the rows, by key or stored order. PostgreSQL would plan a page anew at every
    // call, since with its size known it looks cheaper; planning took a third of what 10 × 30 days of attestations cost it.
    ...(options.prepared ? ['plan_cache_mode = force_generic_plan'] : []),
  ];
  const prepare = async (client: pg.ClientBase) => {
    if (statementTimeoutMs > 0) giveUpAfter(client, statementTimeoutMs + SILENCE_MS);
    await client.query(`/* settings */ ${settings.map((setting) => `set ${setting}`).join('; ')}`);
  };
  const pool = new pg.Pool({
    Client: Connection,
    connectionString: options.url,
    max: options.max ?? 10,
    connectionTimeoutMillis: 0, // node-postgres 3543: its own timeout leaks a slot; ours is below
    application_name: 'stakegraph',
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    onConnect: prepare,
  });
  // A connection that is being closed may still be told that the server stops; that is no failure.
  let ending = false;
  pool.on('error', (error) => ending || options.onError?.(error));

  /** Connections that are replaced when they are free. */
  const retired = new WeakSet<pg.PoolClient>();

  /**
   * Hands over a client within the deadline. By callbacks here and in `run`: rows that come by the promises of pg outlive
   * two collections of garbage each, and 16 callers of 16 rows had 35,800 answers in the time in which these have 41,300.
   */
  function acquire(use: (error: Error | undefined, client?: pg.PoolClient) => void): void {
    if (pool.waitingCount >= MAX_WAITING) {
      use(unavailable());
      return;
    }
    let late = false;
    let timer: NodeJS.Timeout | undefined;
    if (pool.idleCount <= pool.waitingCount) {
      timer = setTimeout(() => {
        late = true;
        use(unavailable());
      }, ACQUIRE_DEADLINE_MS);
    }
    pool.connect((error, client) => {
      clearTimeout(timer);
      if (late) client?.release();
      else use(error, client);
    });
  }

  /** What a failure says to callers, told here when it is of the database; whether its connection is of no more use. */
  function told(error: Error, client: pg.PoolClient | undefined): { error: Error; broken: boolean } {
    if (client && !isPassing(error)) return { error, broken: false };
    options.onError?.(error);
    return { error: unavailable(), broken: true };
  }

  const giveBack = (client: pg.PoolClient, broken: boolean) => client.release(broken || retired.has(client));

  async function withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    let client: pg.PoolClient | undefined;
    let broken = false;
    try {
      client = await new Promise<pg.PoolClient>((resolve, reject) =>
        acquire((error, found) => (found ? resolve(found) : reject(error))),
      );
      return await work(client);
    } catch (failure) {
      const fault = told(failure as Error, client);
      broken = fault.broken;
      throw fault.error;
    } finally {
      if (client) giveBack(client, broken);
    }
  }

  const names = options.prepared ? statementNames() : undefined;

  /** Runs a statement by its name where it has one on this connection. */
  function ask(
    client: pg.PoolClient,
    statement: Statement,
    done: (error: Error | null | undefined, result: Result) => void,
  ) {
    const { text, values } = statement;
    const name = names?.of(client, text);
    if (name === undefined) return client.query(text, values, done);
    // Made here of a text: pg copies a configuration property by property, which takes it 5 of the 90 µs of one summary.
    const query: pg.Query & { name?: string } = new pg.Query(text, values, (error, result) => {
      if (names?.isFull(client)) retired.add(client);
      // A migration has changed a type since: the plans of this connection are of yesterday.
      if ((error as { code?: string } | null)?.code !== STALE_PLAN) return done(error, result);
      retired.add(client);
      client.query(text, values, done);
    });
    query.name = name;
    client.query(query);
  }

  const run = (statement: Statement): Promise<Result> =>
    new Promise((resolve, reject) => {
      acquire((failure, client) => {
        if (!client) return reject(told(failure as Error, client).error);
        ask(client, statement, (error, result) => {
          if (!error) {
            giveBack(client, false);
            return resolve(result);
          }
          const fault = told(error, client);
          giveBack(client, fault.broken);
          reject(fault.error);
        });
      });
    });

  return {
    query: run,
    withClient,
    stats: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    end: () => {
      ending = true;
      return pool.end();
    },
  };
}

/** Runs work in one transaction; anything thrown rolls all of it back. */
export const transaction = <T>(pool: Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> =>
  pool.withClient(async (client) => {
    await client.query('begin');
    try {
      const result = await work(client);
      await client.query('commit');
      return result;
    } catch (error) {
      // A connection that is of no more use is closed, which rolls back too.
      if (!isPassing(error)) await client.query('rollback').catch(() => undefined);
      throw error;
    }
  });

/** A pool for reading and writing what accounts own. */
export const primaryOf = (pool: Pool): Primary => ({
  query: pool.query,
  transaction: (work) => transaction(pool, work),
});

/** The same within a transaction that is open already. */
export const primaryWithin = (client: Queryable): Primary => ({
  query: (statement) => client.query(statement),
  transaction: (work) => work(client),
});
