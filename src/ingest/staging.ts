import { once } from 'node:events';
import { stringify } from 'lossless-json';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Sql } from '../db/rows.ts';

/** A column of an importer's rows and its PostgreSQL type. */
export type Column = { name: string; type: string };

/** Names of columns as a list of SQL, of a table under an alias where one is given. */
export const columnList = (names: readonly string[], alias?: string): string =>
  names.map((name) => (alias ? `${alias}.${name}` : name)).join(', ');
/** That two tables have the same in these columns. */
export const sameColumns = (a: string, b: string, names: readonly string[]): string =>
  names.map((name) => `${a}.${name} = ${b}.${name}`).join(' and ');

const makeStaging = (client: pg.ClientBase, columns: readonly Column[]) =>
  client.query(
    `/* makeStaging */ create temp table staged (place integer, source text, ${columns
      .map(({ name, type }) => `${name} ${type}`)
      .join(', ')}) on commit drop`,
  );
const analyzeStaging = (client: pg.ClientBase) => client.query('/* analyzeStaging */ analyze staged');

/** Stages what a statement selects, which has the columns in their order. */
export async function stageSelected(
  client: pg.ClientBase,
  columns: readonly Column[],
  { text, values }: Sql,
): Promise<number> {
  await makeStaging(client, columns);
  const names = columns.map(({ name }) => name).join(', ');
  const staged = await client.query(`/* stageSelected */ insert into staged (${names}) ${text}`, values);
  await analyzeStaging(client);
  return staged.rowCount ?? 0;
}

/**
 * Where the checked rows of a source wait until all of them are read: the table `staged` of the transaction, filled by
 * COPY. `place` is a row's in its source, `source` its text where rejected rows are to be handed back.
 */
export async function openStaging(client: pg.ClientBase, columns: readonly Column[]) {
  const names = ['place', 'source', ...columns.map(({ name }) => name)];
  await makeStaging(client, columns);
  const copy = client.query(copyFrom(`/* fillStaging */ copy staged (${names.join(', ')}) from stdin`));
  // An error of the COPY reaches whoever writes or finishes next, and is no uncaught one before; nor is a second one.
  let broken: Error | undefined;
  copy.on('error', (error: Error) => (broken ??= error));
  const emitted = async (event: 'drain' | 'finish') => {
    if (broken) throw broken;
    await once(copy, event); // rejects on an error
  };
  return {
    async write(rows: readonly { place: number; source: string | null; row: Record<string, unknown> }[]) {
      let text = '';
      for (const { place, source, row } of rows) {
        text += `${place}\t${copyText(source)}`;
        for (const { name, type } of columns) {
          const value = row[name];
          const array = type.endsWith('[]') && Array.isArray(value);
          text += `\t${copyText(array ? arrayText(value) : value)}`;
        }
        text += '\n';
      }
      if (broken) throw broken;
      if (text !== '' && !copy.write(text)) await emitted('drain');
    },
    async finish() {
      copy.end();
      await emitted('finish');
      await analyzeStaging(client);
    },
    /** Ends the COPY without its rows; the transaction is to be rolled back. */
    abandon() {
      copy.destroy();
    },
  };
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** A value in the text form of COPY; lists and objects are JSON with the digits of their numbers. */
function copyText(value: unknown): string {
  if (value === null || value === undefined) return '\\N';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : (stringify(value) as string);
  return /[\\\t\n\r]/.test(text) ? text.replace(/[\\\t\n\r]/g, (char) => ESCAPES[char] as string) : text;
}

/** Texts as an array of PostgreSQL. */
const arrayText = (values: unknown[]): string =>
  `{${values.map((value) => `"${String(value).replace(/["\\]/g, '\\$&')}"`).join(',')}}`;

const MOST_FAULTS = 1_000;

/** Rows that are the same as an earlier one in these columns, with its place. Rows with null in one are not compared. */
export async function repeatedRows(
  client: pg.ClientBase,
  columns: readonly string[],
): Promise<{ place: number; first: number; source: string | null }[]> {
  if (columns.length === 0) return [];
  const { rows } = await client.query(
    `/* repeatedRows */
    select place, first, source from (
      select place, source, min(place) over (partition by ${columns.join(', ')}) as first
      from staged where ${columns.map((name) => `${name} is not null`).join(' and ')}
    ) as compared
    where place > first order by place limit ${MOST_FAULTS}`,
  );
  return rows;
}

/** What no two stored rows share beside their key. */
export type Unique = { table: string; key: readonly string[]; columns: readonly string[]; field: string };

/** Rows that have what a stored row of another key has, which the source does not change. */
export async function contradictingRows(
  client: pg.ClientBase,
  { table, key, columns }: Unique,
): Promise<{ place: number; stored: string; source: string | null }[]> {
  const { rows } = await client.query(
    `/* contradictingRows */
    select s.place, s.source, t.${key.at(-1)}::text as stored
    from staged s join ${table} t on ${sameColumns('t', 's', columns)} and not (${sameColumns('t', 's', key)})
    where not exists (select from staged o where ${sameColumns('o', 't', key)})
    order by place limit ${MOST_FAULTS}`,
  );
  return rows;
}

/** Takes rows out again. */
export async function dropStaged(client: pg.ClientBase, places: readonly number[]): Promise<void> {
  await client.query('/* dropStaged */ delete from staged where place = any($1::int[])', [places]);
}
