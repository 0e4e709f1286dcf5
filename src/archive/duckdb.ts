import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { type FairTurns, fairTurns, type Turn } from '../kernel/fair-turns.ts';

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

async function connected<T>(instance: DuckDBInstance, work: (duck: Duck) => Promise<T>): Promise<T> {
  const duck = await instance.connect();
  try {
    return await work(duck);
  } finally {
    duck.disconnectSync();
  }
}

/** Of a command: closed afterwards. */
export async function withDuck<T>(settings: DuckSettings, work: (duck: Duck) => Promise<T>): Promise<T> {
  const instance = await open(settings);
  try {
    return await connected(instance, work);
  } finally {
    instance.closeSync();
  }
}

const READERS = { places: 2, most: 1, waitTimeoutMs: 10_000 };
let readers: { turns: FairTurns; instance?: Promise<DuckDBInstance> | undefined } | undefined;

/** Of gateways, with one instance in a process. Accounts take turns: of two readers, one account has at most one. */
export async function reading<T>(account: string | undefined, work: (duck: Duck) => Promise<T>): Promise<T> {
  readers ??= { turns: fairTurns(READERS) };
  const { turns } = readers;
  const turn = await new Promise<Turn>((resolve, reject) =>
    turns.enter(account, (refusal, given) => (given ? resolve(given) : reject(refusal))),
  );
  try {
    return await connected(await instanceOf(readers), work);
  } finally {
    turns.leave(turn);
  }
}

async function instanceOf(of: NonNullable<typeof readers>): Promise<DuckDBInstance> {
  of.instance ??= open({ memoryMb: 256, threads: 2 });
  try {
    return await of.instance;
  } catch (error) {
    of.instance = undefined;
    throw error;
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
