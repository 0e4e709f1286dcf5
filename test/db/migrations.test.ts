import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { committedMigrations, migrate, pendingMigrations } from '../../src/db/migrate.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { stakegraph } from '../support/process.ts';

const folder = fileURLToPath(new URL('../../src/db/migrations/', import.meta.url));
const snapshot = fileURLToPath(new URL('./migrations.sha256', import.meta.url));
const temporary = mkdtempSync(join(tmpdir(), 'stakegraph-migrations-'));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

let database: TestDatabase;
beforeEach(async () => {
  const made = await createDatabase('empty');
  onTestFinished(() => made.drop());
  database = made;
  await run('drop schema public cascade');
  await run('create schema public');
});
const run = (text: string) => database.pool.query({ text, values: [] }).then(({ rows }) => rows);
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

  it('called several times at once applies each migration once', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => migrate(database.url)));
    expect(answers.flat().sort()).toEqual(await committedMigrations());
    expect(await applied()).toEqual(await committedMigrations());
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

  it('applies only what is missing', async () => {
    const dir = migrations('0001_a');
    await migrate(database.url, dir);
    cpSync(migrations('0002_b', '0003_c'), dir, { recursive: true });
    expect(await pendingMigrations(database.url, dir)).toEqual(['0002_b', '0003_c']);
    expect(await migrate(database.url, dir)).toEqual(['0002_b', '0003_c']);
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

describe('a committed migration', () => {
  it('never changes: its checksum is that of migrations.sha256', () => {
    const sums = readdirSync(folder)
      .sort()
      .map(
        (name) =>
          `${createHash('sha256')
            .update(readFileSync(join(folder, name)))
            .digest('hex')}  ${name}`,
      );
    const advice = `
A migration that was ever committed may be applied somewhere: put it back as it was and write a new one beside it.
A new one gets its line by: (cd src/db/migrations && sha256sum *.sql) > test/db/migrations.sha256
`;
    expect(sums, advice).toEqual(readFileSync(snapshot, 'utf8').trim().split('\n'));
  });
});
