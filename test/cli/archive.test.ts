import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { type Outcome, project, stakegraph } from '../support/process.ts';
import { storeDays } from '../support/stored-days.ts';
import { slow } from '../support/thorough.ts';

const folder = mkdtempSync(join(tmpdir(), 'stakegraph-test-archive-'));
const file = join(folder, 'validator_days-mainnet-2024-03.parquet');
const sums = join(folder, '_validator_sums-mainnet-2024-03.parquet');
let database: TestDatabase;
const run = (text: string) => database.pool.query({ text, values: [] }).then(({ rows }) => rows);
beforeAll(async () => {
  database = await createDatabase('empty');
  await run(
    `insert into validators (network, validator_index, validator_pubkey, activation_epoch, slashed)
    select 'mainnet', i, '0x' || lpad(to_hex(i), 96, '0'), 0, false from generate_series(0, 9) i`,
  );
  await storeDays(database.pool, { from: '2024-03-01', until: '2024-04-01', validators: 10 });
  await storeDays(database.pool, { from: '2024-08-01', until: '2024-08-11', validators: 10 });
  await run(
    `insert into validator_months (network, month) values ('mainnet', '2024-03-01'), ('mainnet', '2024-08-01')`,
  );
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await database.drop();
});

/** A folder on a disk of its own, or undefined where none can be mounted. */
function smallDisk(kilobytes: number): string | undefined {
  const path = mkdtempSync(join(tmpdir(), 'stakegraph-test-disk-'));
  const remove = () => rmSync(path, { recursive: true, force: true });
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', path]);
  const { bsize, blocks } = statfsSync(path);
  if (status !== 0 || bsize * blocks !== kilobytes * 1024) {
    // In some sandboxes a mount succeeds, but does not have the size that it was given.
    spawnSync('umount', [path]);
    remove();
    return undefined;
  }
  onTestFinished(() => {
    spawnSync('umount', [path]);
    remove();
  });
  return path;
}

const call = (...args: string[]): Promise<Outcome> =>
  stakegraph(args, { env: { DATABASE_URL: database.url } });
const archived = (...more: string[]) =>
  call('retain', '--validator-days', '90d', '--archive', folder, ...more);
const daysStored = async () => (await run('select count(*)::int as n from validator_days'))[0]?.n;

slow('a month is archived, checked, moved back and archived again by commands', async () => {
  const early = await archived();
  expect([early.code, early.stderr]).toEqual([1, expect.stringContaining('refresh')]);
  expect(await call('refresh')).toMatchObject({ code: 0 });
  expect(await call('archive', 'verify')).toMatchObject({ code: 0, stdout: 'No month is archived.\n' });
  const dry = await archived('--dry-run');
  expect([dry.code, dry.stdout]).toEqual([0, expect.stringContaining('validator_days_2024_03')]);
  expect(await daysStored()).toBe(410);

  expect(await archived()).toMatchObject({ code: 0, stderr: '' });
  expect(await daysStored()).toBe(100);
  const right = await call('archive', 'verify');
  expect([right.code, right.stdout]).toEqual([0, expect.stringContaining(`${file}: right, 310 rows`)]);
  expect(right.stdout).toContain(`${sums}: right, sums, 0.0 MB`);
  expect(await call('archive', 'sum')).toMatchObject({ code: 0, stdout: 'No sums are missing.\n' });
  rmSync(sums);
  expect((await call('archive', 'verify')).stderr).toContain(`${sums} (mainnet, 2024-03) is missing`);
  expect(await call('archive', 'sum')).toMatchObject({ code: 0, stdout: `${sums}: written\n` });
  expect(await call('archive', 'verify')).toMatchObject({ code: 0 });
  expect(await call('archive', 'restore', '2024-3')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('It must be a month like 2024-03.'),
  });
  expect((await call('archive', 'restore', '2023-01')).stderr).toContain('2023-01');
  expect(await call('archive', 'restore', '2024-03')).toMatchObject({
    code: 0,
    stdout: `${file}: 310 rows of mainnet are in the database\n`,
  });
  expect(await daysStored()).toBe(410);

  expect(await call('refresh')).toMatchObject({ code: 0 });
  expect(await archived()).toMatchObject({ code: 0, stderr: '' });
  appendFileSync(file, 'x');
  const changed = await call('archive', 'verify');
  expect([changed.code, changed.stderr]).toEqual([
    1,
    expect.stringContaining(`${file} (mainnet, 2024-03) was changed`),
  ]);
  renameSync(file, `${file}.away`);
  expect((await call('archive', 'verify')).stderr).toContain(`${file} (mainnet, 2024-03) is missing`);
  const lost = await call('archive', 'restore', '2024-03');
  expect([lost.code, lost.stderr]).toEqual([1, expect.stringContaining('is missing')]);
  expect(await daysStored()).toBe(100);
});

