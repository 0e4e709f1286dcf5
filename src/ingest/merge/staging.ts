import { once } from 'node:events';
import { stringify } from 'lossless-json';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { join, type Sql, sql } from '../../db/rows.ts';
import { camel } from '../../kernel/names.ts';
import type { Column, Derived, Importer, Unique } from '../importer/importer.ts';
import { raiseMemory } from './memory.ts';

export type PlainTable = {
  name: string;
  key: readonly string[];
  columns: readonly Column[];
  /** Columns that identify the list from which `replace` removes rows. */
  scope: readonly string[];
  from?: string;
  /**
   * SQL over `t` that all staged rows fulfil, with parameters from the given number on. The planner prunes partitions by
   * ranges, but not by joined values.
   */
  within?: (first: number) => { text: string; values: unknown[] };
};

export const columnList = (names: readonly string[], alias?: string): string =>
  names.map((name) => (alias ? `${alias}.${name}` : name)).join(', ');
export const sameColumns = (a: string, b: string, names: readonly string[]): string =>
  names.map((name) => `${a}.${name} = ${b}.${name}`).join(' and ');

/** Types in which equal values have equal text, unlike numeric 1.50 and 1.5. */
const exactTypes = new Set(['smallint', 'int', 'integer', 'bigint', 'boolean', 'date', 'text', 'text[]']);
/** SQL that is true if a value or its digits differ. */
export const anyColumnDiffers = (a: string, b: string, columns: readonly Column[]): string =>
  columns
    .map(({ name, type }) => (exactTypes.has(type) ? name : `${name}::text`))
    .map((value) => `${a}.${value} is distinct from ${b}.${value}`)
    .join(' or ');

const makeStaging = (client: pg.ClientBase, columns: readonly Column[]) =>
  client.query(
    `/* makeStaging */ ${raiseMemory('work_mem', 'maintenance_work_mem')};
    create temp table staged (place integer, source text, ${columns
      .map(({ name, type }) => `${name} ${type === 'text' ? 'text collate "C"' : type}`)
      .join(', ')}) on commit drop`,
  );

/**
 * The planner chooses nested loops for tables that grew since their last ANALYZE. The index makes them fast, and shows
 * whether rows repeat a key.
 */
export async function readyStaging(client: pg.ClientBase, key: readonly string[]): Promise<void> {
  if (key.length > 0) {
    const columns = key.map((column) => `(${column})`).join(', ');
    await client.query(
      `/* indexStaging */ do $$ begin
        create unique index on staged (${columns});
      exception when unique_violation then
        create index on staged (${columns});
      end $$`,
    );
  }
  await client.query(
    '/* analyzeStaging */ set local default_statistics_target = 10; analyze staged; set local default_statistics_target to default',
  );
}

/**
 * The planner prunes partitions by ranges, but not by joined dates. A list would repeat the lookups of index scans. The
 * ranges leave out months without dates.
 */
export function withinDates(
  column: string,
  dates: readonly string[],
  first = 1,
): { text: string; values: string[] } {
  const values: string[] = [];
  for (const date of [...new Set(dates)].toSorted()) {
    const last = values.at(-1);
    if (last === undefined || monthNumber(date) - monthNumber(last) > 1) values.push(date, date);
    else values[values.length - 1] = date;
  }
  const range = (at: number) => `${column} between $${at + first}::date and $${at + first + 1}::date`;
  const ranges = values.flatMap((_, at) => (at % 2 === 0 ? [range(at)] : []));
  return { text: ranges.length > 0 ? `(${ranges.join(' or ')})` : 'false', values };
}

const monthNumber = (date: string): number => Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7));

export async function hasRepeatedKeys(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query(
    `/* hasRepeatedKeys */ select from pg_index where indrelid = 'staged'::regclass and not indisunique`,
  );
  return rows.length > 0;
}

type Staged<Name extends string = string> = { columns: readonly Column<Name>[]; key: readonly string[] };

export type Selected<Name extends string> = { with?: Sql; columns: Record<Name, Sql>; from: Sql };

