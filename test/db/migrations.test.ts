import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { statementsOf } from '../../src/db/distributed/statements.ts';
import { BASELINE } from '../../src/db/migrate/baseline.ts';
import { committedMigrations } from '../../src/db/migrate/index.ts';
import { createDatabase } from '../support/gateway.ts';
import { migrationsFolder, routinesFolder } from '../support/migrations.ts';
import { schemaText } from '../support/schema-text.ts';

const snapshot = fileURLToPath(new URL('./migrations.sha256', import.meta.url));
const textsIn = (folder: string) =>
  new Map(
    readdirSync(folder)
      .sort()
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );
const sumsIn = (folder: string, name: string) =>
  [...textsIn(folder)].map(
    ([file, text]) => `${createHash('sha256').update(text).digest('hex')}  ${name}/${file}`,
  );

const routines = [...textsIn(routinesFolder).values()].join('\n');
const bare = (text: string) => text.replace(/--[^\n]*/g, '');
const namesOf = (pattern: RegExp) => [...bare(routines).matchAll(pattern)].map(([, name]) => name as string);
// search_form is made with a collation that the server has.
const functions = [...namesOf(/^create or replace function (\w+)/gm), 'search_form'];
const views = namesOf(/^create or replace view (\w+)/gm);
const triggers = namesOf(/create or replace trigger (\w+)/g);

describe('a committed migration', () => {
  it('never changes, and routines change with a migration: their checksums are those of migrations.sha256', () => {
    const advice = `
A migration that was ever committed may be applied somewhere: put it back as it was and write a new one beside it.
Changed routines need a new migration too, by which an older version knows that it must not put its own back.
Both get their lines by: (cd src/db && sha256sum migrations/*.sql routines/*.sql) > test/db/migrations.sha256
`;
    expect(
      [...sumsIn(migrationsFolder, 'migrations'), ...sumsIn(routinesFolder, 'routines')],
      advice,
    ).toEqual(readFileSync(snapshot, 'utf8').trim().split('\n'));
  });
});

/** What is wrong with a migration that follows the baseline. */
function faultsOf(text: string): string[] {
  const made = /\bcreate (or replace )?(function|procedure|view|(constraint )?trigger)\b/i.exec(
    bare(text),
  )?.[0];
  const called = functions.filter((name) => new RegExp(`\\b${name}\\s*\\(`).test(bare(text)));
  return [...(made ? [made] : []), ...called.map((name) => `calls ${name}`)];
}

describe('a migration after the baseline', () => {
  it('makes no function, view or trigger, and calls none of the routines', async () => {
    const later = (await committedMigrations()).filter((name) => name > BASELINE);
    for (const name of later)
      expect([name, faultsOf(readFileSync(join(migrationsFolder, `${name}.sql`), 'utf8'))]).toEqual([
        name,
        [],
      ]);
  });

  it.each([
    [
      'create or replace function f() returns int language sql as $$ select 1 $$',
      ['create or replace function'],
    ],
    ['create view v as select 1', ['create view']],
    ['create trigger t after insert on blocks for each statement execute function f()', ['create trigger']],
    [
      `select raise_revision('blocks'); do $$ begin perform raise_revision ('x'); end $$`,
      ['calls raise_revision'],
    ],
    ['alter table blocks add column raised integer; drop view operator_blocks; -- raise_revision()', []],
  ])('%s: %j', (text, faults) => expect(faultsOf(text)).toEqual(faults));
});

describe('the routines', () => {
  it('are statements that may run again, each of a name of its own', () => {
    const allowed = /^(create or replace (function|view|trigger)|do \$\$|select find_similar_names\(\))/;
    for (const statement of statementsOf(routines)) expect(bare(statement).trim()).toMatch(allowed);
    expect(functions).toEqual([...new Set(functions)]);
    expect(views).toEqual([...new Set(views)]);
  });

  it('and the baseline are all that a new database has', async () => {
    const database = await createDatabase('empty');
    onTestFinished(() => database.drop());
    const run = async (text: string) =>
      (await database.pool.query({ text, values: [] })).rows.map(({ name }) => name as string);
    const own = (catalogue: string, oid: string) =>
      `not exists (select from pg_depend d where d.classid = '${catalogue}'::regclass and d.objid = ${oid} and d.deptype = 'e')`;
    const inDatabase = await run(
      `select distinct proname::text as name from pg_proc p
      where pronamespace = 'public'::regnamespace and ${own('pg_proc', 'p.oid')} order by 1`,
    );
    expect(inDatabase).toEqual([...functions].sort());
    expect(
      await run(
        `select relname::text as name from pg_class where relkind = 'v' and relnamespace = 'public'::regnamespace order by 1`,
      ),
    ).toEqual([...views].sort());
    expect(
      await run('select distinct tgname::text as name from pg_trigger where not tgisinternal order by 1'),
    ).toEqual([...new Set(triggers)].sort());
    await expect(schemaText(database.pool)).resolves.toMatchFileSnapshot('../../src/db/schema.sql');
  });
});
