import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { BASELINE, beforeBaseline } from '../../src/db/migrate/baseline.ts';
import {
  committedMigrations,
  lockMigrations,
  migrate,
  pendingMigrations,
} from '../../src/db/migrate/index.ts';
import { asSuperuser, installCitus, markDistributed } from '../support/citus.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { dropTables, migrationsFolder as folder, routinesFolder } from '../support/migrations.ts';
import { serve, stakegraph } from '../support/process.ts';
import { schemaText } from '../support/schema-text.ts';

const temporary = mkdtempSync(join(tmpdir(), 'stakegraph-migrations-'));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

let database: TestDatabase;
beforeEach(async () => {
  const made = await createDatabase('empty');
  onTestFinished(() => made.drop());
  database = made;
  await dropTables(made);
});
const run = (text: string) => database.pool.query({ text, values: [] }).then(({ rows }) => rows);
const audited = async () =>
  (await run(`select details from audit_log where action = 'migrate' order by entry_id`)).map(
    ({ details }) => (details as { migrations: string[] }).migrations,
  );
const applied = async () =>
  (await run('select name from stakegraph_migrations order by id')).map((row) => row.name);

/** A folder of migrations, each of which makes a table of its own name. */
function migrations(...names: string[]): string {
  const dir = mkdtempSync(join(temporary, 'dir-'));
  for (const name of names) writeFileSync(join(dir, `${name}.sql`), `create table t_${name} ();`);
  return dir;
}

describe('migrate', () => {
  it('applies every committed migration in order and names them', async () => {
    const committed = await committedMigrations();
    expect(await pendingMigrations(database.url)).toEqual(committed);
    expect(await migrate(database.url)).toEqual(committed);
    expect(await applied()).toEqual(committed);
    expect(await pendingMigrations(database.url)).toEqual([]);
  });

  it('called several times at once applies each migration once, and says so once in the audit log', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => migrate(database.url)));
    expect(answers.flat().sort()).toEqual(await committedMigrations());
    expect(await applied()).toEqual(await committedMigrations());
    expect(await audited()).toEqual([await committedMigrations()]);
  });

  it('in two processes at once applies each migration once', async () => {
    const env = { DATABASE_URL: database.url };
    const outcomes = await Promise.all([1, 2].map(() => stakegraph(['migrate'], { env })));
    expect(outcomes.map(({ code, stderr }) => ({ code, stderr }))).toEqual([
      { code: 0, stderr: '' },
      { code: 0, stderr: '' },
    ]);
    const names = outcomes.flatMap(({ stdout }) => stdout.match(/\d{4}_\w+/g) ?? []);
    expect(names.sort()).toEqual(await applied());
  });

  it('applies those before one that fails, and nothing of that one', async () => {
    const dir = migrations('0001_a', '0003_c');
    writeFileSync(join(dir, '0002_b.sql'), 'create table half (); select 1 / 0;');
    await expect(migrate(database.url, dir)).rejects.toThrow('division by zero');
    expect(await applied()).toEqual(['0001_a']);
    expect(await run(`select to_regclass('half') as half`)).toEqual([{ half: null }]);
  });

  it('says in the audit log which ones stay applied before one that fails', async () => {
    await migrate(database.url);
    const dir = mkdtempSync(join(temporary, 'dir-'));
    cpSync(folder, dir, { recursive: true });
    writeFileSync(join(dir, '9001_good.sql'), 'create table good ();');
    writeFileSync(join(dir, '9002_bad.sql'), 'select 1 / 0;');
    await expect(migrate(database.url, dir)).rejects.toThrow('division by zero');
    expect((await audited()).slice(1)).toEqual([['9001_good']]);
  });

  it('compiles none of their statements, whatever the database sets', async () => {
    await run(`alter database ${new URL(database.url).pathname.slice(1)} set jit = on`);
    const dir = migrations('0001_a');
    writeFileSync(join(dir, '0002_b.sql'), `create table seen as select current_setting('jit') as jit`);
    await migrate(database.url, dir);
    expect(await run('select jit from seen')).toEqual([{ jit: 'off' }]);
  });

  it('says what it applies, and begins no further one once it is stopped', async () => {
    const dir = migrations('0001_a');
    await migrate(database.url, dir);
    cpSync(migrations('0002_b', '0003_c'), dir, { recursive: true });
    const said: string[] = [];
    const options = { say: (text: string) => said.push(text), isStopped: () => said.length > 0 };
    await expect(migrate(database.url, dir, options)).rejects.toThrow('Stopped before 0003_c.');
    expect(said).toEqual(['applying 0002_b']);
    expect(await applied()).toEqual(['0001_a', '0002_b']);
  });

  it('says that it waits for another process, and can be stopped meanwhile', async () => {
    const dir = migrations('0001_a');
    const said: string[] = [];
    const options = { say: (text: string) => said.push(text), isStopped: () => said.length > 0 };
    await database.pool.withClient(async (client) => {
      await client.query('begin');
      await lockMigrations(client);
      await expect(migrate(database.url, dir, options)).rejects.toThrow(
        'Stopped while another process migrated the database.',
      );
      await client.query('rollback');
    });
    expect(said).toEqual(['waiting for another process that migrates the database']);
    expect(await migrate(database.url, dir)).toEqual(['0001_a']);
  });

  it('uses the schema of search_path, also one whose name needs quotes', async () => {
    await run('create schema "Stake Graph"');
    await run(`alter database ${new URL(database.url).pathname.slice(1)} set search_path = 'Stake Graph'`);
    expect(await migrate(database.url)).toEqual(await committedMigrations());
    expect(await pendingMigrations(database.url)).toEqual([]);
    const served = await serve({ env: { DATABASE_URL: database.url } });
    expect((await served.get('/ready')).status).toBe(200);
    await served.stop();
  });

  it('has no time limit of the role, and sees what others commit', async () => {
    const name = new URL(database.url).pathname.slice(1);
    await run(`alter database ${name} set lock_timeout = '1s'`);
    await run(`alter database ${name} set default_transaction_isolation = 'serializable'`);
    const dir = migrations('0001_a');
    const seen = `current_setting('lock_timeout') as wait, current_setting('transaction_isolation') as isolation`;
    writeFileSync(join(dir, '0002_b.sql'), `create table seen as select ${seen}`);
    await migrate(database.url, dir);
    expect(await run('select * from seen')).toEqual([{ wait: '0', isolation: 'read committed' }]);
  });

  it('applies only what is missing', async () => {
    const dir = migrations('0001_a');
    await migrate(database.url, dir);
    cpSync(migrations('0002_b', '0003_c'), dir, { recursive: true });
    expect(await pendingMigrations(database.url, dir)).toEqual(['0002_b', '0003_c']);
    expect(await migrate(database.url, dir)).toEqual(['0002_b', '0003_c']);
  });
});

