import { expect, it, onTestFinished } from 'vitest';
import { createDatabase } from '../support/gateway.ts';
import { stakegraph, stakegraphOfEach } from '../support/process.ts';

it('an import and a refresh record their runs, but not a dry run or an import of files that do not exist', async () => {
  const database = await createDatabase('empty');
  onTestFinished(() => database.drop());
  const env = { DATABASE_URL: database.url };
  const call = (args: string[], input?: string) =>
    stakegraph(args, { env, ...(input === undefined ? {} : { input }) });
  const balances = JSON.stringify([{ network: 'mainnet', epoch: 1, totalActiveBalance: 32_000_000_000 }]);
  const first = await call(['import', 'chain-balances', '-'], balances);
  expect([first.code, first.stderr]).toEqual([0, '']);
  expect((await call(['import', 'chain-balances', '-', '--dry-run'], balances)).code).toBe(0);
  expect((await call(['import', 'chain-balances', '-'], '[{"epoch":-1}]')).code).toBe(1);
  const others = await stakegraphOfEach(
    [
      ['import', 'chain-balances', '/none.json', '/tmp'],
      ['refresh', '--only', 'slashings', '--networks', 'mainnet'],
      ['refresh', '--windows', '7d', '--networks', 'mainnet'],
      ['refresh', '--networks', 'mainnet'],
    ],
    { env },
  );
  expect(others.map(({ code }) => code)).toEqual([1, 0, 0, 0]);
  const { rows } = await database.pool.query({
    text: 'select job, network, outcome, row_count::int as rows from job_runs order by run_id',
    values: [],
  });
  expect(rows.slice(0, 2)).toEqual([
    { job: 'import', network: '', outcome: 'success', rows: 1 },
    { job: 'import', network: '', outcome: 'failure', rows: 0 },
  ]);
  const run = { network: 'mainnet', outcome: 'success', rows: 0 };
  expect(rows.slice(2)).toEqual(
    ['partial-refresh', 'partial-refresh', 'refresh'].map((job) => ({ job, ...run })),
  );
});
