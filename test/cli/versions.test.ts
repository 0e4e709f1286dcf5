import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createAccount } from '../../src/accounts/accounts.ts';
import { createToken } from '../../src/accounts/tokens.ts';
import { BASELINE, beforeBaseline } from '../../src/db/migrate/baseline.ts';
import { committedMigrations } from '../../src/db/migrate/index.ts';
import { eventually } from '../support/eventually.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { dropTables } from '../support/migrations.ts';
import { endRunning, main, project, run, type Served, serve } from '../support/process.ts';
import { schemaText } from '../support/schema-text.ts';
import { scratch } from '../support/scratch.ts';
import { versionWith } from '../support/versions.ts';

const STALLED_MS = 60_000;
/** Builds a version and loads its sample data. */
const LONG = { timeout: 900_000 };
const root = mkdtempSync(join(scratch, 'stakegraph-versions-'));
afterEach(endRunning);
afterAll(() => rmSync(root, { recursive: true, force: true }));

const old = main;
let next: string;
let breaking: string;
beforeAll(async () => {
  const newest = (await committedMigrations()).at(-1);
  const compatible = {
    '9000_later_figure': `insert into compatible_migrations values ('9000_later_figure', '${newest}');
      select pg_sleep(1);
      create table later_figures (id integer primary key);
      alter table operator_summaries add column later_figure bigint not null default 0;
      create index later_figure on operator_summaries (later_figure);`,
  };
  next = versionWith(join(root, 'next'), compatible);
  breaking = versionWith(join(root, 'breaking'), {
    ...compatible,
    '9001_breaking': 'alter table operator_summaries rename column display_name to shown_name;',
  });
});

const paths = [
  '/v0/eth/operators?window=7d&idType=pool&size=10',
  '/v0/eth/operators?window=all&idType=nodeOperator&size=10',
  '/v0/eth/slashings?size=10',
  '/v0/eth/blocks?size=3',
  '/v1/solana/delegators/stakeAuthorities?window=1d&limit=5',
];
const query = `{ operators(window: SEVEN_DAYS, first: 5) { totalCount nodes { id displayName summary(window: SEVEN_DAYS) { networkPenetration } } }
  blocks(first: 3) { nodes { id consensusSlot } } }`;

