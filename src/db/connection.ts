import type { Socket } from 'node:net';
import pg from 'pg';
import type { Target } from './servers.ts';

/** A connection is made, and a caller gets one, in this time or not at all. */
export const ACQUIRE_DEADLINE_MS = 5_000;

/** A connection on which nothing happens is looked after from then on: who is between may drop it without a word. */
export const KEEP_ALIVE_MS = 10_000;

/**
 * SQLSTATEs of a server that cannot do now what it could do another time: no connection (08), no disk, memory, connection or
 * temporary file left (53), shutting down (57P0), canceled or out of time (57014, 25P03, 25P04), in the way of a replica's
 * replay or of another transaction (40001, 40P01, 55P03), an error of its system or disk (58000, 58030).
 */
const passing = /^(08|53|57P0|57014|25P0[34]|40001|40P01|55P03|580[03]0)/;
/** SQLSTATE of a write on a standby, or on a connection that may only read. */
export const READ_ONLY = '25006';
/** SQLSTATE of a statement that was canceled, most often by the statement timeout. */
export const CANCELED = '57014';
/** Those of a connection that there was: without one, whatever the reason, the database is away. */
const socketCodes = new Set(['ECONNRESET', 'ETIMEDOUT', 'EPIPE']);

/** Whether an error says that the database is away or busy, rather than that a statement is wrong. */
export function isPassing(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  if (code && (passing.test(code) || socketCodes.has(code))) return true;
  return /Connection terminated|timeout expired|Client has encountered a connection error/.test(
    message ?? '',
  );
}

/** A connection to the server that `target` has chosen, which is made in time or not at all. */
export class Connection extends pg.Client {
  constructor({ target, ...config }: pg.ClientConfig & { target?: Target } = {}) {
    super({ ...config, connectionTimeoutMillis: ACQUIRE_DEADLINE_MS, ...target?.config() });
    // The pool listens while it is idle. At work its statement is told that it is lost; unheard, it would end the process.
    this.on('error', () => undefined);
  }
}

/** How much longer than PostgreSQL may take for a statement its end is waited for, until the connection counts as dead. */
const MARGIN_MS = 2_000;
const SWEEP_MS = 250;

type Wired = { connection: { stream: Socket; on(event: string, listener: () => void): void } };

/**
 * Gives up connections whose statement does not end in time, also those on which a byte comes now and then. Statements at
 * work are looked at every 250 ms: pg's `query_timeout` is a timer for each statement that keeps its rows, with which 200 of
 * them took a fifth more CPU. Looks are counted and not time, so that a process that stood still takes no connection for dead.
 */
export function boundStatements(statementTimeoutMs: number) {
  const milliseconds = statementTimeoutMs + MARGIN_MS;
  const atWork = new Map<pg.ClientBase, { ended: number; seen: number; looks: number }>();
  const look = () => {
    for (const [client, state] of atWork) {
      if ((client as unknown as { readyForQuery: boolean }).readyForQuery || state.seen !== state.ended) {
        state.seen = state.ended;
        state.looks = 0;
      } else if (++state.looks * SWEEP_MS > milliseconds) {
        const fault = new Error(`Connection terminated: a statement did not end within ${milliseconds} ms`);
        (client as unknown as Wired).connection.stream.destroy(fault);
      }
    }
  };
  const timer = setInterval(look, SWEEP_MS).unref();
  return {
    watch(client: pg.ClientBase) {
      const state = { ended: 0, seen: -1, looks: 0 };
      atWork.set(client, state);
      (client as unknown as Wired).connection.on('readyForQuery', () => (state.ended += 1));
      client.once('end', () => atWork.delete(client));
    },
    stop: () => clearInterval(timer),
  };
}

/**
 * A statement without a timeout ends within a second of the process that waits for it, however that ended, and lets its locks
 * go. Servers on Windows cannot tell, and refuse the setting.
 */
const noticeExit = `do $$ begin set client_connection_check_interval = '1s';
  exception when invalid_parameter_value then null; end $$`;

/**
 * What is set on each new connection of a pool, whatever the URL, the database or the role sets; and not in its startup
 * `options`, which poolers such as PgBouncer refuse.
 */
export function prepareWith(options: { readOnly: boolean; statementTimeoutMs: number; prepared: boolean }) {
  const { readOnly, statementTimeoutMs, prepared } = options;
  const settings = [
    `default_transaction_read_only = ${readOnly ? 'on' : 'off'}`,
    `statement_timeout = ${statementTimeoutMs}`,
    // how values are written as text
    `timezone = 'UTC'`,
    `datestyle = 'ISO, YMD'`,
    'extra_float_digits = 1',
    // Compiling costs 0.2 to 0.4 s of a statement that takes milliseconds: PostgreSQL decides by its estimate of all rows.
    'jit = off',
    // Statements are written for one way to the rows, by key or stored order. PostgreSQL would plan a page anew at every
    // call, since with its size known it looks cheaper; planning took a third of what 10 × 30 days of attestations cost it.
    ...(prepared ? ['plan_cache_mode = force_generic_plan'] : []),
  ];
  return async (client: pg.ClientBase): Promise<void> => {
    const statements = settings.map((setting) => `set ${setting}`);
    if (statementTimeoutMs === 0) statements.push(noticeExit);
    await client.query(`/* settings */ ${statements.join('; ')}`);
  };
}
