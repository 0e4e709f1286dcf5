import pg from 'pg';
import { onTestFinished } from 'vitest';
import type { Settings } from '../../src/config/index.ts';
import { createPool } from '../../src/db/pool.ts';
import { waitTimeoutMs } from './deadlines.ts';
import { createDatabase, type Gateway, startGateway } from './gateway.ts';
import { stakegraph } from './process.ts';

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return await work(client).finally(() => client.end());
}

/** Rows of one statement, on a connection that no pool keeps open. */
export const ask = (url: string, text: string, values: unknown[] = []): Promise<any[]> =>
  connected(url, async (client) => (await client.query(text, values)).rows);

/** Written by migrations, so that no copy may write them. */
const bookkeeping = ['stakegraph_migrations', 'compatible_migrations', 'stakegraph_routines'];

/** Every table with rows of its own in the schema, and a digest of its rows in any order. */
export const contentsOf = (url: string): Promise<Record<string, string>> =>
  connected(url, async (client) => {
    const { rows } = await client.query(
      `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
    );
    const contents: Record<string, string> = {};
    for (const { relname: name } of rows) {
      if (bookkeeping.includes(name)) continue;
      const found = await client.query(
        `select count(*) || ' rows ' || coalesce(sum(hashtextextended(t::text, 0)::numeric), 0) as digest from ${name} t`,
      );
      contents[name] = found.rows[0].digest;
    }
    return contents;
  });

/** The names of the tables that have rows. */
export const filled = (contents: Record<string, string>): string[] =>
  Object.keys(contents).filter((name) => !contents[name]?.startsWith('0 '));

export const sequencesOf = (url: string): Promise<any[]> =>
  ask(url, `select sequencename, last_value from pg_sequences where schemaname = 'public' order by 1`);

/** The address of a database without any table, for one test. */
export async function blankDatabase(): Promise<string> {
  const { url, drop } = await createDatabase('empty');
  onTestFinished(drop);
  await ask(url, 'drop schema public cascade; create schema public');
  return url;
}

/** A gateway on a database that was copied or restored, for one test. */
export async function gatewayOn(url: string, settings: Partial<Settings> = {}): Promise<Gateway> {
  const pool = createPool({ url, readOnly: false, max: 2, waitTimeoutMs });
  const gateway = await startGateway({ database: { url, pool, drop: () => pool.end() }, settings });
  onTestFinished(async () => {
    await gateway.close();
    await pool.end();
  });
  return gateway;
}

export const copyTo = (from: string, to: string, ...flags: string[]) =>
  stakegraph(['copy-to', '--to-env', 'NEW_DATABASE_URL', ...flags], {
    env: { DATABASE_URL: from, NEW_DATABASE_URL: to },
  });