async function installed(database: TestDatabase) {
  onTestFinished(async () => {
    endRunning();
    await database.drop();
  });
  await createAccount(database.pool, { name: 'own', tier: 'enterprise' });
  const { token } = await createToken(database.pool, 'test', null, 'own');
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const env = { DATABASE_URL: database.url };
  const ask = async (served: Served, path: string, body?: object) => {
    const response = await fetch(served.url + path, {
      headers,
      signal: AbortSignal.timeout(STALLED_MS),
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    // Links of v1 have the host of the request.
    return { status: response.status, text: (await response.text()).replaceAll(served.url, 'https://host') };
  };
  return {
    ask,
    start: (program: string, MIGRATE = 'off') => serve({ main: program, env: { ...env, MIGRATE } }),
    command: (program: string, args: string[], MIGRATE = 'off') =>
      run(process.execPath, [program, ...args], { env: { ...env, MIGRATE, PORT: '0' } }),
    async bodies(served: Served) {
      const answers = [];
      for (const path of paths) answers.push(await ask(served, path));
      return [...answers, await ask(served, '/graphql', { query })];
    },
    async names(served: Served) {
      const { text } = await ask(served, '/v1/eth/tags');
      return JSON.parse(text).results.map(({ name }: { name: string }) => name);
    },
  };
}

const ready = (served: Served) =>
  eventually(async () => expect((await served.get('/ready')).status).toBe(200), STALLED_MS);

/** Returns how often all responses were compared during the migration. */
async function upgradeAndRollBack(
  versions: { old: string; next: string; pending: string },
  database: TestDatabase,
): Promise<number> {
  const { old, next, pending } = versions;
  const { start, command, ask, bodies, names } = await installed(database);
  const before = await start(old);
  const expected = await bodies(before);
  expect(new Set(expected.map(({ status }) => status))).toEqual(new Set([200]));

  const refused = await command(next, ['serve']);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain(`The database lacks ${pending}; run "stakegraph migrate"`);

  let migrated = false;
  const migration = command(next, ['migrate']).finally(() => (migrated = true));
  let served = 0;
  for (; !migrated; served += 1) {
    expect(await bodies(before)).toEqual(expected);
    await sleep(20);
  }
  expect(await migration).toMatchObject({ code: 0, stdout: `applied ${pending}\n` });

  const beside = await start(next);
  for (const gateway of [before, beside]) {
    await ready(gateway);
    expect(await bodies(gateway)).toEqual(expected);
  }
  for (const [gateway, name] of [
    [before, 'by the old version'],
    [beside, 'by the new version'],
  ] as const)
    expect((await ask(gateway, '/v1/eth/tags', { name })).status).toBe(201);
  for (const gateway of [before, beside])
    expect((await names(gateway)).sort()).toEqual(['by the new version', 'by the old version']);
  expect(await before.stop()).toMatchObject({ code: 0 });

  // A rollback: the old version starts on the schema of the new one, whether it may migrate or not.
  for (const MIGRATE of ['off', 'on']) {
    const again = await start(old, MIGRATE);
    await ready(again);
    expect(await bodies(again)).toEqual(expected);
    expect(await names(again)).toHaveLength(2);
    expect(await again.stop()).toMatchObject({ code: 0 });
  }
  expect(await command(old, ['migrate'])).toMatchObject({ code: 0, stdout: 'nothing to apply\n' });
  expect(await bodies(beside)).toEqual(expected);
  expect(await beside.stop()).toMatchObject({ code: 0 });
  return served;
}

it('the old version serves while a compatible migration runs, then beside the new one, and again after a rollback', async () => {
  const versions = { old, next, pending: '9000_later_figure' };
  expect(await upgradeAndRollBack(versions, await createDatabase('sample'))).toBeGreaterThan(0);
});

it('after a migration that is not declared compatible, the old version is not ready, and neither starts nor migrates', async () => {
  const { start, command } = await installed(await createDatabase('sample'));
  const before = await start(old);
  await ready(before);
  expect(await command(breaking, ['migrate'])).toMatchObject({
    code: 0,
    stdout: 'applied 9000_later_figure, 9001_breaking\n',
  });

  const reason = 'The database has a migration that this version does not know: 9001_breaking.';
  await eventually(async () => {
    const response = await before.get('/ready');
    expect([response.status, await response.json()]).toEqual([503, { status: 'not ready', reason }]);
  }, STALLED_MS);
  expect((await before.get('/health')).status).toBe(200);
  for (const [name, MIGRATE] of [
    ['serve', 'off'],
    ['serve', 'on'],
    ['migrate', 'off'],
  ] as const)
    expect(await command(old, [name], MIGRATE), name).toEqual({
      code: 1,
      stdout: '',
      stderr: `stakegraph: ${reason}\n`,
    });
  expect(await before.stop()).toMatchObject({ code: 0 });
});

const git = (...args: string[]) =>
  execFileSync('git', ['-C', project, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

const fileOf = (migration: string) => `src/db/migrations/${migration}.sql`;

/** The commit before the one that added the migration; undefined without a history. */
function commitBefore(migration: string): string | undefined {
  const file = fileOf(migration);
  try {
    const added = git('log', '-1', '--format=%H', '--diff-filter=A', '--', file).trim();
    return git('rev-parse', '--verify', `${added}~1`).trim();
  } catch {
    return undefined;
  }
}

const built = new Set<string>();

/** Builds the program of a commit, with the packages of today and without the explorer. */
function builtFrom(commit: string): string {
  const folder = join(root, commit);
  if (built.has(commit)) return join(folder, 'dist/main.js');
  rmSync(folder, { recursive: true, force: true }); // of a first try
  mkdirSync(folder);
  const archive = execFileSync('git', ['-C', project, 'archive', commit], { maxBuffer: 1e9 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'));
  const tsc = join(project, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--noCheck'], {
    cwd: folder,
    stdio: 'inherit',
  });
  const [from, to] = ['src', 'dist'].map((name) => join(folder, name)) as [string, string];
  cpSync(from, to, { recursive: true, filter: (path) => !path.endsWith('.ts') }); // what the program reads
  built.add(commit);
  return join(folder, 'dist/main.js');
}

/** A database with the sample data of a built program. */
async function sampleOf(program: string): Promise<TestDatabase> {
  const database = await createDatabase();
  await dropTables(database);
  const env = { DATABASE_URL: database.url };
  expect((await run(process.execPath, [program, 'migrate'], { env })).code).toBe(0);
  const { loadSampleData } = await import(join(program, '../sample/load.js'));
  await loadSampleData(
    database.pool,
    { info: () => undefined },
    { attestations: { days: 60, hourDays: 3, entities: 3 } },
  );
  return database;
}

const newest = (await committedMigrations()).at(-1) as string;
const isCompatible = readFileSync(join(project, fileOf(newest)), 'utf8').includes(
  'into compatible_migrations',
);
const commit = isCompatible ? commitBefore(newest) : undefined;
it.skipIf(commit === undefined)(
  'the last version without the newest migration is upgraded, and rolled back to, in the same way',
  LONG,
  async () => {
    const older = builtFrom(commit as string);
    const database = await sampleOf(older);
    await upgradeAndRollBack({ old: older, next: main, pending: newest }, database);
  },
);

/** What a query costs may change with the version. */
/** Without what differs by version: the cost, and the names of sample datasets, which only newer versions return. */
const comparable = ({ status, text }: { status: number; text: string }) => ({
  status,
  text: text.replace(/"cost":\{[^}]*\}/, '').replace(/,"sample":\[[^\]]*\]/, ''),
});

const lastBefore = commitBefore(BASELINE);
it.skipIf(lastBefore === undefined)(
  'the last version before the baseline is adopted with its data and its schema, and an older one is refused',
  LONG,
  async () => {
    const earlier = builtFrom(lastBefore as string);
    const database = await sampleOf(earlier);
    const { start, command, bodies } = await installed(database);
    const query = (text: string) => database.pool.query({ text, values: [] });
    const before = await start(earlier);
    const expected = await bodies(before);
    expect(await before.stop()).toMatchObject({ code: 0 });

    const last = beforeBaseline.at(-1);
    await query(`create table kept as select * from stakegraph_migrations where name = '${last}'`);
    await query(`delete from stakegraph_migrations where name = '${last}'`);
    for (const [name, MIGRATE] of [
      ['migrate', 'off'],
      ['serve', 'on'],
    ] as const)
      expect(await command(main, [name], MIGRATE), name).toEqual({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(
          /^stakegraph: The database is of a version before 0077_baseline: .*0076_saved_views\.\n$/,
        ),
      });
    await query('insert into stakegraph_migrations select * from kept');
    await query('drop table kept');

    expect(await command(main, ['migrate'])).toMatchObject({
      code: 0,
      stdout: `applied ${(await committedMigrations()).join(', ')}\n`,
    });
    const adopted = await start(main);
    expect((await bodies(adopted)).map(comparable)).toEqual(expected.map(comparable));
    expect(await adopted.stop()).toMatchObject({ code: 0 });
    const made = await createDatabase();
    onTestFinished(() => made.drop());
    expect(await schemaText(database.pool)).toBe(await schemaText(made.pool));
    expect(await command(earlier, ['migrate'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has a migration that this version does not know: 0077_baseline'),
    });
  },
);
