import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { dayOfDate } from '../../../src/chain/calendar.ts';
import { agesOf } from '../../../src/config/ages.ts';
import { createPool, transaction } from '../../../src/db/pool.ts';
import { sumDueMonth } from '../../../src/ingest/importers/validator-months.ts';
import { keptDate, type RetainReport, retain } from '../../../src/maintenance/retain/index.ts';
import { refreshed } from '../../refresh/facts.ts';
import { eventually } from '../../support/eventually.ts';
import { slow } from '../../support/thorough.ts';
import { short, useRetained, validatorDay } from './retained.ts';

const { gateway, run, load, sumMonths, retained, keptFrom } = useRetained();

const DATES = ['2024-11-20', '2024-12-30', '2025-01-09', '2025-02-08', '2025-04-19'];
const loadDays = async (dates = DATES) => {
  await load(
    'validator-days',
    dates.map((date) => validatorDay(date)),
  );
  await sumMonths();
};
const dates = () => run('select date::text as date from validator_days order by date');
const days = { 'validator-days': 90 };

const attestation = (date: string, hour?: number) => {
  const day = dayOfDate('mainnet', date);
  return {
    ...{ id: 'Lido', day, validatorCount: 10, startEpoch: day * 225, endEpoch: day * 225 + 9 },
    ...(hour === undefined ? {} : { hour: day * 24 + hour }),
    ...{ totalUniqueAttestations: '100', sumMissedAttestations: '0', sumMissedSyncSignatures: null },
    ...{ sumCorrectHead: '100', sumCorrectTarget: '100', sumCorrectSource: '100', sumWrongHeadVotes: '0' },
    ...{ sumWrongTargetVotes: '0', sumLateTargetVotes: '0', sumLateSourceVotes: '0' },
    ...{ avgAttesterEffectiveness: 99, sumInclusionDelay: '100', sumSyncSignatureCount: null },
    ...{ sumEndEpochBalance: '320', sumEndEpochEffectiveBalance: '320' },
  };
};
const hoursOn = (of: readonly string[]) => of.map((date) => attestation(date, 0));

describe('what is kept', () => {
  it.each([
    [90, '2025-05-10', '2025-06-01', '2025-02-10'],
    [90, '2025-05-10', '2025-04-30', '2025-01-31'],
    [1, '2025-05-10', '2025-05-10', '2025-05-10'],
  ])('of %i days on %s with data until %s begins on %s', (age, today, newest, kept) => {
    expect(keptDate(age, new Date(`${today}T13:00:00Z`), newest)).toBe(kept);
  });

  it.each([
    [['validator-days=400d', 'blocks=31d'], { 'validator-days': 400, blocks: 31 }],
    [['validator-days=89d'], 'validator-days needs a number of days from 90d to 36500d, because'],
    [['blocks=30d'], 'blocks needs a number of days from 31d'],
    [['blocks=400'], 'blocks is "400"; it needs a number of days with a d, like 400d, and at least 31d'],
    [['blocks=13months'], 'blocks is "13months"; it needs a number of days with a d'],
    [['slashings=9d'], 'comma-separated dataset=days is needed'],
    [['blocks=40d', 'blocks=50d'], 'blocks is given twice'],
    [[], 'it names no dataset'],
  ])('%j is read as %j', (items, expected) => {
    const read = agesOf(items);
    if (typeof expected === 'string') expect(read).toContain(expected);
    else expect(read).toEqual(expected);
  });
});

