import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { statementsOf } from '../../src/db/distributed/statements.ts';

const folder = fileURLToPath(new URL('../../src/db/migrations', import.meta.url));
const files = readdirSync(folder).filter((name) => name.endsWith('.sql'));
const textOf = (name: string) => readFileSync(`${folder}/${name}`, 'utf8');

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
    for (const name of files)
      for (const statement of statementsOf(textOf(name))) {
        expect([name, (statement.match(/\$\$/g) ?? []).length % 2]).toEqual([name, 0]);
        expect(statement).not.toMatch(/\$\$;\s*create/);
      }
  });
});

/** What Citus refuses of a distributed table. Files up to this one ran before a table could be distributed. */
const LAST_PLAIN = '0055_audit_log.sql';

function refusedOf(text: string): string[] {
  const bare = text.replace(/--[^\n]*/g, '');
  return statementsOf(bare).flatMap((statement) => {
    if (!/\bvalidator_days\b/.test(statement)) return [];
    const rules: [string, boolean][] = [
      [
        'an identity column',
        /alter table validator_days\b[\s\S]*generated (always|by default) as identity/i.test(statement),
      ],
      [
        'a trigger',
        /create (or replace )?(constraint )?trigger[\s\S]*\bon validator_days\b/i.test(statement),
      ],
      ['a foreign key', /alter table validator_days\b[\s\S]*(references|foreign key)/i.test(statement)],
      [
        'a unique index without validator_index',
        /(create unique index[\s\S]*\bon validator_days\b|alter table validator_days\b[\s\S]*(unique|primary key))/i.test(
          statement,
        ) && !/\((?:[^()]|\([^()]*\))*\bvalidator_index\b/.test(statement),
      ],
      [
        'a constraint beside another change',
        /alter table validator_days\b[\s\S]*add (constraint|primary key|unique|check)/i.test(statement) &&
          /,\s*(add|drop|alter)\b|(drop|alter) [\s\S]*,\s*add/i.test(statement),
      ],
    ];
    return rules.filter(([, broken]) => broken).map(([rule]) => rule);
  });
}

describe('migrations after the first that may meet a distributed table', () => {
  it('do to validator_days nothing that Citus refuses', () => {
    const later = files.filter((name) => name > LAST_PLAIN);
    expect(later.flatMap((name) => refusedOf(textOf(name)).map((rule) => `${name}: ${rule}`))).toEqual([]);
  });

  it.each([
    ['an identity column', 'alter table validator_days add column n bigint generated always as identity'],
    ['a trigger', 'create trigger t after insert on validator_days for each statement execute function f()'],
    ['a foreign key', 'alter table validator_days add column n int references sync_committees'],
    ['a unique index without validator_index', 'create unique index on validator_days (network, date)'],
    [
      'a constraint beside another change',
      'alter table validator_days drop constraint a, add constraint b check (true)',
    ],
  ])('are refused with %s', (rule, text) => expect(refusedOf(`${text};`)).toContain(rule));

  it('may add columns and indexes', () => {
    const text = `alter table validator_days add column n integer; create index on validator_days (date);
      create unique index on validator_days (network, validator_index, date);`;
    expect(refusedOf(text)).toEqual([]);
  });
});
