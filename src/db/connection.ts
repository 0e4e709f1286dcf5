import type { Socket } from 'node:net';
import pg from 'pg';

/** A connection is made, and a caller gets one, in this time or not at all. */
export const ACQUIRE_DEADLINE_MS = 5_000;

/** A connection on which nothing happens is looked after from then on: who is between may drop it without a word. */
export const KEEP_ALIVE_MS = 10_000;

/** SQLSTATEs of "not now": no connection, shutting down, too many clients, out of time, in the way of a replica's replay. */
const passing = /^(08|57P0|53300|57014|25P03|40001)/;
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

/** How much longer than PostgreSQL may take for a statement its answer is waited for, until the connection counts as dead. */
const SILENCE_MS = 2_000;

/** A connection of a pool, which is made in time or not at all. */
export class Connection extends pg.Client {
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
    if (statementTimeoutMs > 0) giveUpAfter(client, statementTimeoutMs + SILENCE_MS);
    const statements = settings.map((setting) => `set ${setting}`);
    if (statementTimeoutMs === 0) statements.push(noticeExit);
    await client.query(`/* settings */ ${statements.join('; ')}`);
  };
}
