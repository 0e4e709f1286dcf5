import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { readAllMonths } from '../../src/archive/read.ts';
import { agesOf } from '../../src/config/ages.ts';
import { addFeesOfMonth } from '../../src/indexer/store/restored-fees.ts';
import { restoreMonth } from '../../src/maintenance/archive/restore.ts';
import { retain } from '../../src/maintenance/retain/index.ts';
import { validatorDay } from '../maintenance/retain/retained.ts';
import { eventually } from '../support/eventually.ts';
import { gatewayForTest } from '../support/gateway.ts';
import { importText } from '../support/import.ts';
import { listOf, ORDERS, RANGES, useRankedDays, whereOf } from './ranked-days.ts';

const { gateway, run, walk, restart } = useRankedDays();
const folder = mkdtempSync(join(tmpdir(), 'stakegraph-test-ranking-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const archive = async () => {
  const reports: any[] = [];
  const ages = agesOf(['validator-days=90d']) as { 'validator-days': number };
  await retain(
    gateway.database.pool,
    { ages, dryRun: false, archive: folder, now: new Date('2025-09-02') },
    (report) => reports.push(report),
  );
  expect(reports.map(({ state, error }) => error ?? state)).toEqual(Array(reports.length).fill('archived'));
};

/** First pages of each range and order, of all validators and of two operators. */
async function answers() {
  const found: Record<string, unknown> = {};
  for (const [name, range] of Object.entries(RANGES))
    for (const { field, direction } of ORDERS)
      for (const [where, page] of [
        ['', 'first: 20'],
        [whereOf('Large'), 'last: 9'],
        ...(field === 'EFFECTIVENESS' ? [[whereOf('Small'), 'first: 5']] : []),
      ]) {
        const args = `${range} ${where} orderBy: { field: ${field}, direction: ${direction} }`;
        const { data, errors } = await gateway.graphql(`{ ${listOf(args, page as string)} }`);
        found[`${name} ${args} ${page}`] = errors ?? data;
      }
  return found;
}

/** Imports one day twice, so that days have another revision; the day is the same after each call. */
async function importAgain() {
  for (const sumBaselineMev of [998, 999])
    await importText(
      gateway,
      'validator-days',
      JSON.stringify([validatorDay('2025-08-02', { validatorIndex: 219, sumBaselineMev })]),
    );
}

/** Rankings are cached by the revision of the days, which archiving does not raise. */
async function forgetRankings() {
  await importAgain();
  await eventually(async () => {
    const { statements } = await gateway.ask(`{ ${listOf('', 'first: 1')} }`);
    expect(statements).toContain('rankingSums');
  });
}

describe('once months are archived, a ranking', () => {
  it('is the same, in all ranges and orders, of all validators and of operators', async () => {
    await importAgain();
    const before = await answers();
    expect(JSON.stringify(before)).not.toContain('errors');
    await archive();
    expect(await run('select count(*)::int as n from archived_months')).toEqual([{ n: 3 }]);
    await restart();
    await forgetRankings();
    const after = await answers();
    for (const [name, answer] of Object.entries(after)) expect([name, answer]).toEqual([name, before[name]]);
    const all = await walk('', 'first', 60);
    expect(await walk('', 'last', 100)).toEqual(all);
  });

  it('is the same of months without sums', async () => {
    const sums = await run(
      'select file, sums_file, sums_version, sums_bytes, sums_sha256 from archived_months',
    );
    const withSums = await answers();
    await run(
      'update archived_months set sums_file = null, sums_version = null, sums_bytes = null, sums_sha256 = null',
    );
    onTestFinished(async () => {
      for (const { file, sums_file, sums_version, sums_bytes, sums_sha256 } of sums)
        await gateway.database.pool.query({
          text: `update archived_months set sums_file = $2, sums_version = $3, sums_bytes = $4, sums_sha256 = $5 where file = $1`,
          values: [file, sums_file, sums_version, sums_bytes, sums_sha256],
        });
      await readAllMonths(gateway.database.pool);
    });
    await forgetRankings();
    for (const [name, answer] of Object.entries(await answers()))
      expect([name, answer]).toEqual([name, withSums[name]]);
  });

  it('takes a statement for the days of the database, and one for the figures of a page', async () => {
    await forgetRankings();
    const page = () => gateway.ask('{ validatorRanking(fromDay: 1, first: 3) { nodes { rank } } }');
    expect((await page()).statements).toEqual(['rankingSums', 'rankingFigures']);
    expect((await page()).statements).toEqual(['rankingFigures']);
    const archived = (day: number) =>
      gateway.ask(`{ validatorRanking(toDay: ${day}, first: 3) { nodes { rank } } }`);
    await archived(1529); // where the rows of a validator are in a file is read once
    expect((await archived(1530)).statements).toEqual([
      'rankingSums',
      'checkMonths',
      'rankingFigures',
      'checkMonths',
    ]);
  });

  it('costs a twentieth of the archived rows that are read', async () => {
    const stored = await run('select file, rows from archived_months');
    onTestFinished(async () => {
      for (const { file, rows } of stored)
        await run(`update archived_months set rows = ${rows} where file = '${file}'`);
      await readAllMonths(gateway.database.pool);
    });
    await run('update archived_months set rows = 6200000');
    const own = await gatewayForTest({ database: gateway.database });
    const ask = async (args: string) => {
      const { json } = await own.graphql(`{ validatorRanking(${args} first: 2) { nodes { rank } } }`);
      return json.errors?.[0].message ?? json.extensions.cost;
    };
    expect(await ask('toDate: "2025-01-30"')).toMatchObject({ estimated: 307, charged: 307 });
    // For a whole month, its sums are read: one row for each validator.
    expect(await ask('toDate: "2025-01-31"')).toMatchObject({ estimated: 12, charged: 12 });
    // Half of a month of 28 days, on which no validator has a day.
    expect(await ask('fromDate: "2025-02-15", toDate: "2025-02-28"')).toMatchObject({
      estimated: 162,
      charged: 160,
    });
    await run('update archived_months set rows = 6200000000');
    const large = await gatewayForTest({ database: gateway.database });
    const refused = await large.graphql('{ validatorRanking(toDate: "2025-01-29") { totalCount } }');
    expect(refused.errors?.[0].message).toContain('290,000,000 days of validators would be scanned');
  });

  it('of a file that is missing or changed is an error that names the month and the file', async () => {
    const path = join(folder, 'validator_days-mainnet-2025-02.parquet');
    const pathOfSums = join(folder, '_validator_sums-mainnet-2025-02.parquet');
    const [whole, wholeSums] = [readFileSync(path), readFileSync(pathOfSums)];
    onTestFinished(() => {
      writeFileSync(path, whole);
      writeFileSync(pathOfSums, wholeSums);
    });
    const named =
      'The days of mainnet in 2025-02 are archived in validator_days-mainnet-2025-02.parquet, which';
    renameSync(path, `${path}.away`);
    const { errors } = await gateway.graphql('{ validatorRanking(fromDay: 2) { totalCount } }');
    expect(errors?.map(({ message, extensions }: any) => [message, extensions.code])).toEqual([
      [`${named} is missing.`, 'UNAVAILABLE'],
    ]);
    renameSync(`${path}.away`, path);
    const changed = Buffer.from(whole);
    changed[whole.length >> 1] = (changed[whole.length >> 1] as number) ^ 1;
    writeFileSync(path, changed);
    // One month is requested in part, so its days are read; the other is requested whole, so its sums are read.
    const { status, json } = await gateway.get(
      '/v1/eth/validators/ranking?fromDate=2025-02-01&toDate=2025-02-27',
    );
    expect([status, json.detail]).toEqual([503, `${named} was changed.`]);
    wholeSums[wholeSums.length >> 1] = (wholeSums[wholeSums.length >> 1] as number) ^ 1;
    writeFileSync(pathOfSums, wholeSums);
    wholeSums[wholeSums.length >> 1] = (wholeSums[wholeSums.length >> 1] as number) ^ 1;
    const summed = await gateway.get('/v1/eth/validators/ranking?fromDay=3');
    expect([summed.status, summed.json.detail]).toEqual([
      503,
      'The sums of days of mainnet in 2025-02 are archived in _validator_sums-mainnet-2025-02.parquet, which was changed.',
    ]);
    rmSync(pathOfSums);
    const lost = await gateway.get('/v1/eth/validators/ranking?fromDay=4');
    expect([lost.status, lost.json.detail]).toEqual([
      503,
      expect.stringContaining('2025-02.parquet, which is missing'),
    ]);
    // Other months are ranked as before.
    const { data } = await gateway.graphql(
      '{ validatorRanking(fromDate: "2025-01-02", toDate: "2025-01-30") { totalCount } }',
    );
    expect(data.validatorRanking.totalCount).toBe(219);
  });

  it('counts each day once while a month moves back into the database', async () => {
    const before = await walk('fromDay: 4', 'first', 200);
    await restoreMonth(gateway.database.pool, '2025-04', () => {}, addFeesOfMonth);
    const { data } = await gateway.graphql(`{ ${listOf('fromDay: 5', 'first: 200')} }`);
    expect(data.validatorRanking.nodes).toEqual(before.slice(0, 200));
  });
});
