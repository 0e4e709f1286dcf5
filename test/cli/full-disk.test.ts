import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { slashing } from '../ingest/rows.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { main, makeDataDir, run } from '../support/process.ts';

/** Every write to it fails with ENOSPC. */
const FULL = '/dev/full';

let database: TestDatabase;
const folder = makeDataDir();
beforeAll(async () => {
  database = await createDatabase('empty');
});
afterAll(async () => {
  await database.drop();
  await folder.remove();
});

describe.skipIf(!existsSync(FULL))('a disk without space', () => {
  it('for the standard output stops no command: all is done, one line says so, and the exit code is 1', async () => {
    for (const [name, first] of [
      ['a', 1],
      ['b', 11],
    ] as const)
      await writeFile(join(folder.path, name), `${JSON.stringify(slashing(first))}\n`);
    const command = `"${process.execPath}" "${main}" import slashings a b > ${FULL}`;
    const env = { DATABASE_URL: database.url };
    const { code, stderr } = await run('/bin/sh', ['-c', command], { env, cwd: folder.path });
    expect(stderr).toMatch(/^stakegraph: The standard output cannot be written: ENOSPC[^\n]*\n$/);
    expect(code).toBe(1);
    const text = `select (select count(*)::int from slashings) as rows, array(select outcome from job_runs) as runs`;
    const { rows } = await database.pool.query({ text, values: [] });
    expect(rows).toEqual([{ rows: 2, runs: ['success'] }]);
  });

  it('for the log stops no gateway, which still ends by SIGTERM', async () => {
    const env = { ...process.env, DATABASE_URL: database.url, PORT: '0', LOG_LEVEL: 'trace' };
    const child = spawn(process.execPath, [main, 'serve'], {
      env,
      cwd: folder.path,
      stdio: ['ignore', 'pipe', openSync(FULL, 'w')],
    });
    const ended = once(child, 'exit');
    onTestFinished(() => void child.kill('SIGKILL'));
    const banner = String((await once(child.stdout as Readable, 'data'))[0]);
    const url = /serving at (\S+)/.exec(banner)?.[1] as string;
    for (let n = 0; n < 20; n += 1) expect((await fetch(`${url}/health`)).status).toBe(200);
    expect((await fetch(`${url}/v0/eth/slashings`)).status).toBe(401);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });
});