describe('months of days of validators', () => {
  it('older than the given days are dropped, with their dates, and the revision is raised', async () => {
    await loadDays();
    const [before] = await run(`select revision from datasets where name = 'validator-days'`);
    const told = await retained(days);
    expect(short(told)).toEqual(['validator_days_2024_11 dropped', 'validator_days_2024_12 dropped']);
    expect(told[0]).toMatchObject({ from: '2024-11-01', before: '2024-12-01', rows: 1 });
    expect(told[0]?.bytes).toBeGreaterThan(8_000);
    expect((await dates()).map(({ date }) => date)).toEqual(DATES.slice(2));
    expect(await run('select min(date)::text as date from validator_day_dates')).toEqual([
      { date: DATES[2] },
    ]);
    expect(await keptFrom()).toEqual([{ dataset: 'validator-days', network: 'mainnet', date: '2025-01-01' }]);
    const [after] = await run(`select revision from datasets where name = 'validator-days'`);
    expect(Number(after?.revision)).toBe(Number(before?.revision) + 2);
    expect(short(await retained(days))).toEqual(['validator_days nothing']);
  });

  it('have the date from which they are kept in the list of datasets, in the same statement', async () => {
    await loadDays();
    await retained(days);
    await run(`insert into kept_from values ('attestation-hours', 'hoodi', '2025-03-01')`);
    await run(`select raise_revision('attestations')`);
    gateway.statements.length = 0;
    const { data } = await gateway.graphql('{ datasets { name keptFrom { network facts date } } }');
    expect(gateway.statements).toEqual(['listDatasets']);
    const of = (name: string) => data.datasets.find((row: any) => row.name === name)?.keptFrom;
    expect(of('validator-days')).toEqual([
      { network: 'mainnet', facts: 'validator-days', date: '2025-01-01' },
    ]);
    expect(of('attestations')).toEqual([
      { network: 'hoodi', facts: 'attestation-hours', date: '2025-03-01' },
    ]);
    for (const { name, keptFrom } of data.datasets)
      if (!['validator-days', 'attestations'].includes(name)) expect(keptFrom).toEqual([]);
  });

  slow('stay in a dry run, which tells the same parts, rows and bytes', async () => {
    await loadDays();
    const planned = await retained(days, { dryRun: true });
    expect(short(planned)).toEqual([
      'validator_days_2024_11 would drop',
      'validator_days_2024_12 would drop',
    ]);
    expect(await dates()).toHaveLength(DATES.length);
    expect(await keptFrom()).toEqual([]);
    const plain = ({ state: _, seconds: __, ...report }: RetainReport) => report;
    expect((await retained(days)).map(plain)).toEqual(planned.map(plain));
  });

  it('stay while a refresh has not added them up for the window all, and the report says what to run', async () => {
    await loadDays();
    await run('update validator_months set due = true');
    const told = await retained(days);
    expect(told.map(({ state }) => state)).toEqual(['refused', 'refused']);
    expect(told.map(({ error }) => error)).toEqual([
      'the window all of mainnet does not have the sums of this month yet: run stakegraph refresh --windows all first.',
      'validator_days_2024_11 is older and was not dropped',
    ]);
    const planned = await retained(days, { dryRun: true });
    expect(planned.map(({ state }) => state)).toEqual(['would refuse', 'would refuse']);
    expect(planned[0]?.error).toBe(told[0]?.error);
    expect(await dates()).toHaveLength(DATES.length);
  });

  it('cannot be imported again: the refusal names the date, and nothing of the file is loaded', async () => {
    await loadDays();
    await retained(days);
    const rows = [validatorDay('2024-12-30'), validatorDay('2025-04-20')];
    await expect(load('validator-days', rows)).rejects.toThrow(
      '1 of the validator-days of mainnet are before 2025-01-01, and stakegraph retain has dropped validator-days before that date.',
    );
    expect((await dates()).map(({ date }) => date)).toEqual(DATES.slice(2));
    expect(await load('validator-days', rows.slice(1))).toMatchObject({ inserted: 1 });
  });

  it('in use are left after some attempts; readers that come meanwhile do not wait for long', async () => {
    await loadDays();
    const reader = new pg.Client({ connectionString: gateway.database.url });
    await reader.connect();
    onTestFinished(() => reader.end());
    await reader.query('begin; select count(*) from validator_days');
    const dropping = retained(days, { lockTimeoutMs: 50 });
    await run(`set statement_timeout = '20s'; select count(*) from validator_days`);
    const told = await dropping;
    expect(told.map(({ state }) => state)).toEqual(['failed', 'refused']);
    expect(told[0]?.error).toBe('it was in use at each of 3 attempts: try again later.');
    expect(await retained(days, { lockTimeoutMs: 50, tellAfterMs: 60 })).toMatchObject([
      { part: 'validator_days_2024_11', state: 'in use' },
      { part: 'validator_days_2024_11', state: 'failed' },
      { part: 'validator_days_2024_12', state: 'refused' },
    ]);
    await reader.query('commit');
    expect((await retained(days)).map(({ state }) => state)).toEqual(['dropped', 'dropped']);
  });

  slow.each([
    ['validator_days', 'validator-days', 90],
    ['attestation_hours', 'attestation-hours', 31],
  ])(
    'of %s that another process drops meanwhile are told, and the later ones are dropped',
    async (table, dataset, age) => {
      const [first, second] = [`${table}_2024_11`, `${table}_2024_12`];
      const { pool } = gateway.database;
      const meanwhile: typeof pool = {
        ...pool,
        async query(statement) {
          const found = await pool.query(statement);
          if (/partsOf/.test(statement.text)) await run(`drop table if exists ${first}`);
          return found;
        },
      };
      const told = (dryRun: boolean) => retained({ [dataset]: age }, { dryRun }, meanwhile);
      await loadDays();
      await load('attestations', hoursOn(DATES), { idType: 'pool' });
      // without statistics, its rows would be counted
      expect(short(await told(true))[0]).toBe(`${second} would drop`);
      for (const dryRun of [true, false]) {
        await loadDays();
        await load('attestations', hoursOn(DATES), { idType: 'pool' });
        await run('analyze');
        const drops = dryRun ? 'would drop' : 'dropped';
        expect(short(await told(dryRun)).slice(0, 2)).toEqual([`${first} gone`, `${second} ${drops}`]);
      }
    },
  );

  it('are passed over while another process drops data', async () => {
    await loadDays();
    const other = new pg.Client({ connectionString: gateway.database.url });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query(`select pg_advisory_lock(hashtext('stakegraph retain'))`);
    expect((await retained(days)).map(({ state }) => state)).toEqual(['passed', 'passed']);
    expect(await dates()).toHaveLength(DATES.length);
  });
});

