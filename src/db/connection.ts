import type { Socket } from 'node:net';
import pg from 'pg';
import type { Target } from './servers.ts';

/** A connection is made, and a caller gets one, in this time or not at all. */
export const ACQUIRE_DEADLINE_MS = 5_000;

/** A connection on which nothing happens is looked after from then on: who is between may drop it without a word. */
export const KEEP_ALIVE_MS = 10_000;

/**
 * SQLSTATEs of failures that may pass: no connection (08); no disk, memory, connection or temporary file left (53); shutting
 * down (57P0); canceled or timed out (57014, 25P03, 25P04); in conflict with a replica's replay or another transaction (40001,
 * 40P01, 55P03); a system or disk error (58000, 58030).
 */
const transient = /^(08|53|57P0|57014|25P0[34]|40001|40P01|55P03|580[03]0)/;
/** SQLSTATE of a write on a standby or on a read-only connection. */
export const READ_ONLY = '25006';
/** SQLSTATE of a statement that was canceled, most often by the statement timeout. */
export const CANCELED = '57014';
/** Those of a connection that there was: without one, whatever the reason, the database is away. */
const socketCodes = new Set(['ECONNRESET', 'ETIMEDOUT', 'EPIPE']);

/** Whether an error says that the database is away or busy, rather than that a statement is wrong. */
export function isTransient(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  if (code && (transient.test(code) || socketCodes.has(code))) return true;
  return /Connection terminated|timeout expired|Client has encountered a connection error/.test(
    message ?? '',
  );
}

/** Whether an error says that there is no connection to the server, as when it stops. */
export function isDisconnected(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  return /^(08|57P0|ECONN|EPIPE)/.test(code ?? '') || /Connection terminated/.test(message ?? '');
}

/** A connection to the server that `target` has chosen. Connecting fails after `connect_timeout`, or `ACQUIRE_DEADLINE_MS`. */
export class Connection extends pg.Client {
  constructor({ target, ...config }: pg.ClientConfig & { target?: Target } = {}) {
    super({ ...config, connectionTimeoutMillis: ACQUIRE_DEADLINE_MS, ...target?.config() });
    // The pool listens while it is idle. At work its statement is told that it is lost; unheard, it would end the process.
    this.on('error', () => undefined);
  }
}

/** How long after its statement timeout a statement may still end, before its connection counts as dead. */
const MARGIN_MS = 2_000;
const SWEEP_MS = 250;

type Wired = { connection: { stream: Socket; on(event: string, listener: () => void): void } };

/**
 * Destroys connections whose statement does not end in time, even if single bytes still arrive. All connections are checked
 * every 250 ms, since pg's `query_timeout` keeps a timer for each statement, which retains its rows: 200 statements took a fifth
 * more CPU with it. The bound is a number of checks and not a time, so that a process that was suspended drops no connection.
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
 * Ends a statement that has no timeout, and releases its locks, within a second of the end of the process that waits for it,
 * also after a crash. Servers on Windows do not support the setting and refuse it.
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
    // JIT would add 0.2 to 0.4 s to statements that take milliseconds: PostgreSQL chooses it by its estimate for all rows.
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
