import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { type Logger, pino } from 'pino';
import { afterAll, beforeAll, expect, inject, onTestFinished, TestRunner, vi } from 'vitest';
import { type Meter, openMeter } from '../../src/accounts/meter.ts';
import { takePageCode } from '../../src/accounts/page-codes.ts';
import { openRedis } from '../../src/accounts/redis.ts';
import { tierLimits } from '../../src/accounts/tiers.ts';
import { openDirectory, type TokenDirectory } from '../../src/accounts/token-directory.ts';
import { createToken } from '../../src/accounts/tokens.ts';
import { readAllMonths } from '../../src/archive/read.ts';
import { readSettings, type Settings, statementsOfAccount } from '../../src/config/index.ts';
import { openRevisions, type Revisions } from '../../src/db/changes/revisions.ts';
import { createPool, type Pool, type Statement } from '../../src/db/pool.ts';
import type { ReplicaState } from '../../src/db/replicas/replica.ts';
import { buildServer } from '../../src/http/server.ts';
import type { IndexStatus } from '../../src/indexer/status.ts';
import { deadlines, serverDeadlines, waitTimeoutMs } from './deadlines.ts';
import { databaseUrl, makeTemplate, type Template } from './global-setup.ts';
import { shownByCall, shownByQuery } from './interface.ts';
import { makeLargeOperator } from './large-operator.ts';
import { thorough } from './thorough.ts';
import { measured } from './transactions.ts';

export type TestDatabase = { url: string; pool: Pool; drop(): Promise<void> };

/** A database of its own, cloned from a template: nothing that a test does reaches another. */
export async function createDatabase(template: Template = 'empty'): Promise<TestDatabase> {
  const serverUrl = inject('serverUrl');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const run = async (statement: string) => {
    const admin = new pg.Client({ connectionString: serverUrl });
    await admin.connect();
    // Two files may clone one template at the same moment, which Postgres refuses: one after the other.
    await admin.query(`select pg_advisory_lock(42)`);
    await admin.query(statement).finally(() => admin.end());
  };
  const templates = inject('templates');
  if (template === 'large')
    await makeTemplate(serverUrl, templates.large, templates.sample, async (draft) => {
      const filling = createPool({ url: draft, readOnly: false });
      await makeLargeOperator(filling).finally(() => filling.end());
    });
  await run(`create database ${name} template ${templates[template]} strategy ${inject('cloning')}`);
  const url = databaseUrl(serverUrl, name);
  const pool = createPool({ url, readOnly: false, max: 4, waitTimeoutMs });
  return {
    url,
    pool,
    async drop() {
      await pool.end();
      await run(`drop database ${name} with (force)`);
    },
  };
}

type Answer = { status: number; headers: Headers; text: string; json: any };
type GraphqlAnswer = Answer & { data: any; errors: any[] | undefined };

export type Gateway = {
  url: string;
  token: string;
  database: TestDatabase;
  meter: Meter;
  tokens: TokenDirectory;
  revisions: Revisions;
  /** Names of the statements run since the last reset, but for those within transactions. */
  statements: string[];
  fetch(path: string, init?: RequestInit): Promise<Answer>;
  /** GET with the token, and without unless `headers` say otherwise. */
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  graphql(query: string, variables?: object, headers?: Record<string, string>): Promise<GraphqlAnswer>;
  /** The data of a GraphQL request without errors, and the names of its statements. */
  ask(
    query: string,
    variables?: object,
    headers?: Record<string, string>,
  ): Promise<{ data: any; statements: string[] }>;
  close(): Promise<void>;
};

/**
 * Records what the running test shows of the interface, where all tests run; requests outside a test do not count. To parse
 * each query for it takes time.
 */
export function noteShown(items: () => string[]) {
  const test = thorough ? TestRunner.getCurrentTest() : undefined;
  if (!test) return;
  const meta = test.meta as { shows?: string[] };
  meta.shows = [...new Set([...(meta.shows ?? []), ...items()])];
}

/** Those of gateways that have not been closed. */
export const openDatabases = new Set<TestDatabase>();

