import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSettings } from '../../src/config/index.ts';
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
});
afterAll(() => database.drop());
const call = (args: string[], more: Record<string, string> = {}) =>
  stakegraph(['retain', ...args], { env: { ...env, ...more } });
const run = (text: string) => database.pool.query({ text, values: [] }).then(({ rows }) => rows);

describe('stakegraph retain', () => {
  it('refuses wrong options and settings, and drops nothing by default', async () => {
    const lists = [[], ['--validator-days', '89d'], ['--blocks', '1y'], ['--slashings', '40d']];
    const outcomes = await stakegraphOfEach(
      lists.map((args) => ['retain', ...args]),
      { env },
    );
    expect(outcomes.map(({ code }) => code)).toEqual([2, 2, 2, 2]);
    for (const [at, message] of [
      'Nothing is dropped by default: give --validator-days 400d or the like, or set RETAIN.',
      'validator-days needs a number of days from 90d to 36500d',
      'blocks is "1y"; it needs a number of days with a d, like 400d, and at least 31d',
      "unknown option '--slashings'",
    ].entries())
      expect(outcomes[at]?.stderr).toContain(message);
    expect(() => readSettings({ RETAIN: 'blocks=10d' })).toThrow(
      'RETAIN is "blocks=10d"; blocks needs a number of days from 31d to 36500d',
    );
    expect(readSettings({ RETAIN: 'blocks=40d, validator-days=400d' }).RETAIN).toEqual({
      ...{ blocks: 40, 'validator-days': 400 },
    });
  });

  slow('drops by RETAIN and its options, tells each part in words or JSON, and records the run', async () => {
    const fill = (slot: string) => `insert into sync_committee_slots
      select 'mainnet', ${slot}, sync_committee('mainnet', '{1}', '{0}'), '{5}' from generate_series(0, 9) n`;
    await run('truncate sync_committee_slots, job_runs, kept_from');
    await run(fill('100 + n'));
    await run(fill('9000000 + n'));
    const dry = await call(['--sync-committee-rewards', '500d', '--dry-run']);
    expect([dry.code, dry.stderr]).toEqual([0, '']);
    expect(dry.stdout).toMatch(
      /^sync_committee_slots mainnet: would drop 10 rows, \d+\.\d MB, 2020-12-01 to before 2022-12-22\nIn all, it would drop about 10 rows, \d+\.\d MB\.\n$/,
    );
    expect(await run('select job from job_runs')).toEqual([]);
    const setting = { RETAIN: 'sync-committee-rewards=5000d,blocks=400d' };
    const { code, stdout } = await call(['--sync-committee-rewards', '500d', '--json'], setting);
    expect(code).toBe(0);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { dataset: 'blocks', rows: 0, state: 'nothing' },
      {
        dataset: 'sync-committee-rewards',
        network: 'mainnet',
        from: '2020-12-01',
        rows: 10,
        state: 'dropped',
      },
    ]);
    expect(await run('select min(slot)::int as slot from sync_committee_slots')).toEqual([
      { slot: 9_000_000 },
    ]);
    expect(await run('select job, outcome, row_count::int as rows from job_runs')).toEqual([
      { job: 'retain', outcome: 'success', rows: 10 },
    ]);
    expect(await run(`select action, subject, details from audit_log where action = 'retain'`)).toEqual([
      {
        action: 'retain',
        subject: expect.stringContaining('sync_committee'),
        details: { network: 'mainnet', before: expect.any(String), rows: 10 },
      },
    ]);
  });

  slow('tells an empty database, a refused month, and another process, which is no success', async () => {
    await run('truncate sync_committee_slots, job_runs, kept_from');
    const ages = ['--validator-days', '90d', '--sync-committee-rewards', '500d'];
    for (const more of [[], ['--dry-run']]) {
      const { code, stdout } = await call([...ages, ...more]);
      expect([code, stdout]).toEqual([
        0,
        'validator_days: no rows are stored\nsync_committee_slots: no rows are stored\n',
      ]);
    }
    await run('truncate job_runs');
    for (const date of ['2024-01-05', '2024-06-05'])
      await storeDays(database.pool, { from: date, until: `${date.slice(0, 9)}6`, validators: 1 });
    const refusal = 'the window all of mainnet does not have the sums of this month yet';
    const refused = await call(ages);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr).toContain(`validator_days_2024_01: kept: ${refusal}`);
    expect(refused.stderr).toContain('stakegraph: 1 part was not dropped.');
    const planned = await call([...ages, '--dry-run']);
    expect(planned).toMatchObject({ code: 1, stderr: 'stakegraph: 1 part would not be dropped.\n' });
    expect(planned.stdout).toContain(`validator_days_2024_01: would keep: ${refusal}`);
    await database.pool.withClient(async (client) => {
      await client.query(`select pg_advisory_lock(hashtext('stakegraph retain'))`);
      const passed = await call(ages);
      await client.query('select pg_advisory_unlock_all()');
      expect(passed).toMatchObject({ code: 1 });
      expect(passed.stdout).toContain('validator_days_2024_01: skipped, another process is dropping data');
      expect(passed.stderr).toContain('Another process is dropping data: try again when it has ended.');
    });
    expect(await run('select outcome from job_runs')).toEqual([{ outcome: 'failure' }]);
    await run('truncate validator_days, validator_day_dates');
  });

  slow('--every goes on until SIGTERM, and ends with 0', async () => {
    await run(`insert into sync_committee_slots
      select 'mainnet', 9000000, sync_committee('mainnet', '{1}', '{0}'), '{5}'`);
    const { child, output, outcome } = launch(
      ['retain', '--sync-committee-rewards', '500d', '--every', '1s'],
      { env },
    );
    await until(() => output.stdout.split('nothing before').length > 2, outcome);
    child.kill('SIGTERM');
    expect(await outcome).toMatchObject({ code: 0, stderr: '' });
  });
});
