import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../src/db/migrate.ts';
import { createPool } from '../../src/db/pool.ts';
import { loadSampleData } from '../../src/ingest/sample.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A PostgreSQL with the template databases `template_empty` and `template_sample`. */
    serverUrl: string;
  }
}

/** One real PostgreSQL for the whole run: the embedded one, or that of TEST_DATABASE_URL. */
export default async function setup(project: TestProject) {
  const folder = mkdtempSync(join(tmpdir(), 'stakegraph-test-'));
  chmodSync(folder, 0o755);
  const embedded = process.env.TEST_DATABASE_URL
    ? undefined
    : await (await import('../../src/db/embedded/index.ts')).startEmbedded({ dataDir: folder });
  const serverUrl = (process.env.TEST_DATABASE_URL ?? embedded?.url) as string;
  await makeTemplate(serverUrl, 'template_empty', false);
  await makeTemplate(serverUrl, 'template_sample', true);
  project.provide('serverUrl', serverUrl);
  return async () => {
    await embedded?.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}

async function makeTemplate(serverUrl: string, name: string, sample: boolean) {
  const admin = new pg.Client({ connectionString: serverUrl });
  await admin.connect();
  await admin.query(`drop database if exists ${name}`);
  await admin.query(`create database ${name}`);
  await admin.end();
  const url = databaseUrl(serverUrl, name);
  await migrate(url);
  if (!sample) return;
  const pool = createPool({ url, readOnly: false });
  await loadSampleData(pool, pino({ level: 'silent' }), { days: 60, hourDays: 3, entities: 12 });
  await pool.query({ text: 'vacuum analyze', values: [] });
  await pool.end();
}

export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
