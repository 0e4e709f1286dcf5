import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Embedded, startEmbedded } from '../../src/db/embedded/index.ts';
import { migrate } from '../../src/db/migrate.ts';
import { eventually } from '../support/eventually.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import {
  dataDirForTest,
  endRunning,
  makeDataDir,
  type Served,
  serve,
  stakegraph,
} from '../support/process.ts';

/** NODE_OPTIONS that write the URL of every module that is loaded to standard error. */
const traceModules = (() => {
  const hooks = `import { writeSync } from 'node:fs';
    export const load = (url, context, next) => { writeSync(2, 'module ' + url + '\\n'); return next(url, context); };`;
  const dataUrl = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;
  const register = `import { register } from 'node:module'; register(${JSON.stringify(dataUrl(hooks))});`;
  return `--import=${dataUrl(register)}`;
})();

afterEach(endRunning);

describe('stakegraph serve with DATABASE_URL', () => {
  const dataDir = makeDataDir();
  let database: TestDatabase;
  let served: Served;
  let modules: string[];
  let page: string;
  beforeAll(async () => {
    database = await createDatabase('empty');
    const env = {
      DATABASE_URL: database.url,
      DATA_DIR: join(dataDir.path, 'data'),
      NODE_OPTIONS: traceModules,
    };
    served = await serve({ env });
    const response = await fetch(`${served.url}/graphql`, { headers: { accept: 'text/html' } });
    page = await response.text();
    const { stderr } = await served.stop();
    modules = stderr.split('\n').filter((line) => line.startsWith('module '));
  });
  afterAll(async () => {
    await dataDir.remove();
    await database.drop();
  });

  it('loads nothing of the embedded database', () => {
    expect(modules.filter((url) => url.endsWith('/db/open.js'))).toHaveLength(1);
    expect(modules.filter((url) => /embedded/.test(url))).toEqual([]);
  });

  it('writes no DATA_DIR', () => {
    expect(existsSync(join(dataDir.path, 'data'))).toBe(false);
  });

  it('prints no token', () => {
    expect(served.banner).not.toMatch(/sgt_|curl|Token/);
    expect(served.banner).toContain('  Database        that of DATABASE_URL\n');
  });

  it('makes no token', async () => {
    const { rows } = await database.pool.query({ text: 'select * from tokens', values: [] });
    expect(rows).toEqual([]);
  });

  it('has GraphiQL ask for a token', () => {
    expect(page).toContain('Access token <input');
    expect(page).not.toContain('sgt_');
  });

  it('loads no sample data', async () => {
    const counts = `select (select count(*) from operator_summaries)::int as operators,
      (select count(*) from slashings)::int as slashings, (select count(*) from sample_data)::int as loads`;
    const { rows } = await database.pool.query({ text: counts, values: [] });
    expect(rows).toEqual([{ operators: 0, slashings: 0, loads: 0 }]);
  });
});

describe('a database that this version cannot serve', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase('empty');
  });
  afterAll(() => database.drop());
  const query = (text: string) => database.pool.query({ text, values: [] });

  it.each(['serve', 'migrate'])(
    'is refused by %s by the name of the migration it does not know',
    async (command) => {
      await query(`insert into stakegraph_migrations (name, run_on) values ('9999_of_tomorrow', now())`);
      const { code, stdout, stderr } = await stakegraph([command], {
        env: { DATABASE_URL: database.url, LOG_LEVEL: 'warn' },
      });
      await query(`delete from stakegraph_migrations where name = '9999_of_tomorrow'`);
      expect(stderr).toBe(
        'stakegraph: The database has a migration that this version does not know: 9999_of_tomorrow.\n',
      );
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    },
  );

  it('is refused with MIGRATE=off by the names of what it lacks', async () => {
    await query('drop schema public cascade');
    await query('create schema public');
    const env = { DATABASE_URL: database.url, MIGRATE: 'off', LOG_LEVEL: 'warn' };
    const { code, stderr } = await stakegraph(['serve'], { env });
    expect(stderr).toMatch(
      /^stakegraph: The database lacks 0001_operators, .*; run "stakegraph migrate" or set MIGRATE=on\.\n$/,
    );
    expect(code).toBe(1);
    const { rows } = await query(`select count(*)::int as tables from pg_tables where schemaname = 'public'`);
    expect(rows).toEqual([{ tables: 0 }]);
  });

  it('whose role may not make tables is told what it needs, in one line', async () => {
    await query('drop schema public cascade');
    await query('create schema public');
    const role = `role_${process.pid}`;
    await query(`create role ${role} login password 'x'`);
    onTestFinished(async () => void (await query(`drop role ${role}`)));
    const url = new URL(database.url);
    Object.assign(url, { username: role, password: 'x' });
    const { code, stderr } = await stakegraph(['migrate'], { env: { DATABASE_URL: url.href } });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `stakegraph: The role ${role} may not make tables in the schema public: grant create on schema public to it, or make it the owner of the database.\n`,
    });
  });

  it('whose role may not write a table is told so, in one line', async () => {
    expect((await stakegraph(['migrate'], { env: { DATABASE_URL: database.url } })).code).toBe(0);
    const role = `reader_${process.pid}`;
    await query(`create role ${role} login password 'x'`);
    await query(`grant usage on schema public to ${role}`);
    await query(`grant select on all tables in schema public to ${role}`);
    onTestFinished(async () => {
      await query(`drop owned by ${role}`);
      await query(`drop role ${role}`);
    });
    const url = new URL(database.url);
    Object.assign(url, { username: role, password: 'x' });
    const { code, stderr } = await stakegraph(['account', 'create', 'somebody'], {
      env: { DATABASE_URL: url.href },
    });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'stakegraph: The role of DATABASE_URL lacks a right: permission denied for table accounts.\n',
    });
  });

  it('that holds no UTF-8 is refused with what would do', async () => {
    const name = `latin_${process.pid}`;
    await query(
      `create database ${name} template template0 encoding 'LATIN1' locale_provider libc locale 'C'`,
    );
    onTestFinished(async () => void (await query(`drop database ${name}`)));
    const url = new URL(database.url);
    url.pathname = name;
    const { code, stderr } = await stakegraph(['serve'], { env: { DATABASE_URL: url.href } });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        "stakegraph: The database has the encoding LATIN1, and UTF8 is needed: create it with template template0 encoding 'UTF8'.\n",
    });
  });

  it('that does not answer is told in one line without its password', async () => {
    const env = { DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/none', DATA_DIR: dataDirForTest() };
    const { code, stderr } = await stakegraph(['serve'], { env });
    expect(stderr).toMatch(/^stakegraph: The database of DATABASE_URL: .*ECONNREFUSED.*\n$/);
    expect(stderr).not.toContain('hunter2');
    expect(code).toBe(1);
  });
});

