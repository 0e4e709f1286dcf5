import type pg from 'pg';
import { changeColumn, sinceColumn, spans as windows } from '../../db/change-columns.ts';
import type { Column, MergeOptions } from '../importer/importer.ts';
import { analyzeGrown, anyColumnDiffers, columnList, readyStaging, sameColumns } from './staging.ts';

/** `name` is the prefix of the tables' names. SQL in these fields refers to a staged row as `g`. */
export type HistoryTables = {
  name: 'operator' | 'stake_authority';
  key: readonly string[];
  scope: readonly string[];
  figures: readonly Column[];
  asOf: readonly Column[];
  date: string;
  where: string;
  /** SQL order of new series. Rows are stored in the same order. */
  order: string;
};

export const IMPORT_DATE = `(now() at time zone 'UTC')::date`;

/** The window `all` has no history, because it hardly changes from day to day. */
export const HAS_HISTORY = `g.time_window in (${windows.map((window) => `'${window}'`).join(', ')})`;

const spans = windows.map((window) => ({ window, days: Number.parseInt(window, 10) }));

export const changeColumns = (figures: readonly Column[]): Column[] =>
  spans.flatMap(({ window }) => [
    { name: sinceColumn(window), type: 'date' },
    ...figures.map(({ name, type }) => ({ name: changeColumn(name, window), type })),
  ]);

/** For each span, `since` has the day to compare with, or null. */
export type Published = { date: string; since: (string | null)[]; scopes: string[][] };

/** Adds how figures changed over each span, compared with the newest stored day that is one to two spans older. */
export async function stageChanges(client: pg.ClientBase, of: HistoryTables): Promise<Published[]> {
  const { name, key, scope, figures } = of;
  const added = [{ name: 'series', type: 'integer' }, ...changeColumns(figures)];
  const typed = (before: string) =>
    added.map((column) => `${before}${column.name} ${column.type}`).join(', ');
  const lists = await publishedLists(client, of);
  if (lists.length === 0) {
    await client.query(`/* stageChangeColumns */ alter table staged ${typed('add column ')}`);
    return lists;
  }
  const named = await client.query(
    `/* nameSeries */
    insert into ${name}_series (${columnList(key)}) select ${columnList(key, 'g')} from staged g
    where ${of.where} and not exists (select from ${name}_series s where ${sameColumns('s', 'g', key)})
    order by ${columnList(scope, 'g')}, ${of.order}`,
  );
  await analyzeGrown(client, `${name}_series`, named.rowCount ?? 0);
  // A second table takes half as long as an UPDATE of all rows.
  await client.query(
    `/* makeCompared */ create temp table compared (like staged, ${typed('')}) on commit drop`,
  );
  for (const { since, scopes } of lists) {
    const dates = since.filter((date) => date !== null);
    const joins: string[] = [];
    const changes = spans.flatMap(({ window }, at) => {
      if (!since[at]) return ['null', ...figures.map(() => 'null')];
      const then = `h_${window}`;
      joins.push(`left join ${name}_history ${then}
        on ${then}.series = s.series and ${then}.date = $${joins.length + 1}::date`);
      return [`${then}.date`, ...figures.map((figure) => `g.${figure.name} - ${then}.${figure.name}`)];
    });
    await client.query(
      `/* stageChanges */
      insert into compared select g.*, s.series, ${changes.join(', ')}
      from staged g left join ${name}_series s on ${sameColumns('s', 'g', key)} ${joins.join(' ')}
      where ${inScopes('g', scope, dates.length)}`,
      [...dates, ...columnsOfScopes(scope, scopes)],
    );
  }
  await client.query(
    `/* stageUnpublished */ insert into compared select g.* from staged g where not (${inScopes('g', scope, 0)})`,
    columnsOfScopes(
      scope,
      lists.flatMap((list) => list.scopes),
    ),
  );
  await client.query('/* replaceStaged */ drop table staged; alter table compared rename to staged');
  // The planner chooses nested loops for a new day, and this index makes them fast.
  await client.query('/* indexSeries */ create index on staged (series)');
  await readyStaging(client, key);
  return lists;
}

