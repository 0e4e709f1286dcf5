import pg from 'pg';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { dayOfDate } from '../../src/chain/calendar.ts';
import { useLayout } from '../../src/db/distributed/layout.ts';
import { type RepackReport, repack } from '../../src/maintenance/repack/index.ts';
import { orderOf } from '../../src/maintenance/repack/order.ts';
import { until } from '../support/eventually.ts';
import { useGateway } from '../support/gateway.ts';
import { importText } from '../support/import.ts';
import { storeDays } from '../support/stored-days.ts';
import { slow } from '../support/thorough.ts';

const gateway = useGateway({ template: 'empty' });
const run = (text: string) => gateway.database.pool.query({ text, values: [] }).then(({ rows }) => rows);

const PART = 'validator_days_2025_01';
const NEXT = 'validator_days_2025_02';
const NOW = new Date('2025-06-01T00:00:00Z');

beforeEach(async () => {
  await run('drop view if exists of_january');
  const parts = await run(
    `select inhrelid::regclass::text as part from pg_inherits where inhparent = 'validator_days'::regclass`,
  );
  for (const { part } of parts) await run(`drop table ${part}`);
  await run('truncate validator_day_dates, datasets');
  for (const utc of [false, true])
    await storeDays(gateway.database.pool, { from: '2025-01-01', until: '2025-03-01', validators: 60, utc });
  await storeDays(gateway.database.pool, { from: '2025-05-25', until: '2025-05-31', validators: 3 });
});

async function repacked(options: object = {}): Promise<RepackReport[]> {
  const reports: RepackReport[] = [];
  const { pool, url } = gateway.database;
  const given = { dryRun: false, now: NOW, pauseMs: 10, attempts: 3, ...options };
  await repack({ pool, url }, given, (report) => reports.push(report));
  return reports;
}
const states = (reports: RepackReport[]) => reports.map(({ month, state }) => `${month} ${state}`);

const rowsOf = (table: string) =>
  run(`select count(*)::int as rows, sum(hashtextextended(t::text, 0))::text as hash from ${table} t`);

/** What the catalogue says about a part, without its name. */
async function catalogueOf(part: string) {
  const [found] = await run(`
    select c.relkind, c.relpersistence, c.relreplident, c.relrowsecurity, c.relispartition, c.relhasindex,
      c.reloptions, pg_get_userbyid(c.relowner) as owner, c.relacl::text as acl, c.reltablespace::int as space,
      array(select row(attname, format_type(atttypid, atttypmod), attnotnull, attcollation, attstorage, attcompression,
          attstattarget, pg_get_expr(adbin, adrelid))::text
        from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
        where attrelid = c.oid and attnum > 0 and not attisdropped order by attnum) as columns,
      array(select row(k.conname, k.contype, k.convalidated, k.conislocal, k.coninhcount, p.relname, pg_get_constraintdef(k.oid))::text
        from pg_constraint k left join pg_constraint up on up.oid = k.conparentid left join pg_class p on p.oid = up.conrelid
        where k.conrelid = c.oid order by k.conname) as constraints,
      array(select row(pg_get_indexdef(x.indexrelid), indisprimary, indisvalid, indisreplident, i.reloptions, up.relname)::text
        from pg_index x join pg_class i on i.oid = x.indexrelid
        left join pg_inherits h on h.inhrelid = i.oid left join pg_class up on up.oid = h.inhparent
        where x.indrelid = c.oid order by i.relname) as indexes
    from pg_class c where c.oid = '${part}'::regclass`);
  return JSON.parse(JSON.stringify(found).replaceAll(part, 'PART'));
}

/** Pages on which the rows of a validator lie. */
const pagesOfValidators = async (part: string) =>
  Number(
    (
      await run(`select max(pages) as pages from (
        select count(distinct (ctid::text::point)[0]) as pages from ${part} group by validator_index) p`)
    )[0]?.pages,
  );