describe('a month of days of validators that cannot be dropped', () => {
  const OLD = ['2025-02-11', '2025-05-05', '2025-06-05', '2025-07-05', '2025-08-09'];
  const NOW = { now: new Date('2025-08-10T00:00:00Z') };
  const stored = async () =>
    (await run('select date::text as date from validator_day_dates order by 1')).map(({ date }) => date);
  const sums = () =>
    run('select month::text as month, sum_correct_head as heads from validator_month_sums order by 1');
  const beside = async (older: string) => {
    expect(short(await retained(days, NOW))).toEqual([
      `validator_days_2025_01 ${older}`,
      'validator_days_2025_02 refused',
    ]);
    expect(await stored()).toContain('2025-01-10');
    expect(await keptFrom()).toEqual([]);
  };

  it('because it is not summed keeps the later ones, and is summed before it is dropped', async () => {
    await loadDays(OLD);
    await load('validator-days', [validatorDay('2025-01-10')]);
    await beside('refused');
    await sumMonths();
    expect(short(await retained(days, NOW))).toEqual([
      'validator_days_2025_01 dropped',
      'validator_days_2025_02 dropped',
    ]);
    expect((await sums()).slice(0, 2)).toEqual([
      { month: '2025-01-01', heads: 220 },
      { month: '2025-02-01', heads: 220 },
    ]);
  });

  it('because a refresh is just adding it up stays until the refresh has ended', async () => {
    await load(
      'validator-days',
      ['2025-01-10', ...OLD].map((date) => validatorDay(date)),
    );
    await transaction(gateway.database.pool, async (refresh) => {
      expect(await sumDueMonth(refresh, 'mainnet')).toBe(true);
      await beside('refused');
    });
    expect((await retained(days, NOW)).map(({ state }) => state)).toEqual(['dropped', 'refused']);
    expect(await sums()).toEqual([{ month: '2025-01-01', heads: 220 }]);
  });

  it('because a day was corrected stays until the correction is summed', async () => {
    await loadDays(['2025-01-10', ...OLD]);
    await load('validator-days', [validatorDay('2025-01-10', { sumCorrectHead: 100 })]);
    await beside('refused');
    await sumMonths();
    expect((await sums())[0]).toEqual({ month: '2025-01-01', heads: 100 });
  });

  it('because a view needs it keeps the later ones, and the message names the view', async () => {
    await loadDays(['2025-01-10', ...OLD]);
    await run('create view january as select * from validator_days_2025_01');
    await beside('failed');
    expect((await retained(days, NOW))[0]?.error).toMatch(
      /^cannot drop table validator_days_2025_01 .*: view january depends on table validator_days_2025_01$/,
    );
    const planned = await retained(days, { ...NOW, dryRun: true });
    expect(planned.map(({ state }) => state)).toEqual(['would refuse', 'would refuse']);
    expect(planned[0]?.error).toBe(
      'cannot drop table validator_days_2025_01 because other objects depend on it: view january',
    );
  });

  it('because its table belongs to another role is foreseen by a dry run', async () => {
    await loadDays(['2025-01-10', ...OLD]);
    await run('create role retainer in role pg_read_all_data, pg_write_all_data');
    onTestFinished(async () => void (await run('drop owned by retainer; drop role retainer')));
    await run('grant usage on schema public to retainer');
    const pool = createPool({
      url: `${gateway.database.url}&options=-c%20role%3Dretainer`,
      readOnly: false,
    });
    onTestFinished(() => pool.end());
    const planned: RetainReport[] = [];
    await retain(pool, { ages: days, ...NOW, dryRun: true }, (report) => planned.push(report));
    expect(planned[0]).toMatchObject({
      state: 'would refuse',
      error: 'the role of DATABASE_URL does not own table validator_days_2025_01',
    });
  });

  it('has its rows checked, not only its dates', async () => {
    await load(
      'validator-days',
      ['2025-01-10', ...OLD].map((date) => validatorDay(date)),
    );
    await run(`delete from validator_day_dates where date < '2025-02-01'`);
    expect((await retained(days, NOW))[0]).toMatchObject({
      part: 'validator_days_2025_01',
      state: 'refused',
    });
  });

  it('because attestations or rewards are not computed from it is named, unless they never will be', async () => {
    const owner = {
      validatorPubkey: `0x${'7'.padStart(96, '0')}`,
      depositAddress: `0x${'1'.padStart(40, '0')}`,
    };
    const row = { validatorIndex: 0, ...owner, withdrawalAddress: null, nodeOperator: null, pool: null };
    const validator = { ...row, activationEpoch: 0, exitEpoch: null, slashed: false };
    await load('validators', [validator]);
    const rows = ['2025-01-10', ...OLD].map((date) => validatorDay(date, { validatorIndex: 0 }));
    await load('validator-days', rows);
    await sumMonths();
    await beside('refused');
    const reason = async () => (await retained(days, NOW))[0]?.error;
    expect(await reason()).toBe(
      'attestations of mainnet and chain daily rewards of mainnet of this month are not computed yet: run stakegraph refresh first.',
    );
    expect((await retained(days, { ...NOW, dryRun: true }))[0]?.state).toBe('would refuse');
    await run(`insert into kept_from values ('attestation-days', 'mainnet', '2025-02-01')`);
    expect(await reason()).toBe(
      'chain daily rewards of mainnet of this month are not computed yet: run stakegraph refresh first.',
    );
    await run(`delete from kept_from`);
    await refreshed(gateway, { only: ['attestations'], networks: ['mainnet'] });
    expect(await reason()).toMatch(/^chain daily rewards of mainnet of this month/);
    // without days of another active validator, a refresh has no rewards of the day
    await load('validators', [
      { ...validator, validatorIndex: 1, validatorPubkey: `0x${'8'.padStart(96, '0')}` },
    ]);
    expect((await retained(days, NOW)).map(({ state }) => state)).toEqual(['dropped', 'dropped']);
  });

  it('leaves no entry in the audit log, and each dropped month has one', async () => {
    await loadDays(['2025-01-10', ...OLD]);
    const entries = () =>
      run(`select subject, details from audit_log where action = 'retain' order by entry_id`);
    const before = (await entries()).length;
    await run('create view january as select * from validator_days_2025_01');
    await beside('failed');
    expect(await entries()).toHaveLength(before);
    await run('drop view january');
    await retained(days, NOW);
    expect((await entries()).slice(before)).toEqual([
      { subject: 'validator_days_2025_01', details: { before: '2025-02-01', rows: 1 } },
      { subject: 'validator_days_2025_02', details: { before: '2025-03-01', rows: 1 } },
    ]);
  });

  it('because an import runs is told, and SIGTERM meanwhile drops nothing', async () => {
    await loadDays(['2025-01-10', ...OLD]);
    const other = new pg.Client({ connectionString: gateway.database.url });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query(`select pg_advisory_lock(hashtext('stakegraph dataset validator-days'))`);
    const stop = new AbortController();
    const reports: RetainReport[] = [];
    const options = { ages: days, dryRun: false, ...NOW, tellAfterMs: 20 };
    const dropping = retain(gateway.database.pool, options, (report) => reports.push(report), stop.signal);
    await eventually(() => expect(short(reports)).toEqual(['validator_days_2025_01 waiting']));
    stop.abort();
    await other.query('select pg_advisory_unlock_all()');
    await dropping;
    expect(short(reports)).toEqual(['validator_days_2025_01 waiting']);
    expect(await stored()).toHaveLength(6);
  });
});

