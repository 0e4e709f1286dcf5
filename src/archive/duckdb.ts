import { availableParallelism } from 'node:os';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { Sql } from '../db/rows.ts';
import { type FairTurns, fairTurns } from '../kernel/fair-turns.ts';
import { unavailable } from '../kernel/refusal.ts';

export type Duck = DuckDBConnection;

const PACKAGE = '@duckdb/node-api';
/** The version that tests use. */
const VERSION = '1.5.6-r.1';

/** The archive needs the package `@duckdb/node-api`, which is not installed by default. */
export class MissingDuckDB extends Error {
  constructor(cause: unknown) {
    super(
      `Archived days are read and written by DuckDB, which is not installed: run "npm install --no-save ${PACKAGE}@${VERSION}" in the folder of stakegraph.`,
      { cause },
    );
  }
}

async function load(): Promise<typeof import('@duckdb/node-api')> {
  try {
    return await import('@duckdb/node-api');
  } catch (error) {
    throw new MissingDuckDB(error);
  }
}

type Bindings = typeof import('@duckdb/node-bindings');

/** For whole vectors: the first package reads and writes them value by value. */
export async function loadForVectors(): Promise<{
  api: Awaited<ReturnType<typeof load>>;
  bindings: Bindings;
}> {
  const api = await load();
  const module: unknown = await import('@duckdb/node-bindings'); // whose types leave the default out
  return { api, bindings: (module as { default: Bindings }).default };
}

export type DuckSettings = { memoryMb: number; threads: number; spill?: string };

/**
 * DuckDB downloads nothing: extensions are neither installed nor loaded by themselves. It caches no files, because most are
 * read once; whole chunks of columns at a time take a sixth less of CPU than page by page.
 */
async function open({ memoryMb, threads, spill }: DuckSettings): Promise<DuckDBInstance> {
  const { DuckDBInstance } = await load();
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: `${memoryMb}MB`,
    threads: String(threads),
    temp_directory: spill ?? '',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    enable_external_file_cache: 'false',
  });
  await connected(instance, (duck) => duck.run('set global prefetch_all_parquet_files = true'));
  return instance;
}

async function connected<T>(instance: DuckDBInstance, work: (duck: Duck) => Promise<T>): Promise<T> {
  const duck = await instance.connect();
  try {
    return await work(duck);
  } finally {
    duck.disconnectSync();
  }
}

/** For commands that read whole months. Together with what they need in Node, memory stays below 1 GB. */
export const WHOLE_MONTHS = { memoryMb: 600, threads: 2 };

/** For a command: opens an instance, and closes it after `work`. */
export async function withDuck<T>(settings: DuckSettings, work: (duck: Duck) => Promise<T>): Promise<T> {
  const instance = await open(settings);
  try {
    return await connected(instance, work);
  } finally {
    instance.closeSync();
  }
}

type Shared = { turns: FairTurns; instance?: Promise<DuckDBInstance> | undefined };

const READERS = { places: 2, most: 1, waitTimeoutMs: 10_000 };
let readers: Shared | undefined;

/** For gateways: one instance for the whole process. Accounts take turns: of the two readers, one account has at most one. */
export async function withReader<T>(
  account: string | undefined,
  work: (duck: Duck) => Promise<T>,
): Promise<T> {
  readers ??= { turns: fairTurns(READERS) };
  const { turns } = readers;
  const turn = await turns.turn(account);
  try {
    return await connected(await instanceOf(readers), work);
  } finally {
    turns.leave(turn);
  }
}

async function instanceOf(of: Shared): Promise<DuckDBInstance> {
  of.instance ??= open({ memoryMb: 256, threads: 2 });
  try {
    return await of.instance;
  } catch (error) {
    of.instance = undefined;
    throw error;
  }
}

const MOST_THREADS = 4;
const SCAN_MEMORY_MB = 1_536;

let scanTimeoutMs = 15_000;

/** For gateways: scans have the time limit of statements. */
export function limitScans(timeoutMs: number): void {
  scanTimeoutMs = timeoutMs;
}

const LOOK_MS = 100;

/**
 * For gateways: runs statements that read whole files in an instance of its own, because an instance that stays open would
 * keep their memory. After the time limit of statements, or when nobody waits for the result any more, throws UNAVAILABLE.
 */
export async function withScanner<T>(isGone: () => boolean, work: (duck: Duck) => Promise<T>): Promise<T> {
  const threads = Math.min(MOST_THREADS, availableParallelism());
  return withDuck({ memoryMb: SCAN_MEMORY_MB, threads }, async (duck) => {
    const began = performance.now();
    let isOverdue = false;
    const timer = setInterval(() => {
      isOverdue ||= performance.now() - began > scanTimeoutMs || isGone();
      if (isOverdue) duck.interrupt();
    }, LOOK_MS);
    try {
      return await work(duck);
    } catch (cause) {
      throw isOverdue ? unavailable(undefined, Object.assign(cause as Error, { isOverdue })) : cause;
    } finally {
      clearInterval(timer);
    }
  });
}

export const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;

export async function rowsOf<Row>(
  duck: Duck,
  text: string,
  values: Record<string, string> = {},
): Promise<Row[]> {
  return (await duck.runAndReadAll(text, values)).getRowObjectsJS() as Row[];
}

/** The text of an expression that PostgreSQL and DuckDB read alike. DuckDB gets no values of requests in texts. */
export function duckdbText({ sql: text, values }: Sql): string {
  if (values.length > 0) throw new Error('an expression for DuckDB must not have parameters');
  return text.replaceAll(/\s+/g, ' ');
}