describe('repack', () => {
  slow(
    'writes past months in the order of validators, and changes no row, revision or other month',
    async () => {
      const before = { january: await rowsOf(PART), all: await rowsOf('validator_days') };
      const recent = await run(`select 'validator_days_2025_05'::regclass::oid`);
      const spread = await pagesOfValidators(PART);
      expect(await orderOf(gateway.database.pool, PART)).toBeLessThan(0.1);
      const told = await repacked();
      expect(states(told)).toEqual(['2025-01 repacked', '2025-02 repacked']);
      expect(told[0]).toMatchObject({ part: PART, rows: 60 * 31 * 2 });
      expect(await orderOf(gateway.database.pool, PART)).toBe(1);
      expect(await pagesOfValidators(PART)).toBeLessThanOrEqual(3);
      expect(spread).toBeGreaterThan(10);
      expect({ january: await rowsOf(PART), all: await rowsOf('validator_days') }).toEqual(before);
      expect(await run(`select 'validator_days_2025_05'::regclass::oid`)).toEqual(recent);
      expect(await run('select * from datasets')).toEqual([]);
      const [stored] = await run(
        `select array_agg(row(validator_index, utc, date)::text) = array_agg(row(validator_index, utc, date)::text order by validator_index, utc, date) as sorted
      from (select * from ${PART} order by ctid) t`,
      );
      expect(stored).toEqual({ sorted: true });
    },
  );

  slow('leaves months in order alone, until days out of order are many', async () => {
    await repacked();
    const oid = () => run(`select '${PART}'::regclass::oid`);
    const before = await oid();
    expect(states(await repacked())).toEqual(['2025-01 in order', '2025-02 in order']);
    expect(await oid()).toEqual(before);
    const correct = (dates: string) =>
      run(
        `with d as (delete from ${PART} where date in (${dates}) returning *) insert into ${PART} select * from d order by date`,
      );
    await correct(`'2025-01-07'`);
    expect(states(await repacked())).toEqual(['2025-01 in order', '2025-02 in order']);
    await correct(Array.from({ length: 12 }, (_, day) => `'2025-01-${String(day + 10)}'`).join(', '));
    expect(states(await repacked())).toEqual(['2025-01 repacked', '2025-02 in order']);
  });

  slow(
    'gives the new part the columns, constraints, indexes, privileges and options of the old one',
    async () => {
      await run(`alter table ${PART} set (autovacuum_vacuum_scale_factor = 0.05, fillfactor = 90)`);
      await run(`grant select on ${PART} to public`);
      await run(`create index own_index on ${PART} (end_epoch) where not utc`);
      const before = await catalogueOf(PART);
      const untouched = await catalogueOf(NEXT);
      expect(states(await repacked({ months: ['2025-01', '2025-02'] }))).toEqual([
        '2025-01 repacked',
        '2025-02 repacked',
      ]);
      expect(await catalogueOf(PART)).toEqual(before);
      expect(await catalogueOf(NEXT)).toEqual(untouched);
      const [statistics] =
        await run(`select c.reltuples::int as rows, c.relallvisible > c.relpages / 2 as visible,
      (select count(*)::int from pg_stats where tablename = '${PART}' and attname = 'validator_index') as known
      from pg_class c where c.oid = '${PART}'::regclass`);
      expect(statistics).toEqual({ rows: 60 * 31 * 2, visible: true, known: 1 });
      await run('drop index own_index');
    },
  );

  it('lets a transaction with an older snapshot read all rows afterwards', async () => {
    const older = await connected();
    await older.query('begin isolation level repeatable read; select count(*) from validators');
    expect(states(await repacked())).toContain('2025-01 repacked');
    const { rows } = await older.query(`select count(*)::int as rows from ${PART}`);
    expect(rows).toEqual([{ rows: 60 * 31 * 2 }]);
  });

  it('tells the months in a dry run, and changes nothing', async () => {
    const before = await run(`select '${PART}'::regclass::oid`);
    const told = await repacked({ dryRun: true });
    expect(states(told)).toEqual(['2025-01 would repack', '2025-02 would repack']);
    expect(told[0]?.bytes).toBeGreaterThan(100_000);
    expect(await run(`select '${PART}'::regclass::oid`)).toEqual(before);
  });

  it('refuses months that are not stored or have not ended', async () => {
    await storeDays(gateway.database.pool, { from: '2025-04-01', until: '2025-04-03', validators: 3 });
    const told = await repacked({ months: ['2024-12', '2025-04', '2025-05'], now: new Date('2025-05-02') });
    expect(told.map(({ month, state, error }) => [month, state, error])).toEqual([
      ['2024-12', 'refused', 'no days of this month are stored'],
      ['2025-04', 'refused', expect.stringContaining('days of it may still be imported')],
      ['2025-05', 'refused', expect.stringContaining('days of it may still be imported')],
    ]);
    expect(states(await repacked({ months: ['2025-04'], now: new Date('2025-05-05') }))).toEqual([
      '2025-04 repacked',
    ]);
  });
});

