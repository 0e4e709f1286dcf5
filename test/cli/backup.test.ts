import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmdirSync, rmSync, utimesSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { beforeBaseline } from '../../src/db/migrate/baseline.ts';
import { migrate, pendingMigrations } from '../../src/db/migrate/index.ts';
import { verifyBackup } from '../../src/maintenance/transfer/backup-read.ts';
import { writeBackup } from '../../src/maintenance/transfer/backup-write.ts';
import type { Table } from '../../src/maintenance/transfer/catalog.ts';
import { withSource } from '../../src/maintenance/transfer/source.ts';
import { until } from '../support/eventually.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { preparedForTest } from '../support/prepared.ts';
import {
  dataDirForTest,
  endRunning,
  launch,
  makeDataDir,
  run,
  serve,
  stakegraph,
} from '../support/process.ts';
import { ask, blankDatabase, contentsOf, filled, sequencesOf } from '../support/transfer.ts';
import { versionWith } from '../support/versions.ts';

let source: TestDatabase;
const folder = makeDataDir();
const file = join(folder.path, 'whole.backup');
let outcome: Awaited<ReturnType<typeof stakegraph>>;
let contents: Awaited<ReturnType<typeof contentsOf>>;
let places: Awaited<ReturnType<typeof sequencesOf>>;
beforeAll(async () => {
  source = await createDatabase('sample');
  await source.pool.query({
    text: `insert into job_runs (job, network, started_at, outcome, row_count) values ('import', '', now(), 'success', 7)`,
    values: [],
  });
  [contents, places] = [await contentsOf(source.url), await sequencesOf(source.url)];
  outcome = await stakegraph(['backup', file], { env: { DATABASE_URL: source.url } });
});
afterAll(async () => {
  await source.drop();
  await folder.remove();
});
afterEach(endRunning);

const folderOfBackups = () => mkdtempSync(join(folder.path, 'backups-'));

let made = 0;
let other: string;
beforeEach(() => {
  made += 1;
  other = join(folder.path, `${made}.backup`);
});

const programs = mkdtempSync(join(tmpdir(), 'stakegraph-next-'));
afterAll(() => rmSync(programs, { recursive: true, force: true }));
let program: string | undefined;
/** Runs a command of a version with one more migration. */
const next = (args: string[], DATABASE_URL: string, MIGRATE = 'on') => {
  program ??= versionWith(join(programs, 'next'), { '9000_later': 'create table later ();' });
  return run(process.execPath, [program, ...args], { env: { DATABASE_URL, MIGRATE } });
};
const restore = (path: string, url: string, ...flags: string[]) =>
  stakegraph(['restore', path, ...flags], { env: { DATABASE_URL: url } });
const slashing = (
  index: number,
) => `insert into slashings (network, validator_index, validator_pubkey, slashing_epoch,
  withdrawable_epoch, balance_before_slashing, balance_before_withdrawal, slashing_penalties)
  values ('mainnet', ${index}, '0x${index}', 1, 2, 3, 4, 5)`;
const slashings = async (url: string) =>
  (await ask(url, 'select validator_index as index from slashings order by 1')).map(({ index }) => index);

