import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { readSettings } from '../../src/config/index.ts';
import {
  isDistributed,
  layoutOf,
  openLayout,
  refuseDistributed,
  useLayout,
} from '../../src/db/distributed/layout.ts';
import { migrate } from '../../src/db/migrate/index.ts';
import { openDatabase } from '../../src/db/open/index.ts';
import { withSource } from '../../src/maintenance/transfer/source.ts';
import { checkTarget } from '../../src/maintenance/transfer/target.ts';
import { asSuperuser, installCitus, markDistributed } from '../support/citus.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { migrationsFolder } from '../support/migrations.ts';
import { stakegraph } from '../support/process.ts';
import { recordQueries } from '../support/sent.ts';
import { slow } from '../support/thorough.ts';

let database: TestDatabase;
let plain: TestDatabase;
beforeAll(async () => {
  [database, plain] = await Promise.all([createDatabase('empty'), createDatabase('empty')]);
  await installCitus(database.url);
});
afterAll(async () => {
  useLayout('plain');
  await Promise.all([database.drop(), plain.drop()]);
});
beforeEach(() => asSuperuser(database.url, 'delete from pg_dist_partition'));

const open = async (more: Record<string, string> = {}) => {
  const settings = readSettings({ DATABASE_URL: database.url, ...more });
  const { close } = await openDatabase(settings, () => undefined, { migrate: false });
  await close();
};
const otherwise =
  /^Citus distributes tables in a way that could make totals wrong: blocks is distributed by slot, slashings is a reference table\. The only layout that stakegraph supports is that of "stakegraph distribute"\. Run select undistribute_table\('blocks'\); select undistribute_table\('slashings'\); in the database\.$/;

