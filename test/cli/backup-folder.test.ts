import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../support/eventually.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { endRunning, launch, stakegraph } from '../support/process.ts';
import { ask, blankDatabase } from '../support/transfer.ts';

let source: TestDatabase;
beforeAll(async () => {
  source = await createDatabase('sample');
});
afterAll(() => source.drop());
afterEach(endRunning);

const folderForTest = () => {
  const kept = mkdtempSync(join(tmpdir(), 'stakegraph-kept-'));
  onTestFinished(() => rmSync(kept, { recursive: true }));
  return kept;
};

describe('stakegraph backup of a folder', () => {
  it('writes a new file into a folder, and removes all but the newest with such names', async () => {
    const kept = folderForTest();
    const old = ['stakegraph-2026-01-31T235959Z.backup', 'stakegraph-2026-02-01T000000Z.backup'];
    const others = ['mine.backup', 'stakegraph-2026-02-01T000000Z.backup.old', 'stakegraph.backup'];
    for (const name of [...old, ...others]) writeFileSync(join(kept, name), '');
    const back = (...flags: string[]) =>
      stakegraph(['backup', kept, '--json', ...flags], { env: { DATABASE_URL: source.url } });
    const first = await back();
    expect(first.code, first.stderr).toBe(0);
    const { file: made, removed } = JSON.parse(first.stdout);
    expect(basename(made)).toMatch(/^stakegraph-\d{4}-\d\d-\d\dT\d{6}Z\.backup$/);
    expect(removed).toEqual([]);
    expect(readdirSync(kept).sort()).toEqual([...old, ...others, basename(made)].sort());
    const { code, stdout, stderr } = await back('--keep', '2');
    expect(code, stderr).toBe(0);
    const next = JSON.parse(stdout);
    expect(next.removed).toEqual(old);
    expect(readdirSync(kept).sort()).toEqual([...others, basename(made), basename(next.file)].sort());
    const url = await blankDatabase();
    expect((await stakegraph(['restore', next.file], { env: { DATABASE_URL: url } })).code).toBe(0);
    const before = readdirSync(kept);
    const failed = await stakegraph(['backup', kept, '--keep', '1'], {
      env: { DATABASE_URL: 'postgres://postgres@127.0.0.1:1/none' },
    });
    expect(failed.code).toBe(1);
    expect(readdirSync(kept)).toEqual(before);
  });

  it('repeats with --every, and ends with exit code 0 when it is stopped between two backups', async () => {
    const kept = folderForTest();
    const every = (time: string) =>
      launch(['backup', kept, '--keep', '1', '--every', time, '--json'], {
        env: { DATABASE_URL: source.url },
      });
    const often = every('1s');
    await until(() => often.output.stdout.split('\n').length > 2, often.outcome);
    often.child.kill('SIGKILL');
    const reports = (await often.outcome).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(reports[1].removed).toEqual([basename(reports[0].file)]);
    const recorded = async () =>
      (await ask(source.url, `select count(*)::int as count from job_runs where job = 'backup'`))[0]?.count;
    const before = await recorded();
    for (const name of readdirSync(kept)) rmSync(join(kept, name));
    const daily = every('1d');
    await until(async () => (await recorded()) > before, daily.outcome);
    await sleep(500);
    daily.child.kill('SIGTERM');
    expect(await daily.outcome).toMatchObject({ code: 0, stderr: expect.not.stringContaining('stopped') });
    const [name] = readdirSync(kept) as [string];
    const again = every('1d');
    await until(() => again.output.stderr.includes('due'), again.outcome);
    again.child.kill('SIGTERM');
    const [, date, time] = /-(\d{4}-\d\d-\d\dT)(\d{6})Z/.exec(name) as string[] as [string, string, string];
    const tomorrow = Date.parse(`${date}${time.replace(/..\B/g, '$&:')}Z`) + 86_400_000;
    const moment = new Date(tomorrow).toISOString().replace('.000', '');
    const due = `stakegraph: the next backup is due at ${moment}, because ${name} is there.\n`;
    expect(await again.outcome).toMatchObject({ code: 0, stdout: '', stderr: due });
    expect(readdirSync(kept)).toEqual([name]);
    const passed = every('1s');
    await until(() => passed.output.stdout.includes('"removed"'), passed.outcome);
    passed.child.kill('SIGKILL');
    expect(JSON.parse((await passed.outcome).stdout.split('\n')[0] as string).removed).toEqual([name]);
  });

  it('neither waits for a backup of the future nor counts it, and never removes the one it wrote', async () => {
    const kept = folderForTest();
    const [past, future] = ['stakegraph-2026-01-31T235959Z.backup', 'stakegraph-2999-01-31T235959Z.backup'];
    for (const name of [past, future]) writeFileSync(join(kept, name), '');
    const daily = launch(['backup', kept, '--keep', '1', '--every', '1d', '--json'], {
      env: { DATABASE_URL: source.url },
    });
    await until(() => daily.output.stdout.includes('"removed"'), daily.outcome);
    daily.child.kill('SIGKILL');
    const { stdout, stderr } = await daily.outcome;
    const { file: written, removed } = JSON.parse(stdout.split('\n')[0] as string);
    const progress = /^\d+ of \d+ tables, .*\n/gm; // on a slow machine
    expect([removed, stderr.replaceAll(progress, '')]).toEqual([[past], '']);
    expect(readdirSync(kept)).toEqual(expect.arrayContaining([basename(written), future]));
  });

  it('tells a failed backup of --every as a line of JSON, and goes on', async () => {
    const kept = folderForTest();
    const away = launch(['backup', kept, '--every', '1s', '--json'], {
      env: { DATABASE_URL: 'postgres://postgres@127.0.0.1:1/none' },
    });
    const linesOf = () => away.output.stdout.trim().split('\n');
    await until(() => linesOf().length > 1, away.outcome);
    away.child.kill('SIGKILL');
    await away.outcome;
    const failed = { state: 'failed', error: expect.stringContaining('ECONNREFUSED') };
    expect(linesOf().map((line) => JSON.parse(line))).toEqual(linesOf().map(() => failed));
  });

  it('leaves backups of another database alone, and does not take them for its own', async () => {
    const kept = folderForTest();
    const other = await createDatabase('empty');
    onTestFinished(() => other.drop());
    const back = (url: string, ...flags: string[]) =>
      stakegraph(['backup', kept, '--json', ...flags], { env: { DATABASE_URL: url } });
    const foreign = basename(JSON.parse((await back(other.url)).stdout).file);
    await sleep(1_000); // for another name
    const daily = launch(['backup', kept, '--every', '1d', '--json'], { env: { DATABASE_URL: source.url } });
    await until(() => daily.output.stdout.includes('"removed"'), daily.outcome);
    daily.child.kill('SIGKILL');
    await daily.outcome;
    await sleep(1_000);
    const { stdout, stderr } = await back(source.url, '--keep', '1');
    expect(stderr).toContain('has 1 backup of another database, which --keep leaves alone.');
    expect(JSON.parse(stdout).removed).toHaveLength(1);
    expect(readdirSync(kept).sort()).toEqual([foreign, basename(JSON.parse(stdout).file)]);
  });

  it('refuses --keep and --every for a file', async () => {
    const file = join(folderForTest(), 'one.backup');
    for (const [flag, value] of [
      ['--keep', '2'],
      ['--every', '1d'],
    ] as const) {
      const { code, stderr } = await stakegraph(['backup', file, flag, value], {
        env: { DATABASE_URL: source.url },
      });
      const message = `${flag} needs a folder, where each backup has a name of its own: ${file} does not exist.`;
      expect([code, stderr]).toEqual([2, `stakegraph: ${message}\n`]);
    }
  });
});
