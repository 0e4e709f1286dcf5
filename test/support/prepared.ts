import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { startEmbedded } from '../../src/db/embedded/index.ts';
import { migrate } from '../../src/db/migrate/index.ts';
import { dataDirForTest } from './process.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the run, removed at its end. */
    runFolder: string;
  }
}

const copy = (from: string, to: string) => execFileSync('cp', ['-a', from, to]);

/** A data folder whose database has all migrations and no rows, made once in a run: initdb and migrations take 3 s of CPU. */
async function preparedFolder(): Promise<string> {
  const prepared = join(inject('runFolder'), 'prepared');
  if (existsSync(prepared)) return prepared;
  const draft = mkdtempSync(`${prepared}-`);
  const server = await startEmbedded({ dataDir: draft });
  await migrate(server.url);
  await server.stop();
  rmSync(join(draft, 'postgres', 'server.log'));
  try {
    renameSync(draft, prepared);
  } catch (error) {
    if (!existsSync(prepared)) throw error;
    rmSync(draft, { recursive: true }); // another worker was faster
  }
  return prepared;
}

/**
 * Fills a data folder with an embedded database that has all migrations and no rows. All such databases have the same
 * system identifier, as replicas have.
 */
export async function prepare(dataDir: string): Promise<void> {
  copy(join(await preparedFolder(), 'postgres'), join(dataDir, 'postgres'));
}

/** A data folder for one test, with a database as of `prepare`; for tests that are not about its creation. */
export async function preparedForTest(): Promise<string> {
  const dataDir = dataDirForTest();
  await prepare(dataDir);
  return dataDir;
}