describe('in a database with distributed days, repack', () => {
  it('is refused', async () => {
    onTestFinished(() => useLayout('plain'));
    useLayout('distributed');
    await expect(repacked()).rejects.toThrow('stakegraph repack does not support a database in which Citus');
  });
});

async function connected(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: gateway.database.url });
  client.on('error', () => undefined);
  await client.connect();
  onTestFinished(() => client.end().catch(() => undefined));
  return client;
}

const waitingFor = async (name: string) =>
  (
    await run(`select from pg_stat_activity where wait_event_type = 'Lock' and query like '%${name}%'
    and datname = current_database() and pid <> pg_backend_pid()`)
  ).length;

describe('while others use the month, repack', () => {
  slow('waits for an import, and has its rows', async () => {
    const importing = await connected();
    await importing.query(
      `begin; select pg_advisory_xact_lock(hashtext('stakegraph dataset validator-days'))`,
    );
    const repacking = repacked({ months: ['2025-01'] });
    await until(async () => (await waitingFor('lockWriters')) === 1, repacking);
    await importing.query(
      `update validator_days set sum_priority_fees = 77 where date = '2025-01-03'; commit`,
    );
    expect(states(await repacking)).toEqual(['2025-01 repacked']);
    expect(await run(`select count(*)::int as rows from ${PART} where sum_priority_fees = 77`)).toEqual([
      { rows: 120 },
    ]);
  });

  slow('makes an import wait, which then writes to the new part', async () => {
    const reader = await connected();
    await reader.query('begin; select count(*) from validator_days');
    const repacking = repacked({ months: ['2025-01'], attempts: 10_000, lockTimeoutMs: 20 });
    await until(
      async () =>
        (
          await run(
            `select from pg_locks where mode = 'AccessExclusiveLock' and relation = 'validator_days'::regclass`,
          )
        ).length > 0,
      repacking,
    );
    const day = dayOfDate('mainnet', '2025-01-03');
    const row = {
      ...{ validatorIndex: 900, day, startEpoch: day * 225, endEpoch: day * 225 + 224 },
      ...{ totalUniqueAttestations: 224, sumMissedAttestations: 1, sumMissedSyncSignatures: null },
      ...{ sumSyncSignatureCount: null, sumCorrectHead: 220, sumCorrectTarget: 223, sumCorrectSource: 224 },
      ...{ sumWrongHeadVotes: 4, sumWrongTargetVotes: 1, sumLateTargetVotes: 0, sumLateSourceVotes: 0 },
      ...{ sumInclusionDelay: 230, proposedCount: 0, missedProposalCount: 0, endEpochBalance: 32014860472 },
      ...{ endEpochEffectiveBalance: 32000000000, sumAttestationRewards: -1200, sumProposerRewards: 0 },
      ...{ sumSyncCommitteeRewards: 0, sumPriorityFees: 0, sumBaselineMev: 0 },
    };
    const importing = importText(gateway, 'validator-days', JSON.stringify([row]));
    await until(async () => (await waitingFor('lockWriters')) === 1, importing);
    await reader.query('commit');
    expect(states(await repacking)).toEqual(['2025-01 repacked']);
    expect(await importing).toMatchObject({ inserted: 1 });
    expect(await run(`select count(*)::int as rows from ${PART} where validator_index = 900`)).toEqual([
      { rows: 1 },
    ]);
  });

  it.each(['validator_days', PART])(
    'makes a statement by hand on %s wait, which is not undone',
    async (table) => {
      const reader = await connected();
      await reader.query('begin; select count(*) from validator_days');
      const repacking = repacked({ months: ['2025-01'], attempts: 10_000, lockTimeoutMs: 20 });
      await until(async () => (await waitingFor('lockDays')) > 0, repacking);
      const updating = run(
        `/* byHand */ update ${table} set sum_priority_fees = 77 where validator_index = 7`,
      );
      await until(async () => (await waitingFor('byHand')) === 1, updating);
      await reader.query('commit');
      expect(states(await repacking)).toEqual(['2025-01 repacked']);
      await updating;
      expect(await run(`select count(*)::int as rows from ${PART} where sum_priority_fees = 77`)).toEqual([
        { rows: 62 },
      ]);
    },
  );

  slow('gives up after some attempts and changes nothing', async () => {
    const reader = await connected();
    await reader.query('begin; select count(*) from validator_days');
    const before = await run(`select '${PART}'::regclass::oid`);
    const [told] = await repacked({ months: ['2025-01'], lockTimeoutMs: 20 });
    expect(told).toMatchObject({
      state: 'failed',
      error: 'it was in use at each of 3 attempts: try again later.',
    });
    expect(await run(`select '${PART}'::regclass::oid`)).toEqual(before);
    expect(await run(`select from pg_class where relname like 'repack%'`)).toEqual([]);
    await reader.query('commit');
    expect(states(await repacked({ months: ['2025-01'] }))).toEqual(['2025-01 repacked']);
  });

  slow('gives readers all days, before and after the swaps', async () => {
    let reading = true;
    const counted = new Set<string>();
    const [{ rows: expected }] = (await run('select count(*)::int as rows from validator_days')) as [
      { rows: number },
    ];
    const readers = Array.from({ length: 3 }, async () => {
      while (reading)
        counted.add(String((await run('select count(*)::int as rows from validator_days'))[0]?.rows));
    });
    const told = await repacked({ attempts: 10_000, lockTimeoutMs: 200 });
    reading = false;
    await Promise.all(readers);
    expect(states(told)).toEqual(['2025-01 repacked', '2025-02 repacked']);
    expect([...counted]).toEqual([String(expected)]);
  });

  slow('skips the month if another process repacks, and refuses to lose what names the part', async () => {
    const other = await connected();
    await other.query(`select pg_advisory_lock(hashtext('stakegraph repack'))`);
    expect(states(await repacked({ months: ['2025-01'] }))).toEqual(['2025-01 skipped']);
    await other.end();
    await run(`create view of_january as select * from ${PART}`);
    const [told] = await repacked({ months: ['2025-01'] });
    expect(told).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('other objects depend on it'),
    });
    await run('drop view of_january');
    for (const published of [`table ${PART}`, 'all tables', 'tables in schema public']) {
      await run(`create publication january for ${published}`);
      const [refused] = await repacked({ months: ['2025-01'] });
      await run('drop publication january');
      expect(refused).toMatchObject({ state: 'failed', error: expect.stringContaining('a publication') });
    }
  });

  slow('leaves nothing behind when its connection is killed', async () => {
    const reader = await connected();
    await reader.query('begin; select count(*) from validator_days');
    const repacking = repacked({ months: ['2025-01'], attempts: 10_000, lockTimeoutMs: 20 });
    await until(async () => (await waitingFor('lockDays')) > 0, repacking);
    await run(`select pg_terminate_backend(l.pid) from pg_locks l where locktype = 'relation'
      and relation = '${PART}'::regclass and mode = 'AccessShareLock' and pid <> ${(reader as unknown as { processID: number }).processID}`);
    expect(states(await repacking)).toEqual(['2025-01 failed']);
    await reader.query('commit');
    expect(await run(`select from pg_class where relname like 'repack%'`)).toEqual([]);
    expect(states(await repacked({ months: ['2025-01'] }))).toEqual(['2025-01 repacked']);
  });
});
