import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import type { Queryable } from '../pool.ts';

/** A file of functions, views and triggers, each statement of which may run again. */
export type Routines = { name: string; text: string; sha256: string };

const ROUTINES_TABLE = 'stakegraph_routines';

export async function readRoutines(dir: string): Promise<Routines[]> {
  const names = (await readdir(dir).catch(() => [])).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (file) => {
      const text = await readFile(join(dir, file), 'utf8');
      return { name: file.slice(0, -4), text, sha256: createHash('sha256').update(text).digest('hex') };
    }),
  );
}

type Table = 'missing' | 'readable' | 'forbidden';
async function tableIn(db: Queryable): Promise<Table> {
  const text = `select case when to_regclass($1) is null then 'missing'
    when has_table_privilege(to_regclass($1), 'select') then 'readable' else 'forbidden' end as state`;
  return (await db.query({ text, values: [ROUTINES_TABLE] })).rows[0]?.state as Table;
}

/** Returns routines that the database has in another form; none if the role may not read them, as `checkRoles` reports. */
export async function changedRoutines(db: Queryable, all: Routines[]): Promise<Routines[]> {
  const table = await tableIn(db);
  if (table !== 'readable') return table === 'missing' ? all : [];
  const { rows } = await db.query({ text: `select name, sha256 from ${ROUTINES_TABLE}`, values: [] });
  const applied = new Map(rows.map(({ name, sha256 }) => [name, sha256]));
  return all.filter(({ name, sha256 }) => applied.get(name) !== sha256);
}

/** To be called in a transaction. */
export async function applyRoutines(client: pg.ClientBase, changed: readonly Routines[]): Promise<void> {
  // A function may call one that comes after it.
  await client.query('set local check_function_bodies = off');
  if ((await tableIn(client)) === 'missing')
    await client.query(`create table ${ROUTINES_TABLE} (name text primary key, sha256 text not null)`);
  for (const { name, text, sha256 } of changed) {
    await client.query(text);
    await client.query(
      `insert into ${ROUTINES_TABLE} values ($1, $2) on conflict (name) do update set sha256 = excluded.sha256`,
      [name, sha256],
    );
  }
}
