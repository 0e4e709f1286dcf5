import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createToken } from '../../src/accounts/tokens.ts';
import { type Embedded, startEmbedded } from '../../src/db/embedded/index.ts';
import { createPool } from '../../src/db/pool.ts';
import { eventually } from '../support/eventually.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { dropTables } from '../support/migrations.ts';
import { noPgBouncer, pgBouncerForTest } from '../support/pgbouncer.ts';
import { prepare } from '../support/prepared.ts';
import {
  dataDirForTest,
  endRunning,
  launch,
  makeDataDir,
  project,
  type Served,
  serve,
  stakegraph,
} from '../support/process.ts';
import { slow } from '../support/thorough.ts';
import { bodyOf, type GraphqlErrors } from '../support/typed.ts';

/** The statements of docs/database.md that grant what the roles need. */
const documentedGrants = readFileSync(join(project, 'docs/database.md'), 'utf8')
  .split('## Roles')[1]
  ?.match(/```sql\n[^`]*grant [^`]*```/g)
  ?.join('\n')
  .replaceAll(/```(sql)?|--.*/g, '')
  .replaceAll('for role stakegraph ', '')
  .split(';')
  .map((statement) => statement.trim())
  .filter(Boolean) as string[];

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
  let completeFrom: unknown;
  beforeAll(async () => {
    database = await createDatabase('empty');
    const query = (text: string) => database.pool.query({ text, values: [] });
    await query(`with made as (
        insert into private_sets (account_id, network, name, created_by, created_at, updated_at, complete_from)
        select account_id, 'mainnet', 'x', 'test', now(), now(), '2025-03-01' from accounts limit 1 returning set_id
      )
      insert into private_set_members (set_id, validator_index, validator_pubkey, added_at, counts_from, summed_from)
      select set_id, 1, 'p', now(), '-infinity', '2025-03-01' from made`);
    const env = {
      DATABASE_URL: database.url,
      DATA_DIR: join(dataDir.path, 'data'),
      NODE_OPTIONS: traceModules,
    };
    served = await serve({ env });
    const response = await fetch(`${served.url}/graphql`, { headers: { accept: 'text/html' } });
    page = await response.text();
    await eventually(async () => {
      completeFrom = (await query('select complete_from::text as date from private_sets')).rows[0]?.date;
      expect(completeFrom).toBe('-infinity');
    }).catch(() => undefined); // a test says so
    const { stderr } = await served.stop();
    modules = stderr.split('\n').filter((line) => line.startsWith('module '));
  });
  afterAll(async () => {
    await dataDir.remove();
    await database.drop();
  });

  it('loads nothing of the embedded database', () => {
    expect(modules.filter((url) => url.endsWith('/db/open/index.js'))).toHaveLength(1);
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
    expect(page).not.toMatch(/sgt_[\w-]{40}/);
  });

  it('sums up the days of private sets that requests have left', () => {
    expect(completeFrom).toBe('-infinity');
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
    await dropTables(database);
    const env = { DATABASE_URL: database.url, MIGRATE: 'off', LOG_LEVEL: 'warn' };
    const { code, stderr } = await stakegraph(['serve'], { env });
    expect(stderr).toMatch(
      /^stakegraph: The database lacks 0077_baseline.*; run "stakegraph migrate" or set MIGRATE=on\.\n$/,
    );
    expect(code).toBe(1);
    const { rows } = await query(`select count(*)::int as tables from pg_tables where schemaname = 'public'`);
    expect(rows).toEqual([{ tables: 0 }]);
  });

  it('whose role may not make tables is told what it needs, in one line', async () => {
    await dropTables(database);
    const role = `role_${process.pid}`;
    await query(`create role ${role} login password 'x'`);
    onTestFinished(async () => void (await query(`drop role ${role}`)));
    const url = new URL(database.url);
    Object.assign(url, { username: role, password: 'x' });
    const { code, stderr } = await stakegraph(['migrate'], { env: { DATABASE_URL: url.href } });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `stakegraph: The role ${role} may not create tables in the schema public: grant create on schema public to it, or make it the owner of the database.\n`,
    });
  });

  it('that takes no writes, or has no schema, is refused with what would do, in one line', async () => {
    await dropTables(database);
    const url = new URL(database.url);
    url.search = '?options=-c%20default_transaction_read_only%3Don';
    const readOnly = await stakegraph(['migrate'], { env: { DATABASE_URL: url.href } });
    expect(readOnly.stderr).toMatch(
      /^stakegraph: The database takes no writes from the role \w+: turn default_transaction_read_only off for it\.\n$/,
    );
    await query('drop schema public');
    onTestFinished(async () => void (await query('create schema if not exists public')));
    const { code, stderr } = await stakegraph(['migrate'], { env: { DATABASE_URL: database.url } });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'stakegraph: The database has no schema of search_path: create the schema public.\n',
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
      stderr:
        'stakegraph: The role of DATABASE_URL lacks a right: permission denied for table accounts; docs/database.md has the rights that roles need.\n',
    });
  });

  slow('that holds no UTF-8 is refused with what would do', async () => {
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
        "stakegraph: The database has the encoding LATIN1; UTF8 is needed: create it with template template0 encoding 'UTF8'.\n",
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

describe('a database that cannot be served from', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase('empty');
  });
  afterAll(() => database.drop());
  afterEach(endRunning);

  /** The outcome of a start, also of one that is not refused: such a gateway is stopped at its banner. */
  const serveFrom = (env: Record<string, string>) => {
    const defaults = { PORT: '0', LOG_LEVEL: 'warn', DATA_DIR: dataDirForTest() };
    const { child, outcome } = launch(['serve'], { env: { ...defaults, ...env } });
    child.stdout.once('data', () => child.kill());
    return outcome;
  };

  it.skipIf(noPgBouncer)('is one behind a pooler that pools transactions, by either URL', async () => {
    const pooled = await pgBouncerForTest(database.url, 'transaction');
    for (const [name, env] of [
      ['DATABASE_URL', { DATABASE_URL: pooled, MIGRATE: 'off' }],
      ['DATABASE_READ_URL', { DATABASE_URL: database.url, DATABASE_READ_URL: pooled }],
    ] as const) {
      const { code, stderr } = await serveFrom(env);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: `stakegraph: ${name} leads to a pooler in transaction mode; sessions are needed: set pool_mode = session for this database (PgBouncer), or connect to PostgreSQL directly.\n`,
      });
    }
  });

  it.skipIf(noPgBouncer)('is not migrated through a pooler that pools transactions', async () => {
    const own = await createDatabase();
    onTestFinished(() => own.drop());
    const query = (text: string) => own.pool.query({ text, values: [] });
    await dropTables(own);
    const env = { DATABASE_URL: await pgBouncerForTest(own.url, 'transaction') };
    const { code, stderr } = await stakegraph(['migrate'], { env });
    expect(code).toBe(1);
    expect(stderr).toContain('DATABASE_URL leads to a pooler in transaction mode');
    const { rows } = await query(`select count(*)::int as tables from pg_tables where schemaname = 'public'`);
    expect(rows).toEqual([{ tables: 0 }]);
  });

  it.skipIf(noPgBouncer)('is not one behind a pooler that pools sessions', async () => {
    const DATABASE_URL = await pgBouncerForTest(database.url, 'session');
    const served = await serve({ env: { DATABASE_URL, DATA_DIR: dataDirForTest() } });
    expect((await served.get('/ready')).status).toBe(200);
    await served.stop();
  });

  slow('is one whose role lacks a right, which is told with what to grant', async () => {
    const role = `server_${process.pid}`;
    const run = (text: string) => database.pool.query({ text, values: [] });
    await run(`create role ${role} login password 'x'`);
    onTestFinished(async () => {
      endRunning();
      await run(`drop owned by ${role}`);
      await run(`drop role ${role}`);
    });
    await run(`grant usage on schema public to ${role}`);
    const url = new URL(database.url);
    Object.assign(url, { username: role, password: 'x' });
    const lacking = async () => (await serveFrom({ DATABASE_URL: url.href, MIGRATE: 'off' })).stderr;

    await run(`grant select on stakegraph_migrations to ${role}`);
    expect(await lacking()).toMatch(
      new RegExp(
        `^stakegraph: The role ${role} of DATABASE_URL lacks rights on \\w+, \\w+, \\w+ and \\d+ more: grant select on all tables in schema public to ${role}\\.\\n$`,
      ),
    );
    await run(`grant select on all tables in schema public to ${role}`);
    expect(await lacking()).toContain(
      'lacks rights on accounts, audit_log, idempotency_keys and 9 more: grant select, insert, update, delete on accounts, audit_log, idempotency_keys, job_runs, page_codes, private_set_days, private_set_members, private_sets, saved_views, tokens, usage, usage_batches to',
    );
    await run(`revoke all on all tables in schema public from ${role}`);
    for (const documented of documentedGrants)
      await run(documented.replaceAll(/\b(gateway|reader)\b/g, role));
    await run(`revoke delete on usage from ${role}`);
    expect(await lacking()).toContain('lacks rights on usage: grant');
    await run(`grant delete on usage to ${role}`);
    const served = await serve({
      env: { DATABASE_URL: url.href, MIGRATE: 'off', DATA_DIR: dataDirForTest() },
    });
    expect((await served.get('/ready')).status).toBe(200);
    await served.stop();
    // The first row of a month makes a part, which a backup reads by its name.
    await run(`select validator_day_parts(array[date '2031-05-01'])`);
    const file = join(dataDirForTest(), 'role.backup');
    const { code, stderr } = await stakegraph(['backup', file], { env: { DATABASE_URL: url.href } });
    expect({ code, stderr }).toMatchObject({ code: 0 });
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

slow('A gateway stays ready, and starts, beside a newer migration that says that it may go on', async () => {
  const database = await createDatabase('empty');
  onTestFinished(async () => {
    endRunning();
    await database.drop();
  });
  const env = { DATABASE_URL: database.url, DATA_DIR: dataDirForTest() };
  const served = await serve({ env });
  const run = (text: string) => database.pool.query({ text, values: [] });
  await run(`insert into compatible_migrations select '9999_later', max(name) from stakegraph_migrations`);
  await run(`insert into stakegraph_migrations (name, run_on) values ('9999_later', now())`);
  const until = performance.now() + 2_500; // the database is asked once a second
  while (performance.now() < until) expect((await served.get('/ready')).status).toBe(200);
  const other = await serve({ env });
  expect((await other.get('/ready')).status).toBe(200);
  expect(await stakegraph(['migrate'], { env })).toMatchObject({ code: 0, stdout: 'nothing to apply\n' });
});

describe('stakegraph on a standby as DATABASE_URL', () => {
  let standby: Embedded;
  let env: Record<string, string>;
  let token: string;
  const dataDir = makeDataDir();
  beforeAll(async () => {
    await prepare(dataDir.path);
    const primary = await startEmbedded({ dataDir: dataDir.path });
    const pool = createPool({ url: primary.url, readOnly: false });
    token = (await createToken(pool, 'test')).token;
    await pool.end();
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

  it('is 503 with Retry-After to what would write, on both APIs, and answers what reads', async () => {
    const served = await serve({ env: { ...env, DATA_DIR: dataDirForTest() } });
    const ask = async (path: string, body?: object) => {
      const response = await fetch(served.url + path, {
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      });
      return { response, body: () => bodyOf<GraphqlErrors>(response) };
    };
    const rest = await ask('/v1/eth/tags', { name: 'Mine' });
    const query = 'mutation { createPrivateSet(input: { name: "Mine" }) { privateSet { name } } }';
    const graphql = await ask('/graphql', { query });
    for (const { response } of [rest, graphql])
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    expect((await graphql.body()).errors[0].extensions.code).toBe('UNAVAILABLE');
    expect((await ask('/v0/eth/slashings')).response.status).toBe(200);
  });

  it.each([
    ['import slashings -', '-: nothing loaded\n'],
    ['account create somebody', ''],
  ])('refuses %s, and names the setting', async (command, before) => {
    const { code, stdout, stderr } = await stakegraph(command.split(' '), { env, input: '[]' });
    const reason = 'The database of DATABASE_URL cannot be written: it is a standby or read-only.';
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: `${before}stakegraph: ${reason}\n`,
    });
  });

  it('is backed up, and refuses restore --replace in one line', async () => {
    const file = join(dataDir.path, 'standby.backup');
    expect(await stakegraph(['backup', file], { env })).toMatchObject({ code: 0 });
    expect(await stakegraph(['restore', file, '--replace'], { env })).toMatchObject({
      code: 1,
      stderr: 'stakegraph: The database to be written is a standby or read-only: choose its primary.\n',
    });
  });
});