describe('days are counted from the newest one', () => {
  const at = { now: new Date('2025-08-10T00:00:00Z') };
  const hoodi = (date: string) => {
    const day = dayOfDate('hoodi', date);
    return validatorDay('2025-01-01', {
      network: 'hoodi',
      day,
      startEpoch: day * 225,
      endEpoch: day * 225 + 224,
    });
  };

  it('not from the end of its month', async () => {
    await loadDays(['2025-02-28', '2025-03-05', '2025-05-01', '2025-06-03']);
    const july = { now: new Date('2025-07-15T00:00:00Z') };
    expect(await retained(days, july)).toMatchObject([{ part: 'validator_days_2025_02', state: 'dropped' }]);
    expect(await retained(days, july)).toMatchObject([{ state: 'nothing', before: '2025-03-06' }]);
  });

  it('of the network that ends first, which is named', async () => {
    await loadDays(['2025-03-20', '2025-05-01', '2025-06-01', '2025-08-09']);
    await load('validator-days', [hoodi('2025-03-20'), hoodi('2025-05-08')]);
    await sumMonths('hoodi');
    const [told] = await retained(days, at);
    expect(told).toMatchObject({
      ...{ table: 'validator_days', network: 'hoodi', state: 'held' },
      error: 'nothing is stored after 2025-05-08, so months that do not end before 2025-02-08 are kept',
    });
    await run(`delete from validator_days where network = 'hoodi'`);
    await run(`delete from validator_day_dates where network = 'hoodi'`);
    expect(short(await retained(days, at))).toEqual(['validator_days_2025_03 dropped']);
    expect(await keptFrom()).toEqual([{ dataset: 'validator-days', network: 'mainnet', date: '2025-04-01' }]);
    expect(await load('validator-days', [hoodi('2025-03-20')])).toMatchObject({ inserted: 1 });
  });

  it('of history of operators, whose dates before the dropped month stay', async () => {
    await run(`select operator_history_parts('{2025-02-01,2025-03-01,2025-08-01}')`);
    await run(`insert into operator_history_days select network, 'pool', '1d', date::date from (values
      ('mainnet', '2025-01-05'), ('mainnet', '2025-02-05'), ('mainnet', '2025-08-09'), ('hoodi', '2025-06-01')) v (network, date)`);
    expect(short(await retained({ 'operator-history': 61 }, at))).toEqual([
      'operator_history_2025_02 dropped',
      'operator_history_2025_03 dropped',
    ]);
    expect(await run('select date::text as date from operator_history_days order by 1')).toEqual(
      ['2025-01-05', '2025-06-01', '2025-08-09'].map((date) => ({ date })),
    );
    expect(await keptFrom()).toEqual([
      { dataset: 'operator-history', network: 'mainnet', date: '2025-03-01' },
    ]);
  });

  it('of history of stake authorities, which is of solana', async () => {
    await run(`select stake_authority_history_parts('{2025-02-01,2025-03-01,2025-08-01}')`);
    const ages = { 'stake-authority-history': 61 };
    expect(short(await retained(ages, at))).toEqual(['stake_authority_history nothing']);
    await run(
      `insert into stake_authority_history_days values ('1d', '2025-01-05'), ('7d', '2025-02-05'), ('1d', '2025-08-09')`,
    );
    await run(
      `insert into stake_authority_series (time_window, stake_authority) values ('7d', 'a') on conflict do nothing`,
    );
    await run(`insert into stake_authority_history (date, series, aggregate_validator_effectiveness, delegator_apy,
        network_penetration, delegated_stake)
      select date::date, (select min(series) from stake_authority_series), 1, 0.07, 0.1, 5
      from (values ('2025-02-05'), ('2025-08-09')) v (date)`);
    expect(short(await retained(ages, { ...at, dryRun: true }))).toEqual([
      'stake_authority_history_2025_02 would drop',
      'stake_authority_history_2025_03 would drop',
    ]);
    expect(short(await retained(ages, at))).toEqual([
      'stake_authority_history_2025_02 dropped',
      'stake_authority_history_2025_03 dropped',
    ]);
    expect(await run('select date::text as date from stake_authority_history')).toEqual([
      { date: '2025-08-09' },
    ]);
    expect(await run('select date::text as date from stake_authority_history_days order by 1')).toEqual(
      ['2025-01-05', '2025-08-09'].map((date) => ({ date })),
    );
    const kept = { date: '2025-03-01', network: 'solana' };
    expect(await keptFrom()).toEqual([{ dataset: 'stake-authority-history', ...kept }]);
    const { data } = await gateway.graphql('{ datasets { name keptFrom { network facts date } } }');
    const told = data.datasets.find(({ name }: { name: string }) => name === 'stake-authorities');
    expect(told.keptFrom).toEqual([{ facts: 'stake-authority-history', ...kept }]);
  });

  it('and a database without rows is told for each dataset', async () => {
    const ages = { 'validator-days': 90, 'attestation-hours': 31, 'operator-history': 61, blocks: 31 };
    for (const dryRun of [true, false]) {
      const told = await retained(ages, { dryRun });
      expect(short(told)).toEqual([
        'validator_days nothing',
        'attestation_hours nothing',
        'operator_history nothing',
        'blocks nothing',
      ]);
      expect(told.map(({ before }) => before)).toEqual([undefined, undefined, undefined, undefined]);
    }
  });
});

