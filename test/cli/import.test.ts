import { link, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { slashing } from '../ingest/rows.ts';
import { eventually } from '../support/eventually.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import {
  launch,
  main,
  makeDataDir,
  type Outcome,
  run,
  stakegraph,
  stakegraphOfEach,
} from '../support/process.ts';
import { slow } from '../support/thorough.ts';

let database: TestDatabase;
const folder = makeDataDir();
beforeAll(async () => {
  database = await createDatabase('empty');
});
afterAll(async () => {
  await database.drop();
  await folder.remove();
});
beforeEach(async () => {
  await database.pool.query({ text: 'truncate slashings, imported_files, datasets', values: [] });
});

const options = () => ({ env: { DATABASE_URL: database.url }, cwd: folder.path });
const call = (...args: string[]) => stakegraph(['import', 'slashings', ...args], options());
const callEach = (...lists: string[][]) =>
  stakegraphOfEach(
    lists.map((args) => ['import', 'slashings', ...args]),
    options(),
  );
const ndjson = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => `${JSON.stringify(slashing(from + index))}\n`).join('');
const file = async (name: string, content: string) => {
  await writeFile(join(folder.path, name), content);
  return name;
};
const state = async () => {
  const text = `select count(*)::int as rows, coalesce(sum(slashing_epoch), 0)::text as epochs,
    (select revision from datasets where name = 'slashings') as revision from slashings`;
  return (await database.pool.query({ text, values: [] })).rows[0];
};

