import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createPool } from '../../src/db/pool.ts';
import { waitTimeoutMs } from '../support/deadlines.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { makeDataDir, stakegraph } from '../support/process.ts';
import { storeDays } from '../support/stored-days.ts';
import { ask, blankDatabase, contentsOf, copyTo } from '../support/transfer.ts';

const folder = makeDataDir();
afterAll(folder.remove);

const MONTH = 'validator_days_2025_01';
const detach = `alter table validator_days detach partition ${MONTH}`;
const attach = `alter table validator_days attach partition ${MONTH} for values from ('2025-01-01') to ('2025-02-01')`;

let from: TestDatabase;
let file: string;
let made = 0;
beforeEach(async () => {
  made += 1;
  file = join(folder.path, `${made}.backup`);
  from = await createDatabase('empty');
  onTestFinished(from.drop);
  const pool = createPool({ url: from.url, readOnly: false, max: 1, waitTimeoutMs });
  await storeDays(pool, { from: '2025-01-30', until: '2025-02-03', validators: 3 });
  await pool.end(); // a restore refuses other connections
});

const backup = () => stakegraph(['backup', file], { env: { DATABASE_URL: from.url } });
const restore = (url: string, ...flags: string[]) =>
  stakegraph(['restore', file, ...flags], { env: { DATABASE_URL: url } });
const withoutLog = async (url: string) => ({ ...(await contentsOf(url)), audit_log: '' });
const detachedTables = `${detach};
  select attestation_parts(array['2025-01-01'::date], hours) from unnest(array[false, true]) hours;
  alter table attestation_hours detach partition attestation_hours_2025_01;
  select operator_history_parts(array['2024-01-01'::date]);
  alter table operator_history detach partition operator_history_2024_01;
  alter table operator_history_2024_01 rename to operator_history_2024;
  select solana_epoch_parts(array[45]);
  alter table solana_stake_authority_epochs detach partition solana_stake_authority_epochs_45`;
const copied = [
  ...['attestation_hours_2025_01', 'operator_history_2024', 'solana_stake_authority_epochs_45', MONTH],
];
/** As if it was detached before the migration that added the column. */
const outdate = `select attestation_parts(array['2025-01-01'::date], false);
  alter table attestation_days detach partition attestation_days_2025_01;
  alter table attestation_days_2025_01 drop column computed`;
const why = `because the tables that they were detached from have other columns now: attestation_days_2025_01. To keep them, dump them from the original database: pg_dump -t attestation_days_2025_01\n`;

describe('detached months', () => {
  it('are copied, named and compared, and can be attached again', async () => {
    await ask(from.url, detachedTables);
    const before = await withoutLog(from.url);
    const url = await blankDatabase();
    const { code, stdout, stderr } = await copyTo(from.url, url, '--json');
    expect([code, stderr]).toEqual([
      0,
      `Detached months were copied, and stay detached: ${copied.join(', ')}.\n`,
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ leftOut: [], outdated: [], detached: copied });
    expect(before).toMatchObject({ [MONTH]: expect.stringMatching(/^6 rows/) });
    expect(await withoutLog(url)).toEqual(before);
    const count = 'select count(*)::int as rows from validator_days';
    expect(await ask(url, count)).toEqual([{ rows: 6 }]);
    await ask(url, attach);
    expect(await ask(url, count)).toEqual([{ rows: 12 }]);
  });

  it('are restored from a backup', async () => {
    await ask(from.url, detachedTables);
    const before = await withoutLog(from.url);
    expect(await backup()).toMatchObject({ code: 0, stderr: '' });
    const url = await blankDatabase();
    const { code, stdout } = await restore(url, '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ leftOut: [], outdated: [], detached: copied });
    expect(await withoutLog(url)).toEqual({ ...before, job_runs: expect.any(String) });
  });

  it('are left out with the reason if their columns are older, which a backup tells at once', async () => {
    await ask(from.url, outdate);
    const url = await blankDatabase();
    const { stdout, ...copy } = await copyTo(from.url, url, '--json');
    expect(copy).toMatchObject({ code: 0, stderr: `Left out, ${why}` });
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ leftOut: ['attestation_days_2025_01'], outdated: ['attestation_days_2025_01'], detached: [] },
    });
    expect(await backup()).toMatchObject({
      code: 0,
      stderr: `A restore to a new database will leave months out, ${why}`,
    });
    expect(await restore(await blankDatabase())).toMatchObject({ code: 0, stderr: `Left out, ${why}` });
    const again = await restore(from.url, '--replace', '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({ leftOut: [], detached: ['attestation_days_2025_01'] });
  });

  it('are replaced by a backup in which they were attached, and the other way round', async () => {
    const before = await withoutLog(from.url);
    const restored = async () => expect(await restore(from.url, '--replace')).toMatchObject({ code: 0 });
    const isPart = async () =>
      (await ask(from.url, `select relispartition as yes from pg_class where relname = '${MONTH}'`))[0].yes;
    expect((await backup()).code).toBe(0);
    await ask(from.url, detach);
    const refused = await restore(from.url);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(MONTH)]);
    await restored();
    expect(await isPart()).toBe(true);
    expect(await withoutLog(from.url)).toEqual(before);

    await ask(from.url, detach);
    file += '2';
    expect((await backup()).code).toBe(0);
    await ask(from.url, attach);
    await restored();
    expect(await isPart()).toBe(false);
    expect(await ask(from.url, `select count(*)::int as rows from ${MONTH}`)).toEqual([{ rows: 6 }]);
  });

  it('are not replaced if they are part of a table of the user', async () => {
    expect((await backup()).code).toBe(0);
    const archive = `${detach}; create table archive (like validator_days) partition by range (date);
      alter table archive attach partition ${MONTH} for values from ('2025-01-01') to ('2025-02-01')`;
    await ask(from.url, archive);
    const { code, stderr } = await restore(from.url, '--replace');
    expect([code, stderr]).toEqual([1, expect.stringContaining(`relation "${MONTH}" already exists`)]);
    expect(await ask(from.url, 'select count(*)::int as rows from archive')).toEqual([{ rows: 6 }]);
  });
});