describe('attestations', () => {
  const options = { idType: 'pool' } as const;

  it('are counted from the newest day of the network that ends first', async () => {
    const rows = [attestation('2025-02-08'), attestation('2025-08-09')];
    const epochs = dayOfDate('hoodi', '2025-04-20');
    const hoodi = { network: 'hoodi', day: epochs, startEpoch: epochs * 225, endEpoch: epochs * 225 + 9 };
    await load('attestations', [...rows, { ...attestation('2025-02-08'), ...hoodi }], options);
    const now = new Date('2025-08-10T00:00:00Z');
    expect(short(await retained({ 'attestation-days': 31 }, { now }))).toEqual([
      'attestation_days hoodi held',
      'attestation_days_2025_02 dropped',
    ]);
    expect(await keptFrom()).toEqual([
      { dataset: 'attestation-days', network: 'mainnet', date: '2025-03-01' },
    ]);
  });

  it('by hour are dropped by month, and those by day stay', async () => {
    const rows = ['2025-02-08', '2025-04-19'].flatMap((date) => [attestation(date), attestation(date, 0)]);
    expect(await load('attestations', rows, options)).toMatchObject({ faults: [], inserted: 4 });
    expect(short(await retained({ 'attestation-hours': 31 }))).toEqual(['attestation_hours_2025_02 dropped']);
    expect(await run('select count(*)::int as n from attestation_days')).toEqual([{ n: 2 }]);
    await expect(load('attestations', rows, options)).rejects.toThrow(
      '1 of the attestations of mainnet are before 2025-03-01, and stakegraph retain has dropped attestation-hours',
    );
    const days = rows.filter((row) => !('hour' in row));
    expect(await load('attestations', days, options)).toMatchObject({ inserted: 0, updated: 0 });
  });
});
