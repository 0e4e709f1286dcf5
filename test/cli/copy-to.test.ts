import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { migrate } from '../../src/db/migrate/index.ts';
import { exampleQueries } from '../../src/http/pages/examples.ts';
import { routes } from '../../src/resources/index.ts';
import { type Account, accountOf } from '../support/account.ts';
import { storeUsage } from '../support/accounts.ts';
import { eventually, until } from '../support/eventually.ts';
import { createDatabase, type Gateway, startGateway } from '../support/gateway.ts';
import { endRunning, launch, stakegraph } from '../support/process.ts';
import { rootQueries } from '../support/schema-queries.ts';
import {
  ask,
  blankDatabase,
  contentsOf,
  copyTo,
  filled,
  gatewayOn,
  sequencesOf,
} from '../support/transfer.ts';

/** The sample data with an account, its token, a private set, usage and runs of jobs; a gateway serves it. */
const settings = { PUBLIC_URL: 'https://stakegraph.example' };
let source: Gateway;
let account: Account;
let set: string;
beforeAll(async () => {
  source = await startGateway({ settings });
  account = await accountOf(source);
  const { rows } = await source.database.pool.query({
    text: `select validator_index from validators where network = 'mainnet' order by 1 limit 5`,
    values: [],
  });
  const validators = rows.map((row) => Number(row.validator_index));
  set = (await account.post('/v1/eth/tags', { name: 'Mine', validators })).json.id;
  await storeUsage(source, 'default', '2026-01', 12_345);
  await ask(
    source.database.url,
    `insert into job_runs (job, network, started_at, outcome, row_count) values ('import', '', now(), 'success', 7);
    insert into mirror_runs (round_id, source, scope) values (1, 'https://other.example', '{}')`,
  );
});
afterAll(() => source.close());
afterEach(endRunning);

const queries = [
  ...rootQueries.filter(([name]) => name.startsWith('Query.')).map(([, query]) => ({ query, variables: {} })),
  ...exampleQueries.filter(({ query }) => !/^\s*(mutation|subscription)/m.test(query)),
];

/** The requests left in this second depend on the time. */
const withoutRate = (text: string) => text.replace(/"remaining":\d+\}/g, '"remaining":0}');

const sourceUrl = () => source.database.url;
const tables = async (url: string) => filled(await contentsOf(url));
/** What a migrated database has before anything is loaded. */
const untouched = ['accounts', 'audit_log'];

/** Starts a copy and waits until it has written rows that nobody else sees yet. */
async function underWay(url: string) {
  const env = { DATABASE_URL: sourceUrl(), NEW_DATABASE_URL: url };
  const copy = launch(['copy-to', '--to-env', 'NEW_DATABASE_URL', '--with-sample'], { env });
  await until(async () => {
    const running = `select from pg_stat_activity where datname = current_database()
      and pid <> pg_backend_pid() and query ~ '(writeTable|checkTable).*(operator_history|operator_ranks|validators)'`;
    return (await ask(url, running)).length > 0;
  }, copy.outcome);
  return copy;
}
const nobodyCopies = (url: string) =>
  eventually(async () => {
    const text = `select from pg_stat_activity where datname = current_database()
      and application_name like 'stakegraph%'`;
    expect(await ask(url, text)).toEqual([]);
  }, 60_000);

