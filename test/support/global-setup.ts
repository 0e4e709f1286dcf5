import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { pino } from 'pino';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../src/db/migrate/index.ts';
import { createPool } from '../../src/db/pool.ts';
import { loadSampleData } from '../../src/sample/load.ts';
import { SAMPLE_DATE } from './sample.ts';
import { inMemory, scratch } from './scratch.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A PostgreSQL with the template databases. */
    serverUrl: string;
    /** Names of the databases that those of the tests are cloned from. */
    templates: Record<Template, string>;
    /** The faster way to clone them: a disk is slow to copy files, and memory is slow to log what is copied. */
    cloning: 'file_copy' | 'wal_log';
  }
}

/** `large` is the sample data with a large operator; it is made when a test first needs it. */
export type Template = 'empty' | 'sample' | 'large';

/**
 * One real PostgreSQL for the whole run: the embedded one, or that of TEST_DATABASE_URL, which keeps the templates for
 * the next run with the same sources.
 */
export default async function setup(project: TestProject) {
  const folder = mkdtempSync(join(scratch, 'stakegraph-test-'));
  chmodSync(folder, 0o755);
  const embedded = process.env.TEST_DATABASE_URL
    ? undefined
    : await (await import('../../src/db/embedded/index.ts')).startEmbedded({ dataDir: folder });
  const serverUrl = (process.env.TEST_DATABASE_URL || embedded?.url) as string;
  if (embedded) await forgo(serverUrl, ['fsync', 'synchronous_commit', 'full_page_writes', 'autovacuum']);
  const made = sourcesHash();
  const templates = {
    empty: `template_empty_${made}`,
    sample: `template_sample_${made}`,
    large: `template_large_${made}`,
  };
  await makeTemplate(serverUrl, templates.empty, 'template1', migrate);
  await makeTemplate(serverUrl, templates.sample, templates.empty, loadSample);
  project.provide('runFolder', folder);
  project.provide('serverUrl', serverUrl);
  project.provide('templates', templates);
  project.provide('cloning', embedded && inMemory ? 'file_copy' : 'wal_log');
  return async () => {
    await embedded?.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}

/**
 * Turns settings of a server off: its data ends with the run, so that nothing has to outlive a crash, and no plan depends on
 * when a table was last analyzed by itself.
 */
async function forgo(serverUrl: string, settings: string[]) {
  const admin = new pg.Client({ connectionString: serverUrl });
  await admin.connect();
  for (const name of settings) await admin.query(`alter system set ${name} = off`);
  await admin.query('select pg_reload_conf()');
  await admin.end();
}

/** Changes with whatever a template is made by. */
function sourcesHash(): string {
  const root = fileURLToPath(new URL('../../src', import.meta.url));
  const hash = createHash('sha256');
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()) {
    if (/\.(ts|sql)$/.test(name) && /^(chain|db|ingest|kernel|resources|sample)\b/.test(name))
      hash.update(name).update(readFileSync(join(root, name)));
  }
  hash.update(readFileSync(new URL('large-operator.ts', import.meta.url)));
  return hash.digest('hex').slice(0, 12);
}

export async function makeTemplate(
  serverUrl: string,
  name: string,
  from: string,
  fill: (url: string) => Promise<unknown>,
) {
  const admin = new pg.Client({ connectionString: serverUrl });
  await admin.connect();
  try {
    // Two runs on one server make it once, and a run that was killed leaves no half of one.
    await admin.query('select pg_advisory_lock(41)');
    const { rowCount } = await admin.query('select from pg_database where datname = $1', [name]);
    if (rowCount) return;
    const draft = `${name}_draft`;
    await admin.query(`drop database if exists ${draft}`);
    await admin.query(`create database ${draft} template ${from}`);
    await fill(databaseUrl(serverUrl, draft));
    await admin.query(`alter database ${draft} rename to ${name}`);
  } finally {
    await admin.end();
  }
}

async function loadSample(url: string) {
  const pool = createPool({ url, readOnly: false });
  await loadSampleData(pool, pino({ level: 'silent' }), {
    lastDate: SAMPLE_DATE,
    attestations: { days: 60, hourDays: 3, entities: 3 },
  });
  await pool.query({ text: 'vacuum analyze', values: [] });
  await pool.end();
}

export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