/** A folder of the committed migrations, with one beside it of routines that a test may change. */
function changeable(): { dir: string; routines: string } {
  const parent = mkdtempSync(join(temporary, 'dir-'));
  const [dir, routines] = [join(parent, 'migrations'), join(parent, 'routines')];
  cpSync(folder, dir, { recursive: true });
  cpSync(routinesFolder, routines, { recursive: true });
  return { dir, routines };
}

describe('routines', () => {
  const sizeOf = async (amount: number) => (await run(`select search_size(${amount}) as size`))[0]?.size;
  const changed =
    'create or replace function search_size(amount float8) returns smallint language sql as $$ select 7::smallint $$;';

  it('are applied anew when their file has changed, and others are left alone', async () => {
    const { dir, routines } = changeable();
    await migrate(database.url, dir);
    expect(await sizeOf(1023)).toBe(10);
    const before = await run('select name, xmin::text as written from stakegraph_routines order by name');
    writeFileSync(join(routines, 'search.sql'), changed);
    const said: string[] = [];
    expect(await migrate(database.url, dir, { say: (text) => said.push(text) })).toEqual([
      'the routines of search',
    ]);
    expect(said).toEqual(['applying the routines of search']);
    expect(await sizeOf(1023)).toBe(7);
    const after = await run('select name, xmin::text as written from stakegraph_routines order by name');
    const search = { name: 'search', written: expect.any(String) };
    expect(after).toEqual(before.map((row) => (row.name === 'search' ? search : row)));
    expect(await migrate(database.url, dir)).toEqual([]);
    const [, { details } = {}] = await run('select details from audit_log order by entry_id');
    expect(details).toEqual({ migrations: [], routines: ['search'] });
  });

  it('change after the migrations, all or none of them, and are missing until then', async () => {
    const { dir, routines } = changeable();
    await migrate(database.url, dir);
    writeFileSync(join(dir, '9000_table.sql'), 'create table later ();');
    writeFileSync(join(routines, 'search.sql'), changed);
    writeFileSync(join(routines, 'zone.sql'), 'select 1 / 0;');
    await expect(migrate(database.url, dir)).rejects.toThrow('division by zero');
    expect(await run(`select to_regclass('later') as later`)).toEqual([{ later: 'later' }]);
    expect(await sizeOf(1023)).toBe(10);
    expect(await pendingMigrations(database.url, dir)).toEqual(['its functions']);
    writeFileSync(join(routines, 'zone.sql'), 'select 1;');
    expect(await migrate(database.url, dir)).toEqual(['the routines of search', 'the routines of zone']);
    expect(await sizeOf(1023)).toBe(7);
    expect(await pendingMigrations(database.url, dir)).toEqual([]);
  });

  it('are not put back by an older version', async () => {
    const { dir, routines } = changeable();
    writeFileSync(join(routines, 'search.sql'), changed);
    writeFileSync(
      join(dir, '9000_search.sql'),
      `insert into compatible_migrations values ('9000_search', '${BASELINE}');`,
    );
    await migrate(database.url, dir);
    expect(await migrate(database.url)).toEqual([]);
    expect(await sizeOf(1023)).toBe(7);
  });

  it('are missing only where no migration is', async () => {
    await migrate(database.url);
    await run('drop table stakegraph_routines');
    expect(await pendingMigrations(database.url)).toEqual(['its functions']);
    expect(await migrate(database.url)).toContain('the routines of search');
    expect(await pendingMigrations(database.url)).toEqual([]);
  });

  it('leave the triggers of validators alone where Citus has them', async () => {
    const { dir, routines } = changeable();
    await migrate(database.url, dir);
    const triggers = `select tgname from pg_trigger where tgrelid = 'validators'::regclass and not tgisinternal order by 1`;
    const before = await run(triggers);
    await run('select keep_block_operators(false)');
    await installCitus(database.url);
    await markDistributed(database.url, 'validators', null);
    const file = join(routines, 'block-operators.sql');
    writeFileSync(file, `${readFileSync(file, 'utf8')}-- changed\n`);
    expect(await migrate(database.url, dir)).toEqual(['the routines of block-operators']);
    expect(await run(triggers)).toEqual([]);
    await asSuperuser(database.url, 'delete from pg_dist_partition');
    writeFileSync(file, readFileSync(join(routinesFolder, 'block-operators.sql')));
    await migrate(database.url, dir);
    expect(await run(triggers)).toEqual(before);
  });
});

