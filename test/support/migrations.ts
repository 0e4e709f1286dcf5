import { fileURLToPath } from 'node:url';
import type { TestDatabase } from './gateway.ts';

/** Where the committed migrations are. */
export const migrationsFolder = fileURLToPath(new URL('../../src/db/migrations/', import.meta.url));
export const routinesFolder = fileURLToPath(new URL('../../src/db/routines/', import.meta.url));

/** Leaves a test's database without any table. */
export async function dropTables({ pool }: TestDatabase): Promise<void> {
  for (const text of ['drop schema public cascade', 'create schema public'])
    await pool.query({ text, values: [] });
}