describe('the layout of a database', () => {
  it('is plain without Citus, and with Citus while nothing is distributed', async () => {
    expect(await layoutOf(plain.pool)).toBe('plain');
    expect(await layoutOf(database.pool)).toBe('plain');
    await open();
    expect(isDistributed()).toBe(false);
  });

  it('is refused where a table is distributed otherwise than stakegraph supports, with the remedy', async () => {
    await markDistributed(database.url, 'slashings', null);
    await markDistributed(database.url, 'blocks', 'slot');
    await expect(layoutOf(database.pool)).rejects.toThrow(otherwise);
    await expect(open()).rejects.toThrow(otherwise);
    await expect(migrate(database.url)).rejects.toThrow(otherwise);
    await expect(withSource(database.url, async () => undefined)).rejects.toThrow(otherwise);
  });

  it('is refused where days of validators are distributed by another column', async () => {
    await markDistributed(database.url, 'validator_days', 'date');
    await expect(open()).rejects.toThrow(
      /validator_days is distributed by date\. .* Run select undistribute_table\('validator_days'\);/,
    );
  });

  it('is refused until stakegraph distribute has made all of it', async () => {
    const only =
      'Citus distributes only a part of the tables that it should: run "stakegraph distribute" again,';
    await markDistributed(database.url, 'validator_days', 'validator_index');
    await expect(open()).rejects.toThrow(only);
    await markDistributed(database.url, 'validators', null);
    await expect(open()).rejects.toThrow(only);
  });

  it('is refused where a dump of a distributed database was restored, also without Citus', async () => {
    for (const { url, pool } of [database, plain]) {
      await asSuperuser(url, 'select keep_block_operators(false)');
      await expect(openLayout(pool)).rejects.toThrow(
        'run "stakegraph distribute" again, or "select keep_block_operators(true)"',
      );
      await asSuperuser(url, 'select keep_block_operators(true)');
      await expect(openLayout(pool)).resolves.toBeUndefined();
    }
  });

  it('is refused while stakegraph distribute runs', async () => {
    await database.pool.withClient(async (client) => {
      await client.query(`select pg_advisory_lock(hashtext('stakegraph distribute'))`);
      try {
        await expect(openLayout(plain.pool)).resolves.toBeUndefined();
        await expect(open()).rejects.toThrow(
          '"stakegraph distribute" is running: try again when it has ended.',
        );
      } finally {
        await client.query('select pg_advisory_unlock_all()');
      }
    });
  });

  it('may have detached months that are still distributed', async () => {
    await asSuperuser(database.url, 'create table validator_days_2021_01 (validator_index int)');
    await markDistributed(database.url, 'validator_days_2021_01', 'validator_index');
    expect(await layoutOf(database.pool)).toBe('plain');
  });

  it('refuses replicas, and data from elsewhere, if days of validators are distributed', async () => {
    for (const table of ['validators', 'validator_clients']) await markDistributed(database.url, table, null);
    await markDistributed(database.url, 'validator_days', 'validator_index');
    await asSuperuser(
      database.url,
      `create function days_of_validator() returns setof validator_days language sql as $$ select * from validator_days $$;
      select keep_block_operators(false)`,
    );
    expect(await layoutOf(database.pool)).toBe('distributed');
    await open();
    expect(isDistributed()).toBe(true);
    expect(() => refuseDistributed('stakegraph repack')).toThrow(
      'stakegraph repack does not support a database in which Citus distributes validator_days: run "stakegraph distribute --undo" first.',
    );
    await expect(open({ DATABASE_READ_URL: database.url })).rejects.toThrow(
      'DATABASE_READ_URL does not support',
    );
    const target = withSource(plain.url, (source) =>
      database.pool.withClient((client) => checkTarget(client, source, true)),
    );
    await expect(target).rejects.toThrow('choose another one, and distribute it afterwards.');
    await asSuperuser(database.url, 'drop function days_of_validator; select keep_block_operators(true)');
  });

  it('gets each statement of a migration on its own if something is distributed, and one text otherwise', async () => {
    const own = await createDatabase('empty');
    onTestFinished(() => own.drop());
    await installCitus(own.url);
    const dir = mkdtempSync(join(tmpdir(), 'stakegraph-distributed-'));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    cpSync(migrationsFolder, dir, { recursive: true });
    const next = (n: number) =>
      writeFileSync(
        join(dir, `9${n}_next.sql`),
        `alter table validator_days add column n${n} integer; -- a; b\ncreate index on validator_days (n${n});`,
      );
    const sent: string[] = [];
    const stop = recordQueries((text) => /validator_days \(?/.test(text) && sent.push(text.trim()));
    onTestFinished(stop);
    next(100);
    expect(await migrate(own.url, dir)).toEqual(['9100_next']);
    expect(sent).toEqual([
      'alter table validator_days add column n100 integer; -- a; b\ncreate index on validator_days (n100);',
    ]);
    await markDistributed(own.url, 'validator_days', 'validator_index');
    sent.length = 0;
    next(101);
    expect(await migrate(own.url, dir)).toEqual(['9101_next']);
    expect(sent).toEqual([
      'alter table validator_days add column n101 integer',
      '-- a; b\ncreate index on validator_days (n101)',
    ]);
  });

  slow('is checked by the gateway and every command that reads or writes data', async () => {
    await markDistributed(database.url, 'blocks', 'slot');
    const env = { DATABASE_URL: database.url, PORT: '0' };
    const commands = [
      ['serve'],
      ['migrate'],
      ['import', 'validators', '/dev/null', '--network', 'mainnet'],
      ['refresh'],
      ['retain', '--blocks', '400d'],
      ['index', '--beacon', 'http://127.0.0.1:9'],
      ['mirror', '--from', 'http://127.0.0.1:9', '--token-env', 'TOKEN'],
      ['copy-to', '--to-env', 'NEW'],
    ];
    for (const args of commands) {
      const outcome = await stakegraph(args, { env: { ...env, NEW: plain.url, TOKEN: 'x' } });
      expect([args[0], outcome.code, outcome.stderr]).toEqual([
        args[0],
        1,
        expect.stringContaining(`Run select undistribute_table('blocks');`),
      ]);
    }
  });
});
