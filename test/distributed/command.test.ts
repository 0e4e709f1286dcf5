import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { type DistributeOptions, distribute } from '../../src/ingest/distribute/index.ts';
import { asSuperuser, callsOf, installCitus, markDistributed } from '../support/citus.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import type { Template } from '../support/global-setup.ts';
import { stakegraph } from '../support/process.ts';
import { slow } from '../support/thorough.ts';

let made: TestDatabase[] = [];
afterEach(async () => {
  await Promise.all(made.map((database) => database.drop()));
  made = [];
});

async function databaseWith(citus: boolean, template: Template = 'sample'): Promise<string> {
  const database = await createDatabase(template);
  made.push(database);
  if (citus) await installCitus(database.url);
  return database.url;
}
const run = (url: string, change: Partial<DistributeOptions> = {}) =>
  distribute({ url, shards: 32, undo: false, dryRun: false, ...change });
const audited = (url: string) =>
  asSuperuser(
    url,
    `select action, subject, details from audit_log where action like 'distribute%' order by entry_id`,
  );
const countOf = async (url: string) =>
  (await asSuperuser(url, 'select count(*)::int as rows from validator_days'))[0].rows;

describe('stakegraph distribute', () => {
  it('distributes days by validator, removes the local rows, and says what it compared; --undo makes them local again', async () => {
    const url = await databaseWith(true);
    const rows = await countOf(url);
    expect(rows).toBeGreaterThan(1_000);
    const report = await run(url, { shards: 8 });
    expect(report).toMatchObject({
      ...{ table: 'validator_days', column: 'validator_index', state: 'distributed', shards: 8, rows },
      ...{ citus: '13.0.3', workers: 1, hash: expect.stringMatching(/^-?\d+$/), bytes: expect.any(Number) },
    });
    expect(report.months).toBeGreaterThan(1);
    expect(
      await asSuperuser(
        url,
        `select (select count(*) from days_of_validator('mainnet', 1, false))
          = (select count(*) from validator_days where network = 'mainnet' and validator_index = 1 and not utc) as equal`,
      ),
    ).toEqual([{ equal: true }]);

    expect(await run(url)).toMatchObject({ state: 'unchanged', rows });
    const undone = await run(url, { undo: true });
    expect(undone).toMatchObject({ state: 'made local', rows, hash: report.hash });
    expect(await run(url, { undo: true })).toMatchObject({ state: 'unchanged', rows });
    expect(await callsOf(url)).toEqual([
      'create_distributed_table(validator_days, validator_index, none, 8)',
      'truncate_local_data_after_distributing_table(validator_days)',
      'truncate_local_data_after_distributing_table(validator_days)',
      'undistribute_table(validator_days)',
    ]);
    expect(await asSuperuser(url, `select to_regproc('days_of_validator') is null as gone`)).toEqual([
      { gone: true },
    ]);
    expect(await audited(url)).toEqual([
      { action: 'distribute', subject: 'validator_days', details: { rows, citus: '13.0.3', shards: 8 } },
      { action: 'distribute.undo', subject: 'validator_days', details: { rows, citus: '13.0.3' } },
    ]);
  });

  slow('changes nothing with --dry-run', async () => {
    const url = await databaseWith(true);
    const rows = await countOf(url);
    expect(await run(url, { dryRun: true })).toMatchObject({ state: 'would distribute', shards: 32, rows });
    expect(await run(url, { dryRun: true, undo: true })).toMatchObject({ state: 'unchanged', rows });
    await run(url);
    expect(await run(url, { dryRun: true })).toMatchObject({ state: 'unchanged', rows });
    expect(await run(url, { dryRun: true, undo: true })).toMatchObject({ state: 'would make local', rows });
    expect(await callsOf(url)).toHaveLength(2);
  });

  it('changes nothing if a row differs afterwards', async () => {
    const url = await databaseWith(true);
    await asSuperuser(
      url,
      `create function lose_a_row() returns trigger language plpgsql as $$ begin
        update validator_days set end_epoch_balance = end_epoch_balance + 1
        where ctid = (select ctid from validator_days limit 1) and tableoid = (select tableoid from validator_days limit 1);
        return null;
      end $$;
      create trigger lose_a_row after insert on pg_dist_partition for each statement execute function lose_a_row()`,
    );
    await expect(run(url)).rejects.toThrow(
      /^validator_days had (\d+) rows with the hash -?\d+, and then \1 with -?\d+: nothing was changed\.$/,
    );
    expect(await asSuperuser(url, 'select from pg_dist_partition')).toEqual([]);
    expect(await audited(url)).toEqual([]);
  });

  slow('completes what a stopped command left', async () => {
    const url = await databaseWith(true);
    await markDistributed(url, 'validator_days', 'validator_index');
    expect(await run(url)).toMatchObject({ state: 'distributed' });
    expect(await run(url)).toMatchObject({ state: 'unchanged' });
    expect(await asSuperuser(url, `select to_regproc('days_of_validator') is not null as made`)).toEqual([
      { made: true },
    ]);
  });

  it.each([
    [
      'an old version of Citus',
      `create or replace function pg_catalog.citus_version() returns text language sql as $$ select 'Citus 11.3.1' $$`,
      'This is Citus 11.3.1; stakegraph was tried with 13.0.3 only.',
    ],
    [
      'a worker',
      'update pg_dist_local_group set groupid = 1',
      'leads to a worker of Citus: set it to the coordinator',
    ],
    [
      'no workers',
      'update pg_dist_node set isactive = false where groupid = 1',
      'knows no active worker: add one with',
    ],
    [
      'an unapplied migration',
      'delete from stakegraph_migrations where name = (select max(name) from stakegraph_migrations)',
      /The database lacks \d{4}_\w+: run "stakegraph migrate" first\./,
    ],
    [
      'the rows of an index',
      `insert into index_state values ('hoodi', 1, 1, '', 1, now())`,
      'The index writes days of hoodi in this database, which it cannot do once they are distributed.',
    ],
    [
      'another distributed table',
      `insert into pg_dist_partition values ('blocks', 'h', 'slot', 1, 's')`,
      `select undistribute_table('blocks');`,
    ],
    [
      'a catalogue without the library',
      `do $$ begin execute format('alter database %I reset citus.shard_count', current_database()); end $$`,
      'Citus is not loaded: add citus to shared_preload_libraries',
    ],
    [
      'no extension',
      'drop table pg_dist_partition',
      'has no extension citus: run "create extension citus" in it',
    ],
  ])('refuses %s', async (_, change, message) => {
    const url = await databaseWith(true, 'empty');
    await asSuperuser(url, change);
    await expect(run(url)).rejects.toThrow(message);
    await expect(run(url, { dryRun: true })).rejects.toThrow(message);
  });

  it('refuses a database without Citus, a role that does not own the table, and gateways that are connected', async () => {
    await expect(run(await databaseWith(false, 'empty'))).rejects.toThrow('Citus is not loaded');
    const url = await databaseWith(true, 'empty');
    const role = `distributor_${Date.now()}`;
    await asSuperuser(
      url,
      `create role ${role} login password 'x'; grant all on all tables in schema public to ${role}`,
    );
    try {
      const other = new URL(url);
      [other.username, other.password] = [role, 'x'];
      await expect(run(other.href)).rejects.toThrow(
        `The role ${role} does not own validator_days: run the command as the role that applied the migrations.`,
      );
    } finally {
      await asSuperuser(url, `drop owned by ${role}; drop role ${role}`);
    }
    const gateway = new pg.Client({ connectionString: url, application_name: 'stakegraph listen' });
    await gateway.connect();
    await expect(run(url)).rejects.toThrow(
      'Gateways or other commands of stakegraph have 1 connections to the database: stop them first.',
    );
    await gateway.end();
  });

  slow('tells what it did in words or JSON, and refuses wrong usage', async () => {
    const url = await databaseWith(true);
    const call = (...args: string[]) => stakegraph(['distribute', ...args], { env: { DATABASE_URL: url } });
    const dry = await call('--dry-run');
    expect([dry.code, dry.stderr]).toEqual([0, '']);
    expect(dry.stdout).toMatch(
      /^validator_days would be distributed by validator_index in 32 shards on 1 workers of Citus 13\.0\.3: [\d,]+ rows in \d+ months, \d+\.\d MB\.\n$/,
    );
    const done = await call('--shards', '4', '--json');
    expect(done.code).toBe(0);
    expect(JSON.parse(done.stdout)).toMatchObject({ state: 'distributed', shards: 4 });
    const undone = await call('--undo');
    expect(undone.stdout).toMatch(
      /^validator_days is local again: .* s to move, .* s to compare, .* s to clean up\.\n$/,
    );
    for (const [args, message] of [
      [['--shards', '0'], 'An integer from 1 to 1024 is needed.'],
      [['--undo', '--shards', '4'], '--shards and --undo exclude each other: leave one out.'],
    ] as const) {
      const { code, stderr } = await call(...args);
      expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    }
    const embedded = await stakegraph(['distribute'], {});
    expect([embedded.code, embedded.stderr]).toEqual([
      2,
      expect.stringContaining('The embedded PostgreSQL has no Citus'),
    ]);
    await asSuperuser(url, 'update pg_dist_local_group set groupid = 1');
    expect((await call()).code).toBe(1);
  });
});