describe('stakegraph copy-to', () => {
  it('copies everything, so that a gateway on the copy gives the same responses to the same tokens', async () => {
    const url = await blankDatabase();
    await source.meter.flush(); // otherwise the gateway could write usage during the copy
    const before = await contentsOf(source.database.url);
    const { code, stdout, stderr } = await copyTo(source.database.url, url, '--with-sample');
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/^(\d+ of \d+ tables, .*( MB(, checking)?|vacuum)\n)*$/);
    expect(stdout).toMatch(/^Copied and compared \d+ tables with [\d,]+ rows in [\d.]+ s\.\n$/);

    const after = await contentsOf(url);
    const entries = await ask(
      url,
      'select action, subject, details from audit_log order by entry_id desc limit 1',
    );
    const details = { rows: expect.any(Number), replaced: false };
    expect(entries).toEqual([{ action: 'copy-to', subject: 'all data', details }]);
    const ownChange = { audit_log: '', tokens: '' };
    expect({ ...after, ...ownChange }).toEqual({ ...before, ...ownChange });
    // The gateway writes when a token was last used.
    const tokensOf = `select to_jsonb(t) - 'last_used_at' as token from tokens t order by token_id`;
    expect(await ask(url, tokensOf)).toEqual(await ask(sourceUrl(), tokensOf));
    const sequences = (await sequencesOf(url)).filter((each) => !each.sequencename.startsWith('audit_log'));
    expect(await sequencesOf(source.database.url)).toEqual(expect.arrayContaining(sequences));

    const copy = await gatewayOn(url, settings);
    const headers = { authorization: `Bearer ${account.token}` };
    for (const route of routes.filter(({ method }) => (method ?? 'GET') === 'GET')) {
      const path = route.example.replace('5a3f1c52-0d9e-4b8a-9d53-6f2f6f0c1e01', set);
      const [one, other] = [await source.fetch(path, { headers }), await copy.fetch(path, { headers })];
      expect([path, other.status, other.text]).toEqual([path, one.status, one.text]);
    }
    for (const { query, variables } of queries) {
      const one = await source.graphql(query, variables, headers);
      const other = await copy.graphql(query, variables, headers);
      expect([query, other.status, withoutRate(other.text)]).toEqual([
        query,
        one.status,
        withoutRate(one.text),
      ]);
    }
  });

  it('copies a table that no code names, with its parts, identities and generated columns', async () => {
    const from = await createDatabase('empty');
    const to = await createDatabase('empty');
    onTestFinished(async () => void (await Promise.all([from.drop(), to.drop()])));
    const table = `create table tomorrow (
        id bigint generated always as identity, month date not null, value numeric,
        twice numeric generated always as (value * 2) stored, note json
      ) partition by range (month);
      create table after_tomorrow (name text primary key, referred bigint);
      create function refuse() returns trigger language plpgsql as $$ begin raise 'a trigger ran'; end $$;
      create trigger refuses before insert on after_tomorrow for each row execute function refuse();`;
    await ask(to.url, table);
    await ask(
      from.url,
      `${table} alter table after_tomorrow disable trigger refuses;
      create table tomorrow_1 partition of tomorrow for values from ('2026-01-01') to ('2026-02-01');
      create table tomorrow_2 partition of tomorrow for values from ('2026-02-01') to (maxvalue);
      insert into tomorrow (month, value, note)
        select '2026-01-01'::date + n, n / 3.0, '{"b": 1,  "a": null}' from generate_series(0, 99) n;
      insert into after_tomorrow values ('NaN', 1), (E'tab\t"', null);`,
    );
    expect((await copyTo(from.url, to.url)).code).toBe(0);
    const [one, other] = [await contentsOf(from.url), await contentsOf(to.url)];
    expect({ ...other, audit_log: '' }).toEqual({ ...one, audit_log: '' });
    expect(other).toMatchObject({
      after_tomorrow: expect.stringMatching(/^2 rows/),
      tomorrow_1: expect.stringMatching(/^31 rows/),
    });
    const [added] = await ask(to.url, `insert into tomorrow (month) values ('2026-01-01') returning id`);
    expect(added).toEqual({ id: '101' });
    await expect(ask(to.url, `insert into after_tomorrow values ('x')`)).rejects.toThrow('a trigger ran');
  });

  it('leaves out and names a table that stakegraph did not make', async () => {
    const from = await createDatabase('empty');
    onTestFinished(from.drop);
    await ask(from.url, 'create table notes (id serial, text text); insert into notes (text) values (1)');
    const url = await blankDatabase();
    const { code, stderr } = await copyTo(from.url, url);
    expect([code, stderr]).toEqual([0, 'Left out, because stakegraph did not make them: notes.\n']);
  });

  it('does not touch tables of the new database that are not of stakegraph', async () => {
    const from = await createDatabase('empty');
    const to = await createDatabase('empty');
    onTestFinished(async () => void (await Promise.all([from.drop(), to.drop()])));
    await ask(
      to.url,
      `create table mine (month date) partition by range (month);
      create table mine_1 partition of mine default; insert into mine values (now());
      create table notes (text text); insert into notes values ('x')`,
    );
    expect((await copyTo(from.url, to.url, '--replace')).code).toBe(0);
    expect(await ask(to.url, 'select text from notes, mine')).toEqual([{ text: 'x' }]);
  });

  it('makes a partition of the old database also where rows of the new one stand in its way', async () => {
    const from = await createDatabase('empty');
    const to = await createDatabase('empty');
    onTestFinished(async () => void (await Promise.all([from.drop(), to.drop()])));
    const table = `create table tomorrow (month date) partition by range (month);
      create table tomorrow_default partition of tomorrow default;
      create function refuse() returns trigger language plpgsql as $$ begin raise 'a trigger ran'; end $$;
      create trigger refuses before insert on tomorrow for each row execute function refuse();`;
    const insert = `alter table tomorrow disable trigger refuses; insert into tomorrow values ('2026-01-01');
      alter table tomorrow enable trigger refuses;`;
    await ask(
      from.url,
      `${table} create table tomorrow_1 partition of tomorrow for values from ('2026-01-01') to ('2026-02-01'); ${insert}`,
    );
    await ask(to.url, `${table} ${insert}`);
    const { code, stderr } = await copyTo(from.url, to.url, '--replace');
    expect([code, stderr]).toEqual([0, '']);
    expect(await ask(to.url, 'select count(*)::int as count from tomorrow_1')).toEqual([{ count: 1 }]);
    await expect(ask(to.url, `insert into tomorrow values ('2026-01-01')`)).rejects.toThrow('a trigger ran');
  });

  it('refuses a database with data, and changes nothing there, unless --replace is given', async () => {
    const to = await createDatabase('empty');
    const from = await createDatabase('empty');
    onTestFinished(async () => void (await Promise.all([from.drop(), to.drop()])));
    const slashing = (
      index: number,
    ) => `insert into slashings (network, validator_index, validator_pubkey, slashing_epoch,
      withdrawable_epoch, balance_before_slashing, balance_before_withdrawal, slashing_penalties) values ('mainnet', ${index}, '0x${index}', 1, 2, 3, 4, 5)`;
    await ask(to.url, slashing(1));
    await ask(from.url, slashing(2));
    const { code, stderr } = await copyTo(from.url, to.url);
    expect(code).toBe(1);
    expect(stderr).toBe(
      'stakegraph: The database has data in added_rows, datasets, slashings; choose an empty database, or replace all of its data with --replace.\n'.replace(
        'added_rows, datasets, slashings',
        (await tables(to.url)).filter((name) => !untouched.includes(name)).join(', '),
      ),
    );
    expect(await ask(to.url, 'select validator_index as index from slashings')).toEqual([{ index: 1 }]);
    expect((await copyTo(from.url, to.url, '--replace')).code).toBe(0);
    expect(await ask(to.url, 'select validator_index as index from slashings')).toEqual([{ index: 2 }]);
  });

  it('refuses the tables of another program', async () => {
    const url = await blankDatabase();
    await ask(url, 'create table accounts (name text); create table orders (id int)');
    const { code, stderr } = await copyTo(sourceUrl(), url, '--with-sample', '--replace');
    expect(code).toBe(1);
    expect(stderr).toContain('has tables of another program: accounts, orders; choose an empty database');
    expect(
      await ask(url, `select count(*)::int as count from pg_tables where schemaname = 'public'`),
    ).toEqual([{ count: 2 }]);
  });

  it('refuses the sample data unless --with-sample is given', async () => {
    const url = await blankDatabase();
    const { code, stderr } = await copyTo(sourceUrl(), url);
    expect(code).toBe(1);
    expect(stderr).toContain('The database has the sample data');
    expect(await tables(url)).toEqual([]);
  });

  it('refuses the database that it copies, under any address', async () => {
    const { code, stderr } = await copyTo(sourceUrl(), `${sourceUrl()}&application_name=x`, '--with-sample');
    expect([code, stderr]).toEqual([
      2,
      'stakegraph: --to-env names the database that would be copied; another one is needed.\n',
    ]);
  });

  it('refuses a database that a gateway is connected to', async () => {
    const url = await blankDatabase();
    await migrate(url);
    await gatewayOn(url);
    const { code, stderr } = await copyTo(sourceUrl(), url, '--with-sample', '--replace');
    expect(code).toBe(1);
    expect(stderr).toContain('is connected to the database to be written: stop it first');
  });

  it('refuses a variable that is not set or has no address, and shows no password', async () => {
    const refused = async (value: string | undefined, flag = 'NEW_DATABASE_URL') => {
      const env = { DATABASE_URL: sourceUrl(), NEW_DATABASE_URL: value };
      const { code, stdout, stderr } = await stakegraph(['copy-to', '--to-env', flag], { env });
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).not.toContain('secret');
      return stderr;
    };
    expect(await refused(undefined)).toContain('NEW_DATABASE_URL is not set; it must hold the database URL');
    expect(await refused('mysql://me:secret@db/x')).toContain('a postgres:// URL is needed');
    expect(await refused(undefined, 'postgres://me:secret@db/x')).toContain(
      'needs the name of an environment',
    );
  });

  it('leaves no row when it is killed, and can then be run again', async () => {
    const url = await blankDatabase();
    const copy = await underWay(url);
    copy.child.kill('SIGKILL');
    await copy.outcome;
    await nobodyCopies(url);
    expect(await tables(url)).toEqual(untouched);
    expect((await copyTo(sourceUrl(), url, '--with-sample')).code).toBe(0);
  });

  it('says at SIGTERM that nothing was copied', async () => {
    const url = await blankDatabase();
    const copy = await underWay(url);
    copy.child.kill('SIGTERM');
    const { code, stderr } = await copy.outcome;
    expect([code, stderr]).toEqual([1, 'The copy was stopped; nothing was copied.\n']);
    await nobodyCopies(url);
    expect(await tables(url)).toEqual(untouched);
  });

  it('writes nothing and names the table when a row arrives changed', async () => {
    const from = await createDatabase('empty');
    const to = await createDatabase('empty');
    onTestFinished(async () => void (await Promise.all([from.drop(), to.drop()])));
    const table = (factor: number) =>
      `create table tomorrow (value int, computed int generated always as (value * ${factor}) stored)`;
    await ask(from.url, `${table(2)}; insert into tomorrow values (1), (2)`);
    await ask(to.url, table(3));
    const { code, stderr } = await copyTo(from.url, to.url);
    expect(code).toBe(1);
    expect(stderr).toBe(
      'stakegraph: The table tomorrow was not copied whole: its 2 rows have other contents; nothing was written.\n',
    );
    expect(await tables(to.url)).toEqual(untouched);
  });
});
