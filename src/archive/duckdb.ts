import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { Refusal } from '../kernel/refusal.ts';

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

export type DuckSettings = { memoryMb: number; threads: number; spill?: string };

/** DuckDB downloads nothing: extensions are neither installed nor loaded by themselves. */
async function open({ memoryMb, threads, spill }: DuckSettings): Promise<DuckDBInstance> {
  const { DuckDBInstance } = await load();
  return DuckDBInstance.create(':memory:', {
    memory_limit: `${memoryMb}MB`,
    threads: String(threads),
    temp_directory: spill ?? '',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
}

/** Of a command: closed afterwards. */
export async function withDuck<T>(settings: DuckSettings, work: (duck: Duck) => Promise<T>): Promise<T> {
  const instance = await open(settings);
  try {
    const duck = await instance.connect();
    try {
      return await work(duck);
    } finally {
      duck.disconnectSync();
    }
  } finally {
    instance.closeSync();
  }
}

const READERS = 2;
const MAX_WAITING = 200;
let shared: Promise<DuckDBInstance> | undefined;
let running = 0;
const waiting: (() => void)[] = [];

/** Of readers: one instance in a process, which reads for two of them at a time. */
export async function reading<T>(work: (duck: Duck) => Promise<T>): Promise<T> {
  if (waiting.length >= MAX_WAITING)
    throw new Refusal('UNAVAILABLE', 'Too many requests wait for archived days. Try again later.', {
      headers: { 'retry-after': '5' },
    });
  if (running >= READERS) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    shared ??= open({ memoryMb: 256, threads: 2 });
    const instance = await shared.catch((error) => {
      shared = undefined;
      throw error;
    });
    const duck = await instance.connect();
    try {
      return await work(duck);
    } finally {
      duck.disconnectSync();
    }
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}

export const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;

export async function rowsOf<Row>(
  duck: Duck,
  text: string,
  values: Record<string, string> = {},
): Promise<Row[]> {
  return (await duck.runAndReadAll(text, values)).getRowObjectsJS() as Row[];
}