describe('/ready of stakegraph serve', () => {
  it('tells that another version has migrated the database, or that its rows may not be read', async () => {
    const database = await createDatabase('empty');
    onTestFinished(async () => {
      endRunning();
      await database.drop();
    });
    const served = await serve({ env: { DATABASE_URL: database.url, DATA_DIR: dataDirForTest() } });
    const ready = async () => {
      const response = await served.get('/ready');
      return [response.status, await response.json()];
    };
    const run = (text: string) => database.pool.query({ text, values: [] });
    expect(await ready()).toEqual([200, { status: 'ready' }]);
    await run(`insert into stakegraph_migrations (name, run_on) values ('9999_later', now())`);
    const reason = 'The database has a migration that this version does not know: 9999_later.';
    await eventually(async () => expect(await ready()).toEqual([503, expect.objectContaining({ reason })]));
    await run(`delete from stakegraph_migrations where name = '9999_later'`);
    await eventually(async () => expect((await ready())[0]).toBe(200));
    await run('alter table datasets rename to data_sets');
    await eventually(async () =>
      expect(await ready()).toEqual([
        503,
        expect.objectContaining({ reason: 'the database cannot be read' }),
      ]),
    );
  });
});

describe('stakegraph on a standby as DATABASE_URL', () => {
  let standby: Embedded;
  let env: Record<string, string>;
  const dataDir = makeDataDir();
  beforeAll(async () => {
    const primary = await startEmbedded({ dataDir: dataDir.path });
    await migrate(primary.url);
    await primary.stop();
    await writeFile(join(dataDir.path, 'postgres', 'cluster', 'standby.signal'), '');
    standby = await startEmbedded({ dataDir: dataDir.path });
    env = { DATABASE_URL: standby.url };
  });
  afterAll(async () => {
    endRunning();
    await standby.stop();
    await dataDir.remove();
  });

  it('says at /ready that it is one', async () => {
    const served = await serve({ env: { ...env, DATA_DIR: dataDirForTest() } });
    const response = await served.get('/ready');
    const reason = 'the database of DATABASE_URL is a standby';
    expect([response.status, await response.json()]).toEqual([503, expect.objectContaining({ reason })]);
  });

  it.each([['import slashings -'], ['account create somebody']])(
    'refuses %s in one line that names the setting',
    async (command) => {
      const { code, stdout, stderr } = await stakegraph(command.split(' '), { env, input: '[]' });
      expect({ code, stdout, stderr }).toEqual({
        code: 1,
        stdout: '',
        stderr: 'stakegraph: The database of DATABASE_URL cannot be written: it is a standby or read-only.\n',
      });
    },
  );
});

describe('stakegraph serve with DATABASE_READ_URL', () => {
  it('answers from the replica, knows tokens of the primary, and writes to the primary', async () => {
    // Two databases with other rows stand for a primary and a replica that lags: who answers shows by the rows.
    const [primary, replica] = [await createDatabase('empty'), await createDatabase('sample')];
    onTestFinished(async () => {
      endRunning();
      await Promise.all([primary.drop(), replica.drop()]);
    });
    const env = { DATABASE_URL: primary.url, DATABASE_READ_URL: replica.url, DATA_DIR: dataDirForTest() };
    const { stdout } = await stakegraph(['token', 'create', '--name', 'reader'], { env });
    const served = await serve({ env });
    const ask = async (path: string, body?: object) => {
      const response = await fetch(`${served.url}${path}`, {
        headers: { authorization: `Bearer ${stdout.trim()}`, 'content-type': 'application/json' },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      });
      expect(response.status).toBe(body ? 201 : 200);
      return (await response.json()) as any;
    };
    const setsOf = async ({ pool }: TestDatabase) =>
      (await pool.query({ text: `select name from private_sets where name = 'Mine'`, values: [] })).rows;

    expect((await ask('/v0/eth/operators?window=7d&idType=pool')).total).toBeGreaterThan(0);
    await ask('/v1/eth/tags', { name: 'Mine', validators: [] });
    expect(await setsOf(primary)).toEqual([{ name: 'Mine' }]);
    expect(await setsOf(replica)).toEqual([]);
    expect((await ask('/v1/eth/tags')).results.map((set: { name: string }) => set.name)).toEqual(['Mine']);
  });
});
