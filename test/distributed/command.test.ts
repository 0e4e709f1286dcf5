import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { readSettings } from '../../src/config/index.ts';
import { openDatabase } from '../../src/db/open/index.ts';
import { type DistributeOptions, distribute } from '../../src/maintenance/distribute/index.ts';
import { asSuperuser, callsOf, installCitus, markDistributed } from '../support/citus.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import type { Template } from '../support/global-setup.ts';
import { serve, stakegraph } from '../support/process.ts';
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
  distribute({ url, shards: 32, undo: false, dryRun: false, tell: () => undefined, ...change });
const audited = (url: string) =>
  asSuperuser(
    url,
    `select action, subject, details from audit_log where action like 'distribute%' order by entry_id`,
  );
const triggersOf = (url: string) =>
  asSuperuser(
    url,
    `select pg_get_triggerdef(oid) as text from pg_trigger
    where tgrelid in ('blocks'::regclass, 'validators'::regclass) and not tgisinternal order by 1`,
  );
const countOf = async (url: string) =>
  (await asSuperuser(url, 'select count(*)::int as rows from validator_days'))[0].rows;

describe('stakegraph distribute', () => {
  slow(
    'distributes days by validator and makes reference tables, and says what it compared; --undo makes all local again',
    async () => {
      const url = await databaseWith(true);
      const rows = await countOf(url);
      const triggers = await triggersOf(url);
      expect(rows).toBeGreaterThan(1_000);
      const report = await run(url, { shards: 8 });
      expect(report).toMatchObject({
        ...{ table: 'validator_days', column: 'validator_index', state: 'distributed', shards: 8, rows },
        ...{ citus: '13.0.3', workers: 1, hash: expect.stringMatching(/^-?\d+$/), bytes: expect.any(Number) },
        references: {
          validators: { rows: expect.any(Number), hash: expect.stringMatching(/^-?\d+$/) },
          validator_clients: { rows: 0, hash: '0' },
        },
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
      expect(undone).toMatchObject({
        ...{ state: 'made local', rows, hash: report.hash, references: report.references },
      });
      expect(await triggersOf(url)).toEqual(triggers);
      expect(await run(url, { undo: true })).toMatchObject({ state: 'unchanged', rows });
      const tables = ['validators', 'validator_clients', 'validator_days'];
      const cleaned = tables.map((table) => `truncate_local_data_after_distributing_table(${table})`);
      expect(await callsOf(url)).toEqual([
        ...['create_reference_table(validators)', 'create_reference_table(validator_clients)'],
        'create_distributed_table(validator_days, validator_index, none, 8)',
        ...[...cleaned, ...cleaned],
        ...tables.map((table) => `undistribute_table(${table})`),
      ]);
      expect(await asSuperuser(url, `select to_regproc('days_of_validator') is null as gone`)).toEqual([
        { gone: true },
      ]);
      expect(await audited(url)).toEqual([
        ...[
          { action: 'distribute', subject: 'validator_days', details: { rows, citus: '13.0.3', shards: 8 } },
        ],
        ...['validator_clients', 'validators'].map((table) => ({
          ...{ action: 'distribute', subject: table, details: { rows: expect.any(Number), citus: '13.0.3' } },
        })),
        ...tables.toReversed().map((table) => ({
          ...{
            action: 'distribute.undo',
            subject: table,
            details: expect.objectContaining({ citus: '13.0.3' }),
          },
        })),
      ]);
    },
  );

  slow('changes nothing with --dry-run', async () => {
    const url = await databaseWith(true);
    const rows = await countOf(url);
    expect(await run(url, { dryRun: true })).toMatchObject({ state: 'would distribute', shards: 32, rows });
    expect(await run(url, { dryRun: true, undo: true })).toMatchObject({ state: 'unchanged', rows });
    await run(url);
    expect(await run(url, { dryRun: true })).toMatchObject({ state: 'unchanged', rows });
    expect(await run(url, { dryRun: true, undo: true })).toMatchObject({ state: 'would make local', rows });
    expect(await callsOf(url)).toHaveLength(6);
  });

  slow('prints what PostgreSQL adds to its message, once and without tokens', async () => {
    const url = await databaseWith(true, 'empty');
    await asSuperuser(
      url,
      `create or replace function pg_catalog.create_reference_table(table_name regclass) returns void language plpgsql as $$
      begin
        raise exception 'no place for it' using detail = 'The node sgt_${'0123456789'.repeat(5)} is full.', hint = 'Add a node.';
      end $$`,
    );
    const { code, stderr } = await stakegraph(['distribute'], { env: { DATABASE_URL: url } });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^stakegraph: no place for it\nDETAIL: {2}The node sgt_… is full\.\nHINT: {2}Add a node\.\n$/m,
    );
  });

  slow('changes nothing if a row differs afterwards', async () => {
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

  it('completes the layout if only days are distributed', async () => {
    const url = await databaseWith(true, 'empty');
    await markDistributed(url, 'validator_days', 'validator_index');
    expect(await run(url)).toMatchObject({ state: 'distributed' });
    expect((await callsOf(url)).slice(0, 2)).toEqual([
      ...['create_reference_table(validators)', 'create_reference_table(validator_clients)'],
    ]);
    expect(await run(url)).toMatchObject({ state: 'unchanged' });
    expect(await asSuperuser(url, `select to_regproc('days_of_validator') is not null as made`)).toEqual([
      { made: true },
    ]);
  });

  it('makes a restored dump of a distributed database local or distributed', async () => {
    const url = await databaseWith(true, 'empty');
    const triggers = await triggersOf(url);
    await asSuperuser(url, 'select keep_block_operators(false)');
    expect(await run(url, { undo: true })).toMatchObject({ state: 'made local' });
    expect(await triggersOf(url)).toEqual(triggers);
    await asSuperuser(url, 'select keep_block_operators(false)');
    expect(await run(url)).toMatchObject({ state: 'distributed' });
    expect(await run(url)).toMatchObject({ state: 'unchanged' });
  });

  it('leaves no trigger that joins a reference table with a transition table', async () => {
    const url = await databaseWith(true, 'empty');
    const joining = () =>
      asSuperuser(
        url,
        `select tgname::text as name from pg_trigger t join pg_proc p on p.oid = t.tgfoid
        where coalesce(tgnewtable, tgoldtable) is not null and prosrc ~ '\\m(validators|validator_clients|validator_days)\\M'
        order by 1`,
      );
    expect(await joining()).toContainEqual({ name: 'blocks_operators_inserted' });
    await run(url);
    expect(await joining()).toEqual([]);
  });

  it.each([
    ['triggers', 'select', 'cannot distribute relation "validators" because it has triggers'],
    [
      'a foreign key',
      `select keep_block_operators(false);
      alter table slashings add foreign key (network, validator_index) references validators not valid; select`,
      'cannot create foreign key constraint',
    ],
    [
      'an identity column',
      'select keep_block_operators(false); alter table validators add column n int generated always as identity; select',
      'cannot complete operation on validators with identity column',
    ],
  ])('is refused by the stub, as by Citus, with %s', async (_, change, message) => {
    const url = await databaseWith(true, 'empty');
    await expect(asSuperuser(url, `${change} create_reference_table('validators')`)).rejects.toThrow(message);
  });

  slow(
    'is refused by the stub, as by Citus, if a function is made after a parallel read, unless all is sequential',
    async () => {
      const url = await databaseWith(true);
      await run(url);
      const made = `select count(*) from validator_days; create function f() returns int language sql as 'select 1'`;
      await expect(asSuperuser(url, made)).rejects.toThrow(
        'cannot run function command because there was a parallel operation on a distributed table in the transaction',
      );
      await asSuperuser(
        url,
        `begin; set local citus.multi_shard_modify_mode to 'sequential'; ${made}; rollback`,
      );
      await asSuperuser(url, made.replace(/^.*?; /, ''));
    },
  );

  it('is refused by the stub, as by Citus, if a reference table is changed by a join with a local table', async () => {
    const url = await databaseWith(true, 'empty');
    await asSuperuser(url, 'create table staged (like validators)');
    await run(url);
    for (const text of [
      'update validators v set pool = s.pool from staged s',
      'delete from validators v where not exists (select from staged s where s.pool = v.pool)',
      'insert into validators select * from staged on conflict do nothing',
    ])
      await expect(asSuperuser(url, text)).rejects.toThrow('relation staged is not distributed');
  });

  it('is refused by the stub, as by Citus, if distributed days are changed by a join or return what may change', async () => {
    const url = await databaseWith(true, 'empty');
    await run(url);
    for (const [text, message] of [
      ['update validator_days d set day = 1 from blocks b where b.slot = d.day', 'relation blocks is not'],
      ['delete from validator_days d using validator_day_dates t where t.day = d.day', 'is not distributed'],
      ['update validator_days set day = 1 returning date::text', 'are not allowed in the RETURNING clause'],
    ] as const)
      await expect(asSuperuser(url, text)).rejects.toThrow(message);
    const allowed = `update validator_days d set day = g.day from unnest('{1}'::int[]) g (day) returning d.day`;
    expect(await asSuperuser(url, allowed)).toEqual([]);
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
      'a coordinator that is not in its list of nodes',
      'delete from pg_dist_node where groupid = 0',
      'add it with "select citus_set_coordinator_host(',
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

  it('refuses a database without Citus, and a role that does not own the table', async () => {
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
        `The role ${role} does not own blocks: run the command as the role that applied the migrations.`,
      );
    } finally {
      await asSuperuser(url, `drop owned by ${role}; drop role ${role}`);
    }
  });

  slow('refuses any other connection, whatever its name, except those of Citus', async () => {
    const url = await databaseWith(true, 'empty');
    const connect = async (name: string) => {
      const client = new pg.Client({ connectionString: `${url}&application_name=${name}` });
      await client.connect();
      return client;
    };
    const gateway = await connect('mine');
    await gateway.query(`select pg_advisory_lock(hashtext('stakegraph dataset validator-days'))`);
    for (const dryRun of [false, true])
      await expect(run(url, { dryRun })).rejects.toThrow(
        /^A gateway or another program is connected to the database: stop it first\. Connected: mine of \S+( at \S+)? \(process \d+\)\.$/,
      );
    await gateway.end();
    const citus = await connect('citus_internal%20gpid%3D10000000001');
    await expect(run(url)).resolves.toMatchObject({ state: 'distributed' });
    await citus.end();
  });

  slow('refuses a process that has read the layout, also if it has long been idle', async () => {
    const url = await databaseWith(true, 'empty');
    const { close } = await openDatabase(readSettings({ DATABASE_URL: url }), () => undefined, {
      migrate: false,
    });
    try {
      await sleep(11_000); // pools close connections that were idle for 10 s
      await expect(run(url)).rejects.toThrow('Connected: stakegraph');
    } finally {
      await close();
    }
    await expect(run(url)).resolves.toMatchObject({ state: 'distributed' });
  });

  slow('makes gateways warn of another version of Citus', async () => {
    const url = await databaseWith(true, 'empty');
    await run(url);
    const served = async () => {
      const gateway = await serve({ env: { DATABASE_URL: url } });
      return (await gateway.stop()).stderr;
    };
    expect(await served()).not.toContain('stakegraph was tried with');
    await asSuperuser(
      url,
      `create or replace function pg_catalog.citus_version() returns text language sql as $$ select 'Citus 14.1.2' $$`,
    );
    expect(await served()).toContain('This is Citus 14.1.2; stakegraph was tried with 13.0.3 only.');
  });

  slow('tells what it did in words or JSON, and refuses wrong usage', async () => {
    const url = await databaseWith(true);
    const call = (...args: string[]) => stakegraph(['distribute', ...args], { env: { DATABASE_URL: url } });
    const dry = await call('--dry-run');
    const steps = (text: string) =>
      text
        .replaceAll(/^\S+Z /gm, '')
        .split('\n')
        .slice(0, -1);
    const tables = ['validators', 'validator_clients', 'validator_days'];
    const each = (step: string) => tables.map((table) => `${step} ${table}`);
    expect([dry.code, steps(dry.stderr)]).toEqual([0, each('counting')]);
    expect(dry.stdout).toMatch(
      /^validator_days would be distributed by validator_index in 32 shards on 1 workers of Citus 13\.0\.3: [\d,]+ rows in \d+ months, \d+\.\d MB\.\n$/,
    );
    const done = await call('--shards', '4', '--json');
    const hashing = each('hashing').toReversed();
    expect([done.code, steps(done.stderr)]).toEqual([
      0,
      [
        ...['waiting for migrations and imports to end', ...hashing],
        ...[...each('distributing'), ...hashing, ...each('cleaning up')],
      ],
    ]);
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