export async function stageSelected<Name extends string>(
  client: pg.ClientBase,
  { columns, key }: Staged<Name>,
  selections: readonly Selected<Name>[],
): Promise<number> {
  await makeStaging(client, columns);
  let rows = 0;
  for (const selected of selections) {
    const names = Object.keys(selected.columns) as Name[];
    const list = join(names.map((name) => selected.columns[name]));
    const { text, values } = sql`${selected.with ?? sql``} select ${list} ${selected.from}`;
    const insert = `/* stageSelected */ insert into staged (${columnList(names)}) ${text}`;
    rows += (await client.query(insert, values)).rowCount ?? 0;
  }
  await readyStaging(client, key);
  return rows;
}

export type StagedRow<Row> = { place: number; source: string | null; row: Row };

export const copyFields = <Row>(columns: readonly Column[], derived: Derived<Row> = {}) =>
  columns.map(({ name, type }) => {
    const field = camel(name);
    const read = derived[field] ?? ((row: Row) => row[field as keyof Row]);
    const isArray = type.endsWith('[]');
    const text = (row: Row) => {
      const value = read(row);
      return copyText(isArray && Array.isArray(value) ? arrayText(value) : value);
    };
    return { field, isList: isArray || type === 'json', text };
  });

export function copyLines<Row>(
  columns: readonly Column[],
  derived: Derived<Row> = {},
): (rows: readonly StagedRow<Row>[]) => string {
  const fields = copyFields(columns, derived);
  return (rows) => {
    let text = '';
    for (const { place, source, row } of rows) {
      text += `${place}\t${copyText(source)}`;
      for (const field of fields) text += `\t${field.text(row)}`;
      text += '\n';
    }
    return text;
  };
}

export async function openStaging<Row>(
  client: pg.ClientBase,
  { columns, key, derived }: Pick<Importer<Row>, 'columns' | 'key' | 'derived'>,
) {
  const names = ['place', 'source', ...columns.map(({ name }) => name)];
  const linesOf = copyLines(columns, derived);
  await makeStaging(client, columns);
  const copy = client.query(copyFrom(`/* fillStaging */ copy staged (${names.join(', ')}) from stdin`));
  // An unhandled error event would crash the process. The next `write` or `finish` throws the error.
  let broken: Error | undefined;
  copy.on('error', (error: Error) => (broken ??= error));
  const emitted = async (event: 'drain' | 'finish') => {
    if (broken) throw broken;
    await once(copy, event);
  };
  return {
    write(rows: readonly StagedRow<Row>[]) {
      return this.send(linesOf(rows));
    },
    async send(lines: string | Buffer) {
      if (broken) throw broken;
      if (lines.length > 0 && !copy.write(lines)) await emitted('drain');
    },
    async finish() {
      copy.end();
      await emitted('finish');
      await readyStaging(client, key);
    },
    /** Aborts the COPY; the caller must roll back. */
    abandon() {
      copy.destroy();
    },
  };
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function copyText(value: unknown): string {
  if (value === null || value === undefined) return '\\N';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : (stringify(value) as string);
  return /[\\\t\n\r]/.test(text) ? text.replace(/[\\\t\n\r]/g, (char) => ESCAPES[char] as string) : text;
}

const arrayText = (values: unknown[]): string =>
  `{${values.map((value) => `"${String(value).replace(/["\\]/g, '\\$&')}"`).join(',')}}`;

const arePresent = (columns: readonly string[]) =>
  columns.map((column) => `${column} is not null`).join(' and ');

/** True if a staged row has a value in all of `columns`. */
export async function hasPresent(client: pg.ClientBase, columns: readonly string[]): Promise<boolean> {
  const { rows } = await client.query(
    `/* hasPresent */ select from staged where ${arePresent(columns)} limit 1`,
  );
  return rows.length > 0;
}