describe('stakegraph backup', () => {
  it('writes a file that only its owner may read, and reports its size', async () => {
    expect(outcome.code, outcome.stderr).toBe(0);
    expect(outcome.stdout).toMatch(
      /whole\.backup: \d+ tables with [\d,]+ rows in [\d.]+ MB, written and read again in [\d.]+ s\n$/,
    );
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder.path)).toEqual(['whole.backup']);
  });

  it('leaves no file if a row of the database did not get into it', async () => {
    const writing = withSource(source.url, (whole) => {
      const check = async (table: Table) => {
        const { rows, hash } = await whole.check(table);
        return { rows: table.name === 'slashings' ? String(Number(rows) + 1) : rows, hash };
      };
      const options = {
        version: '',
        replace: false,
        onProgress: () => undefined,
        onWritten: () => undefined,
      };
      return writeBackup(other, { ...whole, check }, options);
    });
    await expect(writing).rejects.toThrow(/damaged: the table slashings has \d+ rows instead of \d+\.$/);
    expect(readdirSync(folder.path)).toEqual(['whole.backup']);
  });

  it('is refused by name if it cannot be decompressed when it is read again', async () => {
    const damaged = join(folder.path, 'damaged.backup');
    const bytes = await readFile(file);
    bytes.fill(0xff, 40, 60); // in the first table
    await writeFile(damaged, bytes);
    const verified = verifyBackup(damaged, { countsRows: true, onProgress: () => undefined });
    await expect(verified).rejects.toThrow(
      /damaged\.backup is damaged: the table \w+ cannot be decompressed\.$/,
    );
    rmSync(damaged);
  });

  it('records its run for /metrics', async () => {
    const runs = `select network, outcome, row_count > 1000 as many from job_runs where job = 'backup' order by run_id`;
    expect(await ask(source.url, runs)).toEqual([{ network: '', outcome: 'success', many: true }]);
    const longName = join(folder.path, 'x'.repeat(250)); // too long with the ending of unfinished files
    const { code } = await stakegraph(['backup', longName], { env: { DATABASE_URL: source.url } });
    expect(code).toBe(1);
    expect((await ask(source.url, runs)).at(-1)).toEqual({ network: '', outcome: 'failure', many: false });
  });

  it('refuses an existing file unless --replace is given', async () => {
    await writeFile(other, 'mine');
    const small = await createDatabase('empty');
    onTestFinished(small.drop);
    const back = (...flags: string[]) =>
      stakegraph(['backup', other, '--json', ...flags], { env: { DATABASE_URL: small.url } });
    const { code, stderr } = await back();
    expect([code, stderr]).toEqual([
      2,
      `stakegraph: The file ${other} exists; choose another name, or replace it with --replace.\n`,
    ]);
    expect(await ask(small.url, 'select from job_runs')).toEqual([]);
    expect(await readFile(other, 'utf8')).toBe('mine');
    const replaced = await back('--replace');
    expect(JSON.parse(replaced.stdout)).toMatchObject({ file: other, bytes: (await stat(other)).size });
  });

  it('refuses a folder, a file in no folder, and standard output, and records none of them', async () => {
    const runs = `select count(*)::int as count from job_runs where job = 'backup'`;
    const before = await ask(source.url, runs);
    for (const [command, path, message] of [
      [
        'backup',
        folder.path,
        `${folder.path} is a folder, where each backup has a new name: leave --replace out.`,
      ],
      ['backup', '/none/x', 'There is no folder /none; make it first.'],
      ['backup', '/none/', 'There is no folder /none/; make it first.'],
      ['backup', '-', 'A backup cannot use standard input or output; for a file named -, give ./-.'],
      ['restore', folder.path, `${folder.path} is a folder; name a file.`],
      ['restore', '/none/x', 'There is no file /none/x.'],
      ['restore', '-', 'A backup cannot use standard input or output; for a file named -, give ./-.'],
    ] as const) {
      const env = { DATABASE_URL: source.url };
      const { code, stderr } = await stakegraph([command, path, '--replace'], { env });
      expect([command, path, code, stderr]).toEqual([command, path, 2, `stakegraph: ${message}\n`]);
    }
    expect(await ask(source.url, runs)).toEqual(before);
  });

  it('tells that the disk is full, and leaves no file', async ({ skip }) => {
    const small = mkdtempSync(join(tmpdir(), 'stakegraph-small-'));
    onTestFinished(() => rmdirSync(small));
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', small]);
    if (mounted.status !== 0) skip('only root can mount a small disk');
    onTestFinished(() => void spawnSync('umount', [small]));
    const { code, stderr } = await stakegraph(['backup', join(small, 'full')], {
      env: { DATABASE_URL: source.url },
    });
    expect([code, stderr]).toEqual([
      1,
      `stakegraph: ${join(small, 'full')} cannot be written: ENOSPC: no space left on device, write\n`,
    ]);
    expect(readdirSync(small)).toEqual([]);
  });

  it('leaves no file when it is stopped, and none of that name when it is killed', async () => {
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const backup = launch(['backup', other], { env: { DATABASE_URL: source.url } });
      const started = () => readdirSync(folder.path).some((name) => name.startsWith(`${made}.backup.`));
      await until(started, backup.outcome);
      backup.child.kill(signal);
      const { code, stderr } = await backup.outcome;
      expect(existsSync(other)).toBe(false);
      if (signal === 'SIGKILL') continue;
      expect([code, stderr]).toEqual([1, 'The backup was stopped; there is no new file.\n']);
      expect(started()).toBe(false);
    }
    const [partial = ''] = readdirSync(folder.path).filter((name) => name.endsWith('.partial'));
    const url = await blankDatabase();
    const { code, stderr } = await restore(join(folder.path, partial), url);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/is (damaged|not a backup)/)]);
    const next = await stakegraph(['backup', other], { env: { DATABASE_URL: source.url } });
    expect(next.code, next.stderr).toBe(0);
    expect(next.stderr).toContain(
      `stakegraph: ${join(folder.path, partial)} belongs to a killed or running backup: delete it if no backup is running.\n`,
    );
    expect(existsSync(other)).toBe(true);
    const longAgo = new Date(Date.now() - 25 * 3_600_000);
    utimesSync(join(folder.path, partial), longAgo, longAgo);
    const later = await stakegraph(['backup', '--replace', other], { env: { DATABASE_URL: source.url } });
    expect(later.code, later.stderr).toBe(0);
    expect(later.stderr).toContain(
      `stakegraph: removed ${join(folder.path, partial)}, which a killed backup left.\n`,
    );
    expect(existsSync(join(folder.path, partial))).toBe(false);
  });
});