describe('stakegraph import', () => {
  slow('of standard input waits for a writer that takes its time', async () => {
    const { child, outcome } = launch(['import', 'slashings', '-'], options());
    await sleep(1_500); // when the command has begun to read
    child.stdin.write(ndjson(1, 10));
    await sleep(300);
    child.stdin.write(ndjson(11, 10));
    child.stdin.end();
    expect(await outcome).toMatchObject({ code: 0, stderr: '' });
    expect(await state()).toMatchObject({ rows: 20 });
  });

  slow('reports every file that was not loaded when the database fails', async () => {
    const rest = await file('rest.ndjson', ndjson(50, 1));
    const { child, outcome } = launch(['import', 'slashings', '-', rest, '--json', '--jobs', '1'], options());
    child.stdin.on('error', () => undefined); // the command leaves without reading the rest
    child.stdin.write(ndjson(1, 30_000));
    const cut = `select pg_terminate_backend(pid) as cut from pg_stat_activity
      where datname = current_database() and query like '%fillStaging%' and pid <> pg_backend_pid()`;
    await eventually(async () => {
      expect((await database.pool.query({ text: cut, values: [] })).rows).toHaveLength(1);
    }, 20_000);
    child.stdin.end();
    const { code, stdout, stderr } = await outcome;
    const error = expect.stringMatching(/^The database of DATABASE_URL: ./);
    const lines = stdout.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { file: '-', loaded: false, error },
      { file: rest, loaded: false, error },
    ]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`-: nothing loaded\n${rest}: nothing loaded\nstakegraph: The database`),
    ]);
    expect(await state()).toMatchObject({ rows: 0 });
  });

  slow(
    'refuses to write invalid rows to a file that it reads, and --rejects without --skip-invalid',
    async () => {
      const rows = `${ndjson(1, 1)}{}\n`;
      await file('loop.ndjson', rows);
      await file('loop.ndjson.rejected.ndjson', ndjson(2, 1));
      await link(join(folder.path, 'loop.ndjson'), join(folder.path, 'linked.ndjson'));
      const [unused, ...others] = await callEach(
        ['loop.ndjson', '--rejects', 'x'],
        ['loop.ndjson', '--skip-invalid', '--rejects', 'loop.ndjson'],
        ['loop.ndjson', '--skip-invalid', '--rejects', 'linked.ndjson'],
        ['loop.ndjson', 'loop.ndjson.rejected.ndjson', '--skip-invalid'],
      );
      expect(unused).toMatchObject({ code: 2 });
      expect(others).toHaveLength(3);
      for (const refused of others)
        expect(refused).toMatchObject({
          code: 2,
          stderr: expect.stringMatching(
            /^stakegraph: Invalid rows of loop.ndjson would be written to \S+, which is imported/,
          ),
        });
      expect(await readFile(join(folder.path, 'loop.ndjson'), 'utf8')).toBe(rows);
      expect(await state()).toMatchObject({ rows: 0 });
    },
  );

  slow('reads what can be read only once, such as a pipe by its name', async () => {
    await file('piped.ndjson', ndjson(1, 3));
    const pipe = 'mkfifo pipe && cat piped.ndjson > pipe &';
    const command = `${pipe} sleep 1; ${process.execPath} ${main} import slashings pipe`;
    expect(await run('/bin/sh', ['-c', command], options())).toMatchObject({ code: 0, stderr: '' });
    expect(await state()).toMatchObject({ rows: 3 });
  });

  slow('--jobs loads as many files at once, also when each takes its time', async () => {
    const names = await Promise.all(
      Array.from({ length: 5 }, (_, index) => file(`job-${index}.ndjson`, ndjson(1 + index, 1))),
    );
    // Another writer of slashings, which every one of them waits for with a transaction of its own.
    const release = await database.pool.withClient(async (client) => {
      await client.query(`select pg_advisory_lock(hashtext('stakegraph dataset slashings'))`);
      const loading = call('--jobs', '5', ...names);
      await sleep(7_000); // more than a connection is waited for
      await client.query('select pg_advisory_unlock_all()');
      return loading;
    });
    expect(release).toMatchObject({ code: 0, stderr: '' });
    expect(await state()).toMatchObject({ rows: 5 });
  });

  slow('--skip-invalid loads nothing where the rows that do not fit cannot be written', async () => {
    const name = await file('some.ndjson', `${ndjson(1, 2)}{}\n`);
    const { code, stderr, stdout } = await call(
      name,
      '--skip-invalid',
      '--rejects',
      'no/such/folder',
      '--json',
    );
    const told = /^some\.ndjson: nothing loaded; invalid rows cannot be written: ENOENT/;
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(told) });
    expect(JSON.parse(stdout)).toMatchObject({ file: 'some.ndjson', loaded: false });
    expect(await state()).toMatchObject({ rows: 0 });
  });

  slow('--dry-run says what would change, and changes nothing', async () => {
    const name = await file('dry.ndjson', ndjson(1, 3));
    const bad = await file('bad.ndjson', `${ndjson(1, 1)}{}\n`);
    const [good, refused] = await callEach([name, '--dry-run'], [bad, '--dry-run']);
    expect(good).toMatchObject({
      code: 0,
      stdout: 'dry.ndjson: would load 3 of 3 rows (3 new, 0 updated, 0 removed)\n',
    });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(await state()).toEqual({ rows: 0, epochs: '0', revision: null });
  });

  slow('--resume passes over files that were loaded whole, and --json tells each file', async () => {
    const [one, two] = [await file('one.ndjson', ndjson(1, 2)), await file('two.ndjson', ndjson(3, 2))];
    const [first, resumed] = await callEach([one], [one, two, '--resume', '--json']);
    expect(first).toMatchObject({ code: 0 });
    const { stdout, code } = resumed as Outcome;
    expect(code).toBe(0);
    const told = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(told).toMatchObject([
      { file: 'one.ndjson', loaded: true, passed: true, inserted: 0 },
      { file: 'two.ndjson', loaded: true, passed: false, rows: 2, inserted: 2, faults: [] },
    ]);
    await file('one.ndjson', ndjson(1, 5));
    expect((await call(one, '--resume')).stdout).toContain('5 of 5 rows (1 new, 0 updated');
  });

  slow('--jobs loads files side by side, with the same result', async () => {
    const names = [];
    for (let index = 0; index < 6; index += 1) {
      names.push(await file(`part-${index}.ndjson`, ndjson(index * 500, 500)));
    }
    expect(await call(...names, '--jobs', '3')).toMatchObject({ code: 0 });
    expect(await state()).toMatchObject({ rows: 3_000, revision: 6 });
  });

  const refused = ['0', '17', '1.5', 'many'];
  let outcomes: Promise<Outcome[]> | undefined;
  it.each(refused)('refuses --jobs %s', async (jobs) => {
    outcomes ??= stakegraphOfEach(
      refused.map((each) => ['import', 'slashings', 'none.ndjson', '--jobs', each]),
      options(),
    );
    const { code, stderr } = (await outcomes)[refused.indexOf(jobs)] as Outcome;
    expect(code).toBe(2);
    expect(stderr).toContain('An integer from 1 to 16 is needed.');
  });

  slow('killed at any moment and started again, leaves what an undisturbed run does', async () => {
    const names = [];
    for (let index = 0; index < 4; index += 1) {
      names.push(await file(`kill-${index}.ndjson`, ndjson(index * 20_000, 20_000)));
    }
    for (const wait of [350, 700, 1_100, 1_700]) {
      const { child, outcome } = launch(['import', 'slashings', ...names, '--resume'], options());
      await Promise.race([sleep(wait), outcome]);
      child.kill('SIGKILL');
      await outcome;
      expect(((await state())?.rows as number) % 20_000).toBe(0); // whole files or nothing of them
    }
    expect(await call(...names, '--resume')).toMatchObject({ code: 0 });
    const resumed = await state();
    await database.pool.query({ text: 'truncate slashings, imported_files, datasets', values: [] });
    await call(...names);
    expect(resumed).toEqual(await state());
    expect(resumed).toMatchObject({ rows: 80_000, revision: 4 });
  });
});
