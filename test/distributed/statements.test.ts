import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { statementsOf } from '../../src/db/distributed/statements.ts';
import { BASELINE } from '../../src/db/migrate/baseline.ts';
import { migrationsFolder, routinesFolder } from '../support/migrations.ts';

const files = readdirSync(migrationsFolder);
const textOf = (name: string) => readFileSync(join(migrationsFolder, name), 'utf8');
const routines = readdirSync(routinesFolder).map((name) => readFileSync(join(routinesFolder, name), 'utf8'));

describe('statements of a migration', () => {
  it('end at semicolons outside of texts, names, bodies and comments', () => {
    const text = `-- first; comment
      create table a (b text default ';''--'); /* ; /* nested; */ ; */
      do $body$ begin perform 1; execute 'x;'; end $body$;
      create function f() returns int language sql as $$ select 1; $$;
      select ";" from a -- last;`;
    expect(statementsOf(text).map((one) => one.replace(/\s+/g, ' '))).toEqual([
      `-- first; comment create table a (b text default ';''--')`,
      `/* ; /* nested; */ ; */ do $body$ begin perform 1; execute 'x;'; end $body$`,
      'create function f() returns int language sql as $$ select 1; $$',
      'select ";" from a -- last;',
    ]);
    expect(statementsOf('; -- nothing\n ;/* none */;')).toEqual([]);
    expect(statementsOf('select $q$ never closed; select 1')).toEqual(['select $q$ never closed; select 1']);
  });

  it('are all of the text, in order', () => {
    const piece = fc.constantFrom(
      "'a;b'",
      '";"',
      '$$;$$',
      '$q$ $$ ; $q$',
      '-- ;\n',
      '/* ; */',
      'select 1',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(fc.array(piece, { minLength: 1 })), (statements) => {
        const parts = statements.map((pieces) => `select ${pieces.join(' ')}\n`);
        expect(statementsOf(parts.join(';'))).toEqual(parts.map((part) => part.trim()));
      }),
    );
  });

  it('of every committed file have balanced bodies', () => {
    for (const text of [...files.map(textOf), ...routines])
      for (const statement of statementsOf(text)) {
        expect([statement, (statement.match(/\$\$/g) ?? []).length % 2]).toEqual([statement, 0]);
        expect(statement).not.toMatch(/\$\$;\s*create/);
      }
  });
});

/** What Citus refuses of a table that is not local. */
const tables = ['validator_days', 'validators', 'validator_clients'];

const refusedOf = (text: string): string[] => tables.flatMap((table) => refusedOn(table, text));

function refusedOn(table: string, text: string): string[] {
  const bare = text.replace(/--[^\n]*/g, '');
  const named = (pattern: RegExp) => new RegExp(pattern.source.replaceAll('TABLE', table), 'i');
  return statementsOf(bare).flatMap((statement) => {
    if (!named(/\bTABLE\b/).test(statement)) return [];
    const rules: [string, boolean][] = [
      [
        'an identity column',
        named(/alter table TABLE\b[\s\S]*generated (always|by default) as identity/).test(statement),
      ],
      ['a trigger', named(/create (or replace )?(constraint )?trigger[\s\S]*\bon TABLE\b/).test(statement)],
      [
        'a foreign key',
        named(/alter table TABLE\b[\s\S]*(references|foreign key)|\breferences TABLE\b/).test(statement),
      ],
      [
        'a unique index without validator_index',
        table === 'validator_days' &&
          named(
            /(create unique index[\s\S]*\bon TABLE\b|alter table TABLE\b[\s\S]*(unique|primary key))/,
          ).test(statement) &&
          !/\((?:[^()]|\([^()]*\))*\bvalidator_index\b/.test(statement),
      ],
      [
        'a constraint beside another change',
        named(/alter table TABLE\b[\s\S]*add (constraint|primary key|unique|check)/).test(statement) &&
          /,\s*(add|drop|alter)\b|(drop|alter) [\s\S]*,\s*add/i.test(statement),
      ],
      [
        'an update or deletion by a join',
        named(/^\s*update\s+TABLE\b[\s\S]*\bfrom\b|^\s*delete from\s+TABLE\b[\s\S]*\b(using|from)\b/).test(
          statement,
        ),
      ],
    ];
    return rules.filter(([, broken]) => broken).map(([rule]) => rule);
  });
}

describe('migrations after the baseline, which may meet a distributed table', () => {
  it('do to distributed and reference tables nothing that Citus refuses', () => {
    const later = files.filter((name) => name > `${BASELINE}.sql`);
    expect(later.flatMap((name) => refusedOf(textOf(name)).map((rule) => `${name}: ${rule}`))).toEqual([]);
  });

  it.each([
    ['an identity column', 'alter table validator_days add column n bigint generated always as identity'],
    ['a trigger', 'create trigger t after insert on validator_days for each statement execute function f()'],
    ['a foreign key', 'alter table validator_days add column n int references sync_committees'],
    ['a unique index without validator_index', 'create unique index on validator_days (network, date)'],
    ['an identity column', 'alter table validators add column n bigint generated always as identity'],
    ['a trigger', 'create trigger t after update on validators for each statement execute function f()'],
    [
      'a foreign key',
      'alter table slashings add foreign key (network, validator_index) references validators',
    ],
    ['a foreign key', 'alter table validator_clients add foreign key (network) references networks'],
    ['an update or deletion by a join', 'update validators v set pool = o.pool from operator_pools o'],
    ['an update or deletion by a join', 'delete from validator_clients c using validators v where c = v'],
    [
      'a constraint beside another change',
      'alter table validator_days drop constraint a, add constraint b check (true)',
    ],
  ])('are refused with %s', (rule, text) => expect(refusedOf(`${text};`)).toContain(rule));

  it('may add columns and indexes', () => {
    const text = `alter table validator_days add column n integer; create index on validator_days (date);
      create unique index on validator_days (network, validator_index, date);
      create unique index on validators (network, validator_pubkey); update validators set pool = 'a' where pool = 'b';`;
    expect(refusedOf(text)).toEqual([]);
  });
});
