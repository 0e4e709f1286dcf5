import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { datasetTables } from '../../src/db/datasets.ts';
import { importers } from '../../src/ingest/importers.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';

/** Tables of the service's own: nothing of them is published. */
const own =
  /^(accounts|tokens|usage|usage_batches|sample_data|stakegraph_migrations|datasets|imported_files|mirror_runs|mirror_state|mirror_usage|private_sets|private_set_members|idempotency_keys)$/;
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

  it('have every table and view that is published', async () => {
    const text = `select table_name as name from information_schema.tables where table_schema = 'public'`;
    const { rows } = await database.pool.query({ text, values: [] });
    const names = rows
      .map(({ name }) => name as string)
      .filter((name) => !own.test(name) && !part.test(name));
    const known = new Set(Object.values(datasetTables).flat());
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });
});