slow('without DuckDB, commands that need it say how to install it, and change nothing', async () => {
  const hook = join(folder, 'without-duckdb.mjs');
  writeFileSync(
    hook,
    `import { register } from 'node:module';
    register('data:text/javascript,' + encodeURIComponent(\`export async function resolve(name, context, next) {
      if (name.startsWith('@duckdb/')) throw Object.assign(new Error('Cannot find package ' + name), { code: 'ERR_MODULE_NOT_FOUND' });
      return next(name, context);
    }\`));`,
  );
  onTestFinished(() => rmSync(hook));
  const without = (...args: string[]) =>
    stakegraph(args, { env: { DATABASE_URL: database.url, NODE_OPTIONS: `--import ${hook}` } });
  const before = await daysStored();
  const { devDependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
  const version = devDependencies['@duckdb/node-api'];
  const said = `DuckDB, which is not installed: run "npm install --no-save @duckdb/node-api@${version}" in the folder of stakegraph.`;
  const archiving = ['retain', '--validator-days', '90d', '--archive', folder];
  for (const args of [archiving, [...archiving, '--dry-run'], ['archive', 'restore', '2024-03']]) {
    const { code, stderr } = await without(...args);
    expect([args, code, stderr]).toEqual([args, 1, expect.stringContaining(said)]);
  }
  expect(await daysStored()).toBe(before);
});

slow(
  'on a disk without space, archiving says so, and leaves the month in the database and nothing in the folder',
  async () => {
    await storeDays(database.pool, { from: '2024-04-01', until: '2024-05-01', validators: 40 });
    await run(
      `insert into validator_months (network, month) values ('mainnet', '2024-04-01') on conflict do nothing`,
    );
    expect(await call('refresh')).toMatchObject({ code: 0 });
    const before = await daysStored();
    const told: string[] = [];
    // Less than the rows are expected to take, and less than they do take.
    for (const kilobytes of [8, 12]) {
      const disk = smallDisk(kilobytes);
      if (!disk) return;
      const { code, stderr } = await call('retain', '--validator-days', '90d', '--archive', disk);
      expect(code).toBe(1);
      told.push(stderr);
      expect(readdirSync(disk)).toEqual([]);
      expect(await daysStored()).toBe(before);
    }
    expect(told[0]).toMatch(
      /has 1 MB free, and the month validator_days_2024_04 may need 1 MB: make room there first/,
    );
    expect(told[1]).toMatch(/stakegraph-test-disk-\w+ or \S+ is full: /);
  },
);

slow('a folder that is no folder is refused, and nothing is dropped', async () => {
  const before = await daysStored();
  const { code, stderr } = await call('retain', '--validator-days', '90d', '--archive', join(folder, 'none'));
  expect([code, stderr]).toEqual([expect.any(Number), expect.stringContaining(join(folder, 'none'))]);
  expect(code).not.toBe(0);
  expect(await daysStored()).toBe(before);
});