/** Without `is true`, PostgreSQL may plan a join that reads all staged rows once per scope. */
const inScopes = (alias: string, scope: readonly string[], before: number) =>
  `((${columnList(scope, alias)}) in (select * from unnest(${scope.map((_, at) => `$${before + at + 1}::text[]`).join(', ')}))) is true`;
const columnsOfScopes = (scope: readonly string[], scopes: readonly string[][]) =>
  scope.map((_, at) => scopes.map((one) => one[at]));

async function publishedLists(client: pg.ClientBase, of: HistoryTables): Promise<Published[]> {
  const { rows } = await client.query<{ date: string; since: (string | null)[]; scope: string[] }>(
    `/* publishedLists */
    select p.date::text, array[${columnList(of.scope, 'p')}] as scope, array[${spans
      .map(
        ({ days }) => `(
      select max(d.date)::text from ${of.name}_history_days d
      where ${sameColumns('d', 'p', of.scope)} and d.date between p.date - ${2 * days} and p.date - ${days})`,
      )
      .join(', ')}] as since
    from (
      select ${columnList(of.scope, 'g')}, max(${of.date}) as date from staged g where ${of.where}
      group by ${columnList(of.scope, 'g')}
    ) p`,
  );
  const lists = new Map<string, Published>();
  for (const { date, since, scope } of rows) {
    const name = [date, ...since].join();
    const list = lists.get(name) ?? { date, since, scopes: [] };
    lists.set(name, list);
    list.scopes.push(scope);
  }
  return [...lists.values()];
}

export async function writeHistory(
  client: pg.ClientBase,
  of: HistoryTables,
  lists: readonly Published[],
  { replace }: Pick<MergeOptions, 'replace'>,
): Promise<number> {
  const { name, scope } = of;
  const columns = [...of.figures, ...of.asOf];
  const names = columns.map((column) => column.name);
  let written = 0;
  const run = async (text: string, values: unknown[]) => {
    written += (await client.query(text, values)).rowCount ?? 0;
  };
  for (const { date, scopes } of lists) {
    const values = [date, ...columnsOfScopes(scope, scopes)];
    if (replace)
      await run(
        `/* removeHistory */
        delete from ${name}_history h using ${name}_series s
        where h.date = $1::date and h.series = s.series and ${inScopes('s', scope, 1)}
          and not exists (select from staged g where g.series = s.series)`,
        values,
      );
    await run(
      `/* changeHistory */
      update ${name}_history h set ${names.map((one) => `${one} = g.${one}`).join(', ')} from staged g
      where h.date = $1::date and h.series = g.series and ${inScopes('g', scope, 1)} and (${anyColumnDiffers('h', 'g', columns)})`,
      values,
    );
    const before = written;
    await client.query(`/* historyParts */ select ${name}_history_parts(array[$1::date])`, [date]);
    await run(
      `/* addHistory */
      insert into ${name}_history (date, series, ${columnList(names)})
      select $1::date, g.series, ${columnList(names, 'g')} from staged g
      where ${inScopes('g', scope, 1)} and g.series is not null
        and not exists (select from ${name}_history h where h.date = $1::date and h.series = g.series)
      order by g.series`,
      values,
    );
    const month = date.slice(0, 7).replace('-', '_');
    await analyzeGrown(client, `${name}_history_${month}`, written - before);
    await run(
      `/* addHistoryDays */
      insert into ${name}_history_days (date, ${columnList(scope)})
      select $1::date, l.* from unnest(${scope.map((_, at) => `$${at + 2}::text[]`).join(', ')}) as l
      on conflict do nothing`,
      values,
    );
  }
  return written;
}