describe('a database of a version before the baseline', () => {
  /** A database with the names of these migrations, and the tables of the last version before the baseline. */
  async function earlier(names: readonly string[]) {
    const baseline = mkdtempSync(join(temporary, 'dir-'));
    cpSync(join(folder, `${BASELINE}.sql`), join(baseline, `${BASELINE}.sql`));
    await migrate(database.url, baseline);
    await run('delete from stakegraph_migrations');
    await database.pool.query({
      text: 'insert into stakegraph_migrations (name, run_on) select name, now() from unnest($1::text[]) name',
      values: [[...names]],
    });
    await run(`insert into compatible_migrations values ('0076_saved_views', '0074_archived_months')`);
  }

  it('is adopted if it has all migrations, because its tables are those of the baseline', async () => {
    await migrate(database.url);
    const expected = await schemaText(database.pool);
    await dropTables(database);
    await earlier(beforeBaseline);
    expect(await pendingMigrations(database.url)).toEqual(await committedMigrations());
    expect(await migrate(database.url)).toEqual(await committedMigrations());
    expect(await schemaText(database.pool)).toBe(expected);
    expect(await applied()).toEqual(await committedMigrations());
    expect(await run(`select from compatible_migrations where name < '${BASELINE}'`)).toEqual([]);
    expect(await pendingMigrations(database.url)).toEqual([]);
    expect(await migrate(database.url)).toEqual([]);
  });

  it.each([
    ['that lacks the newest', beforeBaseline.slice(0, -1)],
    ['that lacks one of them', beforeBaseline.filter((name) => name !== '0071_refreshed_windows')],
    ['that has another one', [...beforeBaseline, '0072_other']],
  ])('%s is refused by what to do', async (_which, names) => {
    await earlier(names);
    for (const call of [migrate, pendingMigrations])
      await expect(call(database.url)).rejects.toThrow(
        'The database is of a version before 0077_baseline: load the data again into an empty database, or first run "stakegraph migrate" of the last version with 0076_saved_views.',
      );
    expect((await applied()).sort()).toEqual([...names].sort());
  });
});