/** SQL for rows that repeat an earlier row; `other` is the place of the earlier row. Rows with nulls never repeat. */
export function repeatedRows(columns: readonly string[]): string {
  if (columns.length === 0) return '';
  const named = columns.map((column, index) => `${column} as key_${index}`);
  const same = columns.map((column, index) => `${column} = key_${index}`);
  return `
    select place, earliest::text as other, source
    from staged join (
      select ${named.join(', ')}, min(place) as earliest from staged
      where ${arePresent(columns)} group by ${columns.join(', ')} having count(*) > 1
    ) as repeated on ${same.join(' and ')}
    where place > earliest`;
}

/**
 * SQL for rows that violate `columns`: a stored row with another key has the same values, and no staged row replaces
 * that stored row. `other` is the last key column of the stored row.
 */
export const contradictingRows = ({ table, key, columns }: Unique): string => `
    select s.place, t.${key.at(-1)}::text as other, s.source
    from (select * from staged where ${arePresent(columns)}) s
    join ${table} t on ${sameColumns('t', 's', columns)} and not (${sameColumns('t', 's', key)})
    where not exists (select from staged o where ${sameColumns('o', 't', key)})`;

const AT_ONCE = 1_000;

export type TakenRow = { place: number; other: string; source: string | null };

export async function* takeStaged(client: pg.ClientBase, query: string): AsyncGenerator<TakenRow[]> {
  const taken = await client.query(`/* takeStaged */ create temp table taken on commit drop as ${query}`);
  if (taken.rowCount !== 0) {
    await client.query('/* readTaken */ declare taken_rows cursor for select * from taken order by place');
    for (;;) {
      const { rows } = await client.query<TakenRow>(`/* nextTaken */ fetch ${AT_ONCE} from taken_rows`);
      if (rows.length === 0) break;
      yield rows;
    }
    await client.query('/* endTaken */ close taken_rows');
    await client.query('/* dropStaged */ delete from staged using taken where staged.place = taken.place');
  }
  await client.query('/* dropTaken */ drop table taken');
}

const MIN_GROWTH = 1_000;

/**
 * Leaves only hash joins if more rows are staged than `ratio` times those that `tables` had when they were analyzed.
 * `anyJoins` allows the others again.
 */
export const hashedIfGrowing = (client: pg.ClientBase, tables: readonly string[], ratio = 10) =>
  client.query(
    `/* hashedIfGrowing */
    select set_config(other_join, 'off', true)
    from unnest(array['enable_nestloop', 'enable_mergejoin']) as other_join, pg_class s
    where s.oid = 'staged'::regclass and s.reltuples >= ${MIN_GROWTH} and s.reltuples > $2::float8 * (
      select sum(greatest(t.reltuples, 0)) from pg_class t where t.oid = any($1::regclass[])
    )`,
    [tables, ratio],
  );

export const anyJoins = (client: pg.ClientBase) =>
  client.query('/* anyJoins */ set local enable_nestloop to default; set local enable_mergejoin to default');

/** Analyzes a table that grew by over a tenth, because autovacuum runs too late for this transaction. */
export async function analyzeGrown(client: pg.ClientBase, table: string, written: number): Promise<void> {
  if (written < MIN_GROWTH) return;
  const { rows } = await client.query<{ known: number }>(
    '/* analyzedRows */ select reltuples::float8 as known from pg_class where oid = $1::regclass',
    [table],
  );
  if (written > (rows[0]?.known ?? 0) / 10) await client.query(`/* analyzeGrown */ analyze ${table}`);
}

/**
 * Analyzes a table whose statistics have fewer rows than pages. The planner would expect a single row, and join two tables of
 * a million rows by nested loops. A VACUUM during a load leaves such statistics: it counts the pages of a transaction that
 * has not ended, but not its rows.
 */
export async function analyzeMiscounted(client: pg.ClientBase, table: string): Promise<void> {
  const { rows } = await client.query(
    `/* isMiscounted */ select from pg_class where oid = $1::regclass and reltuples between 0 and relpages - 1`,
    [table],
  );
  if (rows.length > 0) await client.query(`/* analyzeMiscounted */ analyze ${table}`);
}
