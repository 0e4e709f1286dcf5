import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { datasetTables, privateTables, readsOf, untrackedTables } from '../../src/db/changes/datasets.ts';
import { importers } from '../../src/ingest/importers/index.ts';
import { eventually } from '../support/eventually.ts';
import { createDatabase, gatewayForTest, type TestDatabase } from '../support/gateway.ts';
import { importSlashings } from '../support/live-rows.ts';
import { slow } from '../support/thorough.ts';

/** Tables of the service's own, which hold neither data nor what accounts own. */
const internal =
  /^(sample_data|stakegraph_migrations|stakegraph_routines|compatible_migrations|imported_files|mirror_runs|mirror_state|mirror_usage|mirror_fruitless_shares|index_\w+|deposit_scans|waiting_deposits)$/;
/** Parts of a table by time are read as the table. */
const part = /_\d{4}(_\d{2})?$/;

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase('sample');
});
afterAll(() => database.drop());

describe('the datasets', () => {
  it('are those that can be imported', () => {
    expect(Object.keys(datasetTables).toSorted()).toEqual(Object.keys(importers).toSorted());
  });

  it('have every table and view that is neither private nor internal', async () => {
    const text = `select table_name as name from information_schema.tables where table_schema = 'public'`;
    const { rows } = await database.pool.query({ text, values: [] });
    const names = rows
      .map(({ name }) => name as string)
      .filter((name) => !internal.test(name) && !part.test(name));
    const known = new Set([...Object.values(datasetTables).flat(), ...privateTables, ...untrackedTables]);
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });

  it('that a view reads are each of those that it counts as', async () => {
    const { rows } = await database.pool.query({
      text: `with recursive reads as (
          select view_name::text as view, table_name::text as base from information_schema.view_table_usage
          where view_schema = 'public' and table_schema = 'public'
          union select r.view, u.table_name from reads r
          join information_schema.view_table_usage u on u.view_schema = 'public' and u.view_name = r.base
        ) select view, base from reads order by view, base`,
      values: [],
    });
    const datasetsOf = (table: string) =>
      Object.keys(datasetTables).filter((name) => datasetTables[name]?.includes(table));
    const missing = rows.flatMap(({ view, base }) =>
      datasetsOf(base as string)
        .filter((name) => !datasetsOf(view as string).includes(name))
        .map((name) => `${view} reads ${base} of ${name}`),
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(missing).toEqual([]);
  });

  it('are the names that a revision can be raised of', async () => {
    const raise = (name: string) =>
      database.pool.query({ text: 'select raise_revision($1)', values: [name] });
    for (const name of Object.keys(datasetTables)) await raise(name);
    await expect(raise('operator')).rejects.toThrow(/datasets_known/);
  });
});

describe('extensions.sample', () => {
  slow('names the datasets of a response into which nothing but the sample data was loaded', async () => {
    const gateway = await gatewayForTest();
    const sampleOf = async (query: string) => (await gateway.graphql(query)).json.extensions.sample;
    const slashings = '{ slashings(first: 1) { nodes { id } } }';
    expect(await sampleOf(slashings)).toEqual(['slashings']);
    expect(await sampleOf('{ blocks(first: 1) { nodes { id } } }')).toEqual(['blocks']);
    expect(await sampleOf('{ viewer { account } }')).toBeUndefined();
    await importSlashings(gateway, [17]);
    await eventually(async () => expect(await sampleOf(slashings)).toBeUndefined());
    const { data } = await gateway.graphql('{ datasets { name origins { network origin } } }');
    const origins = data.datasets.find((row: { name: string }) => row.name === 'slashings').origins;
    expect(origins).toContainEqual({ network: 'mainnet', origin: 'SAMPLE' });
    expect(origins).toContainEqual({ network: 'mainnet', origin: 'IMPORT' });
  });
});

describe('docs/data-model.md', () => {
  it('has every table', async () => {
    const text = readFileSync(new URL('../../docs/data-model.md', import.meta.url), 'utf8');
    const { rows } = await database.pool.query({
      text: `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
      values: [],
    });
    const told = (name: string) =>
      text.includes(`\`${name}\``) || /^stake_authority_|_(validator|network)_rewards$/.test(name);
    expect(rows.map(({ name }) => name as string).filter((name) => !part.test(name) && !told(name))).toEqual(
      [],
    );
  });
});

describe('what a statement reads', () => {
  it.each([...privateTables, ...untrackedTables].map((name) => [name]))(
    'is private with %s, whatever else it names',
    (name) => {
      expect(readsOf(`select from operator_summaries join ${name} using (x)`)).toEqual({
        datasets: ['operators'],
        isPrivate: true,
      });
    },
  );

  it('is public where it names tables of datasets only, and names within literals do not count', () => {
    expect(readsOf(`select 'accounts' from slashings join blocks using (slot)`)).toEqual({
      datasets: ['slashings', 'blocks'],
      isPrivate: false,
    });
  });

  it('is private where it names no dataset', () => {
    expect(readsOf('select now()')).toEqual({ datasets: [], isPrivate: true });
    expect(readsOf(`select 'slashings'`)).toEqual({ datasets: [], isPrivate: true });
  });

  it('never belongs to a dataset and to accounts', () => {
    const published = new Set(Object.values(datasetTables).flat());
    expect(privateTables.filter((name) => published.has(name))).toEqual([]);
  });
});
