import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { migrate } from '../../src/db/migrate.ts';
import type { TestDatabase } from './gateway.ts';

/** Where the committed migrations are. */
export const migrationsFolder = fileURLToPath(new URL('../../src/db/migrations/', import.meta.url));

/** A folder of the committed migrations up to a number, for one test. */
export function committedTo(last: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'stakegraph-migrations-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (const file of readdirSync(migrationsFolder))
    if (file.endsWith('.sql') && file < `${last}_~`) cpSync(join(migrationsFolder, file), join(dir, file));
  return dir;
}

/** Leaves a test's database without any table. */
export async function dropTables({ pool }: TestDatabase): Promise<void> {
  for (const text of ['drop schema public cascade', 'create schema public'])
    await pool.query({ text, values: [] });
}

/** Makes a test's database as it was when this was the last migration. */
export async function migrateAnewTo(database: TestDatabase, last: string): Promise<void> {
  await dropTables(database);
  await migrate(database.url, committedTo(last));
}