describe('stakegraph restore', () => {
  it('tells the time of the snapshot', async () => {
    const from = await createDatabase('empty');
    onTestFinished(from.drop);
    const holder = new pg.Client({ connectionString: from.url });
    await holder.connect();
    await holder.query('begin; lock table datasets in access exclusive mode');
    const running = launch(['backup', other], { env: { DATABASE_URL: from.url } });
    const waiting = `select from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())`;
    await until(async () => (await ask(from.url, waiting)).length > 0, running.outcome);
    const [{ now }] = await ask(from.url, 'select clock_timestamp() as now');
    await holder.end();
    expect((await running.outcome).code).toBe(0);
    const { stdout } = await restore(other, await blankDatabase(), '--json');
    expect(Date.parse(JSON.parse(stdout).takenAt)).toBeLessThan(now.getTime());
  });

  it('is not restored over tables that a table of the user refers to, which is named', async () => {
    const target = await createDatabase('empty');
    onTestFinished(target.drop);
    await target.pool.query({
      text: 'create table notes (account_id uuid, constraint notes_of_account foreign key (account_id) references accounts)',
      values: [],
    });
    const { code, stderr } = await restore(file, target.url, '--replace');
    expect([code, stderr]).toEqual([
      1,
      'stakegraph: Tables of yours refer to tables that are replaced: drop the foreign keys notes_of_account of notes first, and add them again afterwards.\n',
    ]);
  });

  it('restores everything', async () => {
    const url = await blankDatabase();
    const { code, stdout, stderr } = await restore(file, url);
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^Restored and compared \d+ tables with [\d,]+ rows of 20\S+Z in [\d.]+ s\.\n$/);
    expect({ ...(await contentsOf(url)), audit_log: '' }).toEqual({ ...contents, audit_log: '' });
    const entry = 'select action, subject, details from audit_log order by entry_id desc limit 1';
    const details = { rows: expect.any(Number), replaced: false };
    expect(await ask(url, entry)).toEqual([
      { action: 'restore', subject: expect.stringMatching(/^20\S+Z$/), details },
    ]);
    const sequences = (await sequencesOf(url)).filter((each) => !each.sequencename.startsWith('audit_log'));
    expect(places).toEqual(expect.arrayContaining(sequences));
  });

  it('refuses a database with data unless --replace is given', async () => {
    const [from, to] = [await createDatabase('empty'), await createDatabase('empty')];
    onTestFinished(async () => void (await Promise.all([from.drop(), to.drop()])));
    await ask(from.url, slashing(2));
    await ask(to.url, slashing(1));
    for (const { url } of [from, to]) await ask(url, `insert into kept_sums (network) values ('mainnet')`);
    expect((await stakegraph(['backup', other], { env: { DATABASE_URL: from.url } })).code).toBe(0);
    const { code, stderr } = await restore(other, to.url);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/has data in .*slashings.*--replace/)]);
    expect(await slashings(to.url)).toEqual([1]);
    const replaced = await restore(other, to.url, '--replace', '--json');
    expect(JSON.parse(replaced.stdout)).toMatchObject({ file: other, leftOut: [], applied: [] });
    expect(await slashings(to.url)).toEqual([2]);
    // The sums are of the days that were replaced; a refresh computes them again.
    expect(await ask(to.url, 'select network from kept_sums')).toEqual([]);
  });

  it('changes no row and no sequence if it fails at its end', async () => {
    const database = await createDatabase('empty');
    onTestFinished(database.drop);
    const env = { DATABASE_URL: database.url };
    const create = (name: string) => stakegraph(['account', 'create', name], { env });
    expect((await create('one')).code).toBe(0);
    expect((await stakegraph(['backup', other], { env })).code).toBe(0);
    expect((await create('two')).code).toBe(0);
    await ask(
      database.url,
      `insert into job_runs (job, network, started_at, outcome, row_count) values ('import', '', now(), 'success', 7);
      create function refuse() returns trigger language plpgsql as $$ begin raise 'no room for it'; end $$;
      create trigger refuses before insert on audit_log for each row when (new.action = 'restore') execute function refuse()`,
    );
    const state = async () => [await contentsOf(database.url), await sequencesOf(database.url)];
    const before = await state();
    const { code, stderr } = await restore(other, database.url, '--replace');
    expect([code, stderr]).toEqual([1, 'stakegraph: no room for it\n']);
    expect(await state()).toEqual(before);
    expect((await create('three')).code).toBe(0);
  });

  it('keeps the audit log of a replaced database, and names tokens that become valid again', async () => {
    const database = await createDatabase('empty');
    onTestFinished(database.drop);
    const env = { DATABASE_URL: database.url };
    const call = (...args: string[]) => stakegraph(args, { env });
    for (const name of ['lost', 'kept']) await call('token', 'create', '--name', name);
    const ids = `select token_id::text as id, name from tokens where name = 'lost'`;
    const [lost] = await ask(database.url, ids);
    expect((await call('backup', other)).code).toBe(0);
    expect((await call('token', 'revoke', lost.id)).code).toBe(0);
    const log = () => ask(database.url, 'select * from audit_log order by entry_id');
    const before = await log();
    const { code, stdout, stderr } = await restore(other, database.url, '--replace', '--json');
    expect([code, stderr]).toEqual([
      0,
      `Tokens that were revoked, expired or unknown in the replaced database are valid now: ${lost.id} (lost); "stakegraph token revoke" ends that.\n`,
    ]);
    expect(JSON.parse(stdout).revivedTokens).toEqual([lost]);
    const after = await log();
    expect(after.slice(0, -1)).toEqual(before);
    expect(after.at(-1)).toMatchObject({
      action: 'restore',
      details: { replaced: true, revivedTokens: [lost.id] },
    });
    const again = await restore(other, database.url, '--replace');
    expect([again.code, again.stderr]).toEqual([0, '']);
    expect((await log()).slice(0, -1)).toEqual(after);
  });

  it('refuses any other connection, whatever its name, and names it', async () => {
    const url = await blankDatabase();
    await migrate(url);
    const idle = new pg.Client({ connectionString: `${url}&application_name=mine` });
    await idle.connect();
    onTestFinished(() => idle.end());
    const { code, stderr } = await restore(file, url, '--replace');
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /is connected .*: stop it first\. Connected: mine of \S+( at \S+)? \(process \d+\)\.\n$/,
      ),
    ]);
    expect(filled(await contentsOf(url))).toEqual(['accounts', 'audit_log']);
  });

  it('refuses to replace the data of an older database, and leaves it as it is', async () => {
    const [url, newer] = [await blankDatabase(), await blankDatabase()];
    const older = await migrate(url);
    await ask(url, slashing(1));
    await next(['migrate'], newer);
    expect((await next(['backup', other], newer)).code).toBe(0);
    const { code, stderr } = await next(['restore', other, '--replace'], url);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /has data, and lacks migrations of the copied one: 9000_later; choose an empty database/,
      ),
    ]);
    expect(await slashings(url)).toEqual([1]);
    expect((await ask(url, 'select from stakegraph_migrations')).length).toBe(older.length);
  });

  it('refuses a damaged or truncated file by name, before anything is written', async () => {
    const whole = await readFile(file);
    const flipped = (at: number) => {
      const bytes = Buffer.from(whole);
      bytes.writeUInt8(bytes.readUInt8(at) ^ 0x10, at);
      return bytes;
    };
    const manifestAt = whole.length - 100;
    const damages: [string, Buffer, RegExp][] = [
      ['one byte less', whole.subarray(0, -1), /its end is missing/],
      ['half of it', whole.subarray(0, whole.length / 2), /its end is missing/],
      ['the beginning only', whole.subarray(0, 30), /its end is missing/],
      ['one byte more', Buffer.concat([whole, Buffer.from('x')]), /its end is missing/],
      ['a changed table', flipped(whole.length >> 1), /the table \w+ was changed/],
      ['a changed first byte of a table', flipped(20), /the table \w+ was changed/],
      ['a changed manifest', flipped(manifestAt), /its manifest was changed/],
      ['a changed length', flipped(whole.length - 50), /its manifest (does not fit|was changed)/],
      ['another file', Buffer.from('PGDMP, and so on'), /is not a backup of stakegraph/],
      ['an empty file', Buffer.alloc(0), /is not a backup of stakegraph/],
    ];
    const url = await blankDatabase();
    for (const [what, bytes, message] of damages) {
      await writeFile(other, bytes);
      const { code, stderr } = await restore(other, url);
      expect([what, code, stderr]).toEqual([what, 1, expect.stringMatching(message)]);
      expect(stderr).toContain(other);
    }
    expect(await contentsOf(url)).toEqual({});
    const { code, stderr } = await restore(join(folder.path, 'none'), url);
    expect([code, stderr]).toEqual([2, expect.stringContaining('There is no file')]);
  });

  it('looks at the database before it reads the whole file', async () => {
    const full = await createDatabase('empty');
    onTestFinished(full.drop);
    await ask(full.url, slashing(1));
    const whole = await readFile(file);
    whole.writeUInt8(whole.readUInt8(20) ^ 0x10, 20); // only reading the whole file finds this damage
    await writeFile(other, whole);
    const { code, stderr } = await restore(other, full.url);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/The database has data in .*slashings/)]);
    const replaced = await restore(other, full.url, '--replace');
    expect([replaced.code, replaced.stderr]).toEqual([1, expect.stringMatching(/the table \w+ was changed/)]);
    expect(await slashings(full.url)).toEqual([1]);
  });

  it('refuses the backup of a version whose migrations it does not know', async () => {
    const from = await createDatabase('empty');
    onTestFinished(from.drop);
    await ask(from.url, `insert into stakegraph_migrations (name, run_on) values ('9999_tomorrow', now())`);
    expect((await stakegraph(['backup', other], { env: { DATABASE_URL: from.url } })).code).toBe(0);
    const url = await blankDatabase();
    const { code, stderr } = await restore(other, url);
    expect([code, stderr]).toEqual([
      1,
      'stakegraph: The data is of a version with migrations that this one does not know: 9999_tomorrow; use that version.\n',
    ]);
    expect(await contentsOf(url)).toEqual({});
  });

  it('migrates the backup of an older version, but not with MIGRATE=off', async () => {
    const from = await blankDatabase();
    const older = await migrate(from);
    await ask(from, slashing(1));
    expect((await stakegraph(['backup', other], { env: { DATABASE_URL: from } })).code).toBe(0);
    const applied = (url: string) => ask(url, 'select name from stakegraph_migrations order by name');
    const [url, same] = [await blankDatabase(), await blankDatabase()];
    expect((await next(['restore', other], url)).code).toBe(0);
    expect(await slashings(url)).toEqual([1]);
    expect((await applied(url)).map(({ name }) => name)).toEqual([...older, '9000_later']);
    expect(await next(['migrate'], url)).toMatchObject({ stdout: 'nothing to apply\n' });
    expect((await next(['restore', other], same, 'off')).code).toBe(0);
    expect((await applied(same)).map(({ name }) => name)).toEqual(older);
    // The functions of a version fit the tables of its newest migration.
    expect(await pendingMigrations(same)).toEqual(['its functions']);
    await migrate(same);
    expect(await pendingMigrations(same)).toEqual([]);
  });

  it('refuses the backup of a version before the baseline, by what to do', async () => {
    const from = await createDatabase('empty');
    onTestFinished(from.drop);
    await ask(from.url, slashing(1));
    const nothing = () => undefined;
    const options = { version: '0.1.0', replace: true, onProgress: nothing, onWritten: nothing };
    await withSource(from.url, (source) =>
      writeBackup(other, { ...source, migrations: [...beforeBaseline] }, options),
    );
    const { code, stderr } = await restore(other, await blankDatabase());
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^stakegraph: The data is of a version before 0077_baseline: load it with the version that wrote it, .*\n$/,
      ),
    ]);
  });

  it('leaves no row when it is killed', async () => {
    const url = await blankDatabase();
    const running = launch(['restore', file], { env: { DATABASE_URL: url } });
    const writing = `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and query ~ '(writeTable|checkTable).*(operator_history|operator_ranks|validators)'`;
    await until(async () => (await ask(url, writing)).length > 0, running.outcome);
    running.child.kill('SIGKILL');
    await running.outcome;
    expect(filled(await contentsOf(url))).toEqual(['accounts', 'audit_log']);
  });

  it('moves an embedded database, backed up while it is served, to a new folder', async () => {
    const [from, to] = [await preparedForTest(), dataDirForTest()];
    const served = await serve({ env: { DATA_DIR: from, SAMPLE_DATA: 'off' } });
    const backup = await stakegraph(['backup', other], { env: { DATA_DIR: from } });
    expect(backup.code, backup.stderr).toBe(0);
    const refused = await stakegraph(['restore', other, '--replace'], { env: { DATA_DIR: from } });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('stop it first')]);
    const often = launch(['backup', folderOfBackups(), '--every', '1d'], { env: { DATA_DIR: from } });
    await until(() => often.output.stdout.includes('written and read again'), often.outcome);
    await served.stop();
    // A running command could never reach the database again: another gateway starts it on another port.
    expect(await often.outcome).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'The embedded PostgreSQL was stopped, because the process that owned it',
      ),
    });
    const missing = await stakegraph(['restore', other], { env: { DATA_DIR: to } });
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('There is no database in')]);
    const restored = await stakegraph(['restore', other, '--create'], { env: { DATA_DIR: to } });
    expect(restored.code, restored.stderr).toBe(0);
    const again = await serve({ env: { DATA_DIR: to, SAMPLE_DATA: 'off' } });
    const headers = { authorization: `Bearer ${served.token}` };
    expect((await fetch(`${again.url}/v0/eth/slashings`, { headers })).status).toBe(200);
    await again.stop();
  });
});