/** The gateway as it is served, over real HTTP on a database of its own. */
export async function startGateway(
  options: {
    template?: Template;
    /** A database of the test's own, which it drops itself; instead of a template. */
    database?: TestDatabase;
    settings?: Partial<Settings>;
    /** Called for each statement, but for those within transactions. */
    onStatement?: (statement: Statement) => void;
    /** Called for each transaction of a request, with the rows and blocks that it read and wrote. */
    onTransaction?: (work: number) => void;
    now?: () => Date;
    /** Silent unless given. */
    log?: Logger;
    requestTimeoutMs?: number;
    maxEventLoopDelayMs?: number;
    replicas?: () => ReplicaState[];
    index?: IndexStatus;
    dataDir?: string;
  } = {},
): Promise<Gateway> {
  const database = options.database ?? (await createDatabase(options.template ?? 'sample'));
  const statements: string[] = [];
  // Tests change data past the import, which no revision tells; those of the cache turn it on.
  const settings = { ...readSettings(deadlines), CACHE: false, ...options.settings };
  const { STATEMENT_TIMEOUT_MS: statementTimeoutMs, PREPARED_STATEMENTS: prepared } = settings;
  const serving = { waitTimeoutMs, statementTimeoutMs, ofAccount: statementsOfAccount(settings) };
  const max = options.settings?.DATABASE_POOL ?? 4;
  const read = createPool({ url: database.url, readOnly: true, max, prepared, ...serving });
  const note = (text: string) => statements.push(/\/\* (\w+) \*\//.exec(text)?.[1] ?? text);
  const counting = (pool: Pool): Pool => ({
    ...pool,
    query(statement) {
      note(statement.text);
      options.onStatement?.(statement);
      return pool.query(statement);
    },
  });
  const counted = counting(read);
  const { onTransaction } = options;
  const writing = createPool({ url: database.url, readOnly: false, max: 4, ...serving });
  const primary = onTransaction ? measured(writing, onTransaction) : writing;
  const log = options.log ?? pino({ level: 'silent' });
  const { token } = await createToken(database.pool, 'test');
  const limits = tierLimits(settings);
  const tokens = await openDirectory({ url: database.url, db: database.pool, log, limits });
  await vi.waitUntil(() => tokens.find(`Bearer ${token}`, new Date(0)), { timeout: waitTimeoutMs });
  const now = options.now ?? (() => new Date());
  const redis = settings.REDIS_URL ? await openRedis(settings.REDIS_URL, log) : undefined;
  const meter = await openMeter({ db: database.pool, log, now, redis });
  const revisions = await openRevisions({ url: database.url, db: read, log });
  await readAllMonths(read);
  const app = await buildServer({
    settings,
    log,
    pool: counted,
    primary: counting(primary),
    tokens,
    meter,
    revisions,
    readiness: async () => ({ ready: true }),
    replicas: options.replicas,
    index: options.index,
    dataDir: options.dataDir,
    ...serverDeadlines,
    ...(options.requestTimeoutMs && { requestTimeoutMs: options.requestTimeoutMs }),
    ...(options.maxEventLoopDelayMs && { maxEventLoopDelayMs: options.maxEventLoopDelayMs }),
    exchangeCode: async (code) => ((await takePageCode(primary, code)) ? token : undefined),
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  openDatabases.add(database);

  const call = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const headers = new Headers(init.headers);
    // Both ends would spend a fifth of their time on compression, which tests of their own are about.
    if (!headers.has('accept-encoding')) headers.set('accept-encoding', 'identity');
    const response = await fetch(url + path, { ...init, headers, signal: AbortSignal.timeout(120_000) });
    const text = await response.text();
    const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '') && text !== '';
    const { status } = response;
    const answer = { status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
    noteShown(() => shownByCall(path, init, answer));
    if (process.env.ARCHIVED && init.method !== undefined && init.method !== 'GET')
      await (await import('./archive-months.ts')).sumAllOlderDays(database.pool).catch(() => undefined); // some tests stop the database
    return answer;
  };
  const authorization = `Bearer ${token}`;
  const graphql: Gateway['graphql'] = async (query, variables = {}, headers = {}) => {
    const answer = await call('/graphql', {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query, variables }),
    });
    if (answer.json?.data && !answer.json.errors) noteShown(() => shownByQuery(query));
    return { ...answer, data: answer.json?.data, errors: answer.json?.errors };
  };

  return {
    url,
    token,
    database,
    meter,
    tokens,
    revisions,
    statements,
    fetch: call,
    get: (path, headers = {}) => call(path, { headers: { authorization, ...headers } }),
    graphql,
    async ask(...request) {
      statements.length = 0;
      const { data, errors } = await graphql(...request);
      expect(errors).toBeUndefined();
      return { data, statements: [...statements] };
    },
    async close() {
      openDatabases.delete(database);
      await app.close();
      await meter.stop();
      redis?.stop();
      await revisions.stop();
      await tokens.stop();
      await read.end();
      await primary.end();
      if (!options.database) await database.drop();
    },
  };
}

/** A gateway for all tests of a file or of a `describe`; there is none before they begin. */
export function useGateway(...args: Parameters<typeof startGateway>): Gateway {
  const gateway = {} as Gateway;
  beforeAll(async () => void Object.assign(gateway, await startGateway(...args)));
  afterAll(() => gateway.close());
  return gateway;
}

/** A gateway for one test, closed when it ends. */
export async function gatewayForTest(...args: Parameters<typeof startGateway>): Promise<Gateway> {
  const gateway = await startGateway(...args);
  onTestFinished(() => gateway.close());
  return gateway;
}