describe.each([
  ['migrate', migrate],
  ['pendingMigrations', pendingMigrations],
])('%s refuses', (_name, call) => {
  it('a database with a migration that is not committed, by its name', async () => {
    await migrate(database.url, migrations('0001_a', '0002_of_tomorrow'));
    await expect(call(database.url, migrations('0001_a'))).rejects.toThrow(
      'The database has a migration that this version does not know: 0002_of_tomorrow.',
    );
  });

  it('a migration slipped in before one that is applied, by its name', async () => {
    await migrate(database.url, migrations('0001_a', '0003_c'));
    const dir = migrations('0001_a', '0002_b', '0003_c');
    await expect(call(database.url, dir)).rejects.toThrow(
      'Migration 0002_b is out of order: a later one is already applied.',
    );
    expect(await applied()).toEqual(['0001_a', '0003_c']);
  });
});

describe('a newer migration that says from which one on a version may go on', () => {
  const table = 'create table compatible_migrations (name text primary key, least text not null);';
  /** Folders of versions: the first creates compatible_migrations, later ones have the given SQL. */
  function version(sql: Record<string, string>): string {
    const dir = migrations(...Object.keys(sql));
    writeFileSync(join(dir, '0001_a.sql'), table);
    for (const [name, text] of Object.entries(sql)) writeFileSync(join(dir, `${name}.sql`), text);
    return dir;
  }
  const may = (name: string, least: string) =>
    `create table t_${name} (); insert into compatible_migrations values ('${name}', '${least}')`;
  const first = { '0001_a': table };
  const second = { ...first, '0002_b': 'create table t_b ()' };
  const third = { ...second, '0003_c': may('0003_c', '0002_b') };

  it('lets that one go on, and no older one', async () => {
    await migrate(database.url, version(third));
    for (const call of [migrate, pendingMigrations]) {
      expect(await call(database.url, version(second))).toEqual([]);
      await expect(call(database.url, version(first))).rejects.toThrow(
        'The database has a migration that this version does not know: 0002_b, 0003_c.',
      );
    }
  });

  it('lets none go on where another one says nothing', async () => {
    await migrate(database.url, version({ ...third, '0004_d': 'drop table t_b' }));
    await expect(pendingMigrations(database.url, version(second))).rejects.toThrow(
      'The database has a migration that this version does not know: 0004_d.',
    );
    expect(await pendingMigrations(database.url, version({ ...third, '0004_d': '' }))).toEqual([]);
  });

  it('is not the place for one of an older version that is missing', async () => {
    await migrate(database.url, version({ ...first, '0003_c': may('0003_c', '0001_a') }));
    await expect(migrate(database.url, version(second))).rejects.toThrow(
      'Migration 0002_b is out of order: a later one is already applied.',
    );
  });

  it('says so of itself, and names one before it', async () => {
    await migrate(database.url);
    const committed = await committedMigrations();
    for (const { name, least } of await run('select name, least from compatible_migrations')) {
      expect(committed).toContain(name);
      expect(committed).toContain(least);
      expect(String(least) < String(name)).toBe(true);
    }
    for (const name of committed) {
      const text = readFileSync(join(folder, `${name}.sql`), 'utf8');
      for (const [, told] of text.matchAll(/insert into compatible_migrations\b[^']*'([^']*)'/g))
        expect(told).toBe(name);
    }
  });
});
