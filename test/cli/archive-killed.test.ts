import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { transaction } from '../../src/db/pool.ts';
import { addFeesOfMonth } from '../../src/indexer/store/restored-fees.ts';
import { sumDueMonth } from '../../src/ingest/importers/validator-months.ts';
import { restoreMonth } from '../../src/maintenance/archive/restore.ts';
import { verifyArchive } from '../../src/maintenance/archive/verify.ts';
import { createDatabase, gatewayForTest, type TestDatabase } from '../support/gateway.ts';
import { endRunning, launch } from '../support/process.ts';
import { storeDays } from '../support/stored-days.ts';
import { slow } from '../support/thorough.ts';

const folder = mkdtempSync(join(tmpdir(), 'stakegraph-test-archive-'));
let database: TestDatabase;
const run = (text: string) => database.pool.query({ text, values: [] }).then(({ rows }) => rows);
const one = async (text: string) => Number((await run(`select (${text}) as one`))[0]?.one);

const VALIDATORS = 1_500;
const DAYS = 31;

async function refreshed() {
  while (await transaction(database.pool, (client) => sumDueMonth(client, 'mainnet')));
  await run('update validator_day_dates set attestations_due = false, rewards_due = false');
}

beforeAll(async () => {
  database = await createDatabase('empty');
  await run(
    `insert into validators (network, validator_index, validator_pubkey, activation_epoch, slashed)
    select 'mainnet', i, '0x' || lpad(to_hex(i), 96, '0'), 0, false from generate_series(0, ${VALIDATORS - 1}) i`,
  );
  await storeDays(database.pool, { from: '2024-03-01', until: '2024-04-01', validators: VALIDATORS });
  await storeDays(database.pool, {
    from: '2024-03-01',
    until: '2024-04-01',
    validators: VALIDATORS,
    utc: true,
  });
  await storeDays(database.pool, { from: '2024-08-01', until: '2024-08-02', validators: 10 });
  await run(
    `insert into validator_months (network, month) values ('mainnet', '2024-03-01'), ('mainnet', '2024-08-01')`,
  );
  await refreshed();
});
afterEach(endRunning);
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await database.drop();
});

/** Starts to archive. Resolves when the command has begun to, which is seconds after its start. */
async function begun() {
  const launched = launch(['retain', '--validator-days', '90d', '--archive', folder], {
    env: { DATABASE_URL: database.url },
  });
  let hasEnded = false;
  void launched.outcome.then(() => (hasEnded = true));
  while (
    !hasEnded &&
    (await one(`select count(*) from pg_locks where locktype = 'advisory' and granted
    and database = (select oid from pg_database where datname = current_database())
    and objid = (hashtext('stakegraph archive')::bigint & 4294967295)::oid`)) === 0
  )
    await sleep(2);
  return launched;
}

const isArchived = async () => (await one('select count(*) from archived_months')) > 0;

/** Moves the month back into the database if it is archived. */
async function restored() {
  if (!(await isArchived())) return;
  await restoreMonth(database.pool, '2024-03', () => {}, addFeesOfMonth);
  await refreshed();
}

slow(
  'killed at any of ten moments of archiving, each day is there once: in the database or in the archive',
  async () => {
    const whole = await begun();
    const start = performance.now();
    expect(await whole.outcome).toMatchObject({ code: 0, stderr: '' });
    const took = performance.now() - start;
    await restored();

    const places: string[] = [];
    for (let moment = 0; moment < 10; moment += 1) {
      const { child, outcome } = await begun();
      await sleep((took * (moment + 0.5)) / 10);
      child.kill('SIGKILL');
      await outcome;
      const archived = await isArchived();
      places.push(archived ? 'archive' : 'database');
      expect(await one(`select count(*) from validator_days where date < '2024-08-01'`)).toBe(
        archived ? 0 : 2 * VALIDATORS * DAYS,
      );
      expect(await one('select coalesce(sum(rows), 0) from archived_months')).toBe(
        archived ? 2 * VALIDATORS * DAYS : 0,
      );
      const dates = (table: string) => one(`select count(*) from ${table} where date < '2024-08-01'`);
      expect([await dates('validator_day_dates'), await dates('archived_day_dates')]).toEqual(
        archived ? [0, 2 * DAYS] : [2 * DAYS, 0],
      );
      expect(await verifyArchive(database.pool, undefined, () => {})).toBe(true);
      const gateway = await gatewayForTest({ database });
      const { data } = await gateway.ask(
        '{ validator(by: { index: 1234 }) { rewards(first: 100, toDate: "2024-07-31") { totalCount nodes { day } } } }',
      );
      const { totalCount, nodes } = data.validator.rewards;
      expect([totalCount, new Set(nodes.map(({ day }: any) => day)).size]).toEqual([DAYS, DAYS]);
      await restored();
    }
    // Otherwise no kill came while the command was archiving.
    expect(places).toContain('database');

    // The next run removes what was left, and archives the month.
    expect(await (await begun()).outcome).toMatchObject({ code: 0, stderr: '' });
    expect(await isArchived()).toBe(true);
    expect(readdirSync(folder)).toEqual([
      '_validator_sums-mainnet-2024-03.parquet',
      'validator_days-mainnet-2024-03.parquet',
    ]);
  },
);
