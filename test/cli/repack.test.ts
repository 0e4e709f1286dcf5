import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/eventually.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { launch, stakegraph, stakegraphOfEach } from '../support/process.ts';
import { storeDays } from '../support/stored-days.ts';
import { slow } from '../support/thorough.ts';

let database: TestDatabase;
let env: Record<string, string>;
beforeAll(async () => {
  database = await createDatabase('empty');
  env = { DATABASE_URL: database.url };
  for (const month of ['2025-01', '2025-02'])
    await storeDays(database.pool, { from: `${month}-01`, until: `${month}-21`, validators: 50 });
  await storeDays(database.pool, { from: '2025-06-01', until: '2025-06-03', validators: 1 });
});
afterAll(() => database.drop());
const call = (args: string[]) => stakegraph(['repack', ...args], { env });
const run = (text: string) => database.pool.query({ text, values: [] }).then(({ rows }) => rows);

describe('stakegraph repack', () => {
  it('refuses wrong options with 2', async () => {
    const lists = [['--months', '2025-13'], ['--months', '2025-01,'], ['--every', '1y'], ['--blocks']];
    const outcomes = await stakegraphOfEach(
      lists.map((args) => ['repack', ...args]),
      { env },
    );
    expect(outcomes.map(({ code }) => code)).toEqual([2, 2, 2, 2]);
    for (const [at, message] of [
      '"2025-13" is not a month like 2025-01.',
      '"" is not a month like 2025-01.',
      'A time from 1s to 7d is needed',
      "unknown option '--blocks'",
    ].entries())
      expect(outcomes[at]?.stderr).toContain(message);
  });

  slow(
    'tells each month in words or JSON, records the run, and ends with 1 if a month is refused',
    async () => {
      const dry = await call(['--dry-run']);
      expect([dry.code, dry.stderr]).toEqual([0, '']);
      expect(dry.stdout).toMatch(
        /^2025-01: would repack about 1000 rows, \d\.\d MB\n2025-02: would repack about 1000 rows, \d\.\d MB\n$/,
      );
      expect(await run('select job from job_runs')).toEqual([]);
      const wrong = await call(['--months', '2025-01,2025-03']);
      expect(wrong.code).toBe(1);
      expect(wrong.stderr).toBe(
        '2025-03: unchanged: no days of this month are stored\nstakegraph: 1 month was not repacked.\n',
      );
      expect(wrong.stdout).toMatch(
        /^2025-01: repacked 1000 rows, \d\.\d MB, in [\d.]+ s; readers were locked out for at most \d+ ms\n$/,
      );
      const done = await call(['--json']);
      expect([done.code, done.stderr]).toEqual([0, '']);
      const lines = done.stdout.trim().split('\n');
      expect(lines.map((line) => JSON.parse(line))).toMatchObject([
        { month: '2025-01', part: 'validator_days_2025_01', state: 'in order' },
        { month: '2025-02', part: 'validator_days_2025_02', rows: 1000, state: 'repacked' },
      ]);
      expect(await run('select job, outcome, row_count::int as rows from job_runs order by run_id')).toEqual([
        { job: 'repack', outcome: 'failure', rows: 1000 },
        { job: 'repack', outcome: 'success', rows: 1000 },
      ]);
    },
  );

  slow('tells that nothing is old enough or stored, and that another process is repacking', async () => {
    const empty = await createDatabase('empty');
    try {
      const of = (args: string[]) => stakegraph(['repack', ...args], { env: { DATABASE_URL: empty.url } });
      for (const args of [[], ['--dry-run']])
        expect(await of(args)).toMatchObject({ code: 0, stdout: 'validator_days: no days are stored\n' });
      await storeDays(empty.pool, { from: '2025-01-01', until: '2025-01-21', validators: 50 });
      expect((await of([])).stdout).toBe('validator_days: no month ends before 2024-10-23\n');
      await storeDays(empty.pool, { from: '2025-06-01', until: '2025-06-03', validators: 1 });
      await empty.pool.query({ text: 'truncate job_runs', values: [] });
      await empty.pool.withClient(async (client) => {
        await client.query(`select pg_advisory_lock(hashtext('stakegraph repack'))`);
        const skipped = await of([]);
        await client.query('select pg_advisory_unlock_all()');
        expect(skipped).toMatchObject({ code: 1 });
        expect(skipped.stderr).toContain('Another process is repacking');
      });
      expect((await empty.pool.query({ text: 'select from job_runs', values: [] })).rows).toEqual([]);
    } finally {
      await empty.drop();
    }
  });

  slow('killed in the middle leaves nothing behind, and --every goes on until SIGTERM', async () => {
    await run('drop table if exists validator_days_2024_12');
    await storeDays(database.pool, { from: '2024-12-01', until: '2024-12-21', validators: 50 });
    const leftovers = () => run(`select from pg_class where relname like 'repack%'`);
    const reading = database.pool.withClient(async (client) => {
      await client.query('begin; select count(*) from validator_days');
      const killed = launch(['repack'], { env });
      const waits = () =>
        run(
          `select from pg_stat_activity where query like '/* lockDays */%' and datname = current_database()`,
        );
      await until(async () => (await waits()).length > 0, killed.outcome);
      killed.child.kill('SIGKILL');
      await killed.outcome;
      await client.query('commit');
    });
    await reading;
    const { child, output, outcome } = launch(['repack', '--every', '1s'], { env });
    await until(() => output.stdout.split('2024-12: in order').length > 1, outcome);
    child.kill('SIGTERM');
    expect(await outcome).toMatchObject({ code: 0, stderr: '' });
    expect(output.stdout).toContain('2024-12: repacked 1000 rows');
    expect(await leftovers()).toEqual([]);
  });
});
