import { afterAll, beforeAll, expect, it } from 'vitest';
import { recordedJobs } from '../../src/indexer/recorded.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase('empty');
});
afterAll(() => database.drop());

it('an index records its epochs at most once a minute, its failure, and each publication', async () => {
  const jobs = recordedJobs(database.pool, 'hoodi', (error) => {
    throw error;
  });
  jobs.stored();
  jobs.stored();
  jobs.stored();
  jobs.published([], 2_000);
  jobs.published(['operators: no room'], 1_000);
  jobs.failed();
  await jobs.done();
  const { rows } = await database.pool.query({
    text: `select job, network, outcome, row_count::int as rows,
      round(extract(epoch from finished_at - started_at))::int as seconds from job_runs order by run_id`,
    values: [],
  });
  expect(rows).toEqual([
    { job: 'index', network: 'hoodi', outcome: 'success', rows: 1, seconds: 0 },
    { job: 'publish', network: 'hoodi', outcome: 'success', rows: 0, seconds: 2 },
    { job: 'publish', network: 'hoodi', outcome: 'failure', rows: 0, seconds: 1 },
    { job: 'index', network: 'hoodi', outcome: 'failure', rows: 2, seconds: 0 },
  ]);
});
