import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import pg from 'pg';
import { boundedMap } from '../kernel/bounded.ts';
import { Refusal } from '../kernel/refusal.ts';
import { ACQUIRE_DEADLINE_MS, type Target } from './servers.ts';

/** Firewalls drop idle connections silently. */
const KEEP_ALIVE_MS = 10_000;

/**
 * SQLSTATE classes: 08 (connection), 53 (resources), 57P0 (shutdown), 57014 and 25P0 (canceled or timed out), 40 and
 * 55P03 (conflict with replication or a transaction), 580 (system or disk).
 */
const transient = /^(08|53|57P0|57014|25P0[34]|40001|40P01|55P03|580[03]0)/;
export const READ_ONLY = '25006';
/** Usually caused by `statement_timeout`. */
export const CANCELED = '57014';
const socketCodes = new Set(['ECONNRESET', 'ETIMEDOUT', 'EPIPE']);

export function isTransient(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  if (code && (transient.test(code) || socketCodes.has(code))) return true;
  return /Connection terminated|timeout expired|Client has encountered a connection error/.test(
    message ?? '',
  );
}

/** Whether a request failed because a statement ran until its timeout, so that its work was done. */
export function ranIntoTimeout(error: unknown): boolean {
  const { code, isOverdue } = ((error instanceof Refusal && error.cause) || {}) as Overdue;
  return code === CANCELED || isOverdue === true;
}

type Overdue = { code?: string; isOverdue?: boolean };

export function isDisconnected(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  return (
    /^(08|57P0|ECONN|EPIPE)/.test(code ?? '') ||
    /Connection terminated|connection error and is not queryable/.test(message ?? '')
  );
}

type Config = pg.ClientConfig & { target?: Target; waitTimeoutMs?: number };

export class Connection extends pg.Client {
  constructor({ target, waitTimeoutMs = ACQUIRE_DEADLINE_MS, ...config }: Config = {}) {
    super({
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      ...config,
      connectionTimeoutMillis: waitTimeoutMs,
      ...target?.config(),
    });
    // Without a listener, an error would end the process.
    this.on('error', () => undefined);
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.Client> | undefined {
    if (!callback)
      return super.connect().catch((error) => {
        throw explained(error);
      });
    super.connect((error: Error) => (callback as (error: Error) => void)(explained(error)));
    return undefined;
  }
}

type Connected = ((error: Error) => void) | ((error: null, client: pg.Client) => void);

const untrusted =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT(_LOCALLY)?))$/;

/** OpenSSL does not say what to change. */
function explained(error: Error & { code?: string }): Error {
  if (untrusted.test(error?.code ?? ''))
    error.message = `The certificate of the database is not signed by a trusted authority (${error.message}): name the file of its authority with sslrootcert=FILE in the URL.`;
  return error;
}

const MARGIN_MS = 2_000;
const SWEEP_MS = 250;

type Wired = { connection: { stream: Socket; on(event: string, listener: () => void): void } };

/**
 * Destroys a connection whose statement exceeds its timeout by 2 s, even if bytes still arrive. pg's `query_timeout`
 * would take a fifth more CPU (200 statements). Counts checks, not time, so that a process that was suspended keeps its
 * connections.
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
        const overdue: Overdue = { isOverdue: true };
        (client as unknown as Wired).connection.stream.destroy(Object.assign(fault, overdue));
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

/** A check after waiting for a lock must see what the previous holder wrote. */
const isolation = `set default_transaction_isolation = 'read committed'`;

/**
 * For jobs: no time limit of the role applies, and a statement and its locks end within a second of its client's exit.
 * PostgreSQL on Windows refuses `client_connection_check_interval`; before 17 there is no `transaction_timeout`.
 */
export const jobSettings = `${isolation};
  set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0;
  do $$ begin set client_connection_check_interval = '1s';
  exception when invalid_parameter_value then null; end $$;
  do $$ begin set transaction_timeout = 0; exception when undefined_object then null; end $$`;

/** Startup `options` are not used, because poolers such as PgBouncer refuse them. */
export function prepareWith(options: { readOnly: boolean; statementTimeoutMs: number; prepared: boolean }) {
  const { readOnly, statementTimeoutMs, prepared } = options;
  const settings = [
    `default_transaction_read_only = ${readOnly ? 'on' : 'off'}`,
    `timezone = 'UTC'`,
    `datestyle = 'ISO, YMD'`,
    'extra_float_digits = 1',
    // JIT adds 0.2 to 0.4 s to statements that take milliseconds.
    'jit = off',
    // Workers would let one request use all cores.
    ...(statementTimeoutMs === 0 ? [] : ['max_parallel_workers_per_gather = 0']),
    // Replanning took a third of the time of a query.
    ...(prepared ? ['plan_cache_mode = force_generic_plan'] : []),
  ];
  return async (client: pg.ClientBase): Promise<void> => {
    const statements = settings.map((setting) => `set ${setting}`);
    if (statementTimeoutMs === 0) statements.push(jobSettings);
    else statements.push(isolation, `set statement_timeout = ${statementTimeoutMs}`);
    await client.query(`/* settings */ ${statements.join('; ')}`);
  };
}

/** Callers choose the fields of statements, so without this limit PostgreSQL's memory for plans would grow. */
const MAX_STATEMENTS = 200;
const TEXTS = 2_000;

/**
 * PostgreSQL plans a named statement once per connection: a page of operators took 350 µs instead of 1,400. The first
 * run of a statement gets no name, because it is often the only one. Connections with `MAX_STATEMENTS` names are
 * retired, because the protocol does not show which could be deallocated.
 */
export function statementNames(retired: WeakSet<pg.PoolClient>) {
  const names = boundedMap<string>(TEXTS);
  const namesOf = new WeakMap<pg.PoolClient, Set<string>>();
  return (client: pg.PoolClient, text: string): string | undefined => {
    const name = names.get(text);
    if (name === undefined) {
      names.set(text, createHash('sha256').update(text).digest('base64url').slice(0, 22));
      return undefined;
    }
    let prepared = namesOf.get(client);
    if (!prepared) namesOf.set(client, (prepared = new Set()));
    prepared.add(name);
    if (prepared.size >= MAX_STATEMENTS) retired.add(client);
    return name;
  };
}
