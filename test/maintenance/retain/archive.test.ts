import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { decompress } from 'fzstd';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { archivedColumns } from '../../../src/archive/columns.ts';
import { lockWriters } from '../../../src/db/changes/locks.ts';
import { addFeesOfMonth } from '../../../src/indexer/store/restored-fees.ts';
import { restoreMonth } from '../../../src/maintenance/archive/restore.ts';
import { sumMonths as sumArchivedMonths } from '../../../src/maintenance/archive/sum.ts';
import { openArchive } from '../../../src/maintenance/retain/archiving.ts';
import { slow } from '../../support/thorough.ts';
import { short, useRetained, validatorDay } from './retained.ts';

const { gateway, run, load, sumMonths, retained, keptFrom } = useRetained();

const days = { 'validator-days': 90 };
const DATES = ['2024-11-20', '2024-12-30', '2025-01-09', '2025-02-08', '2025-04-19'];

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'stakegraph-test-archive-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function loadDays() {
  await load('validator-days', [
    ...DATES.map((date) => validatorDay(date)),
    validatorDay('2024-11-20', { validatorIndex: 9, sumMissedSyncSignatures: 3, sumSyncSignatureCount: 400 }),
    validatorDay('2024-11-21', { validatorIndex: 7, effectiveBalanceEpochs: 225 * 32000000000 }),
  ]);
  await sumMonths();
}

/** Reads the file as another program does. */
async function parquet(path: string, select = '*'): Promise<Record<string, unknown>[]> {
  const duck = await (await DuckDBInstance.create()).connect();
  const found = await duck.runAndReadAll(`select ${select} from read_parquet('${path}')`);
  return found.getRowObjectsJson();
}

/** Files of sums in the catalogue. */
const catalogued = () =>
  run(`select sums_file as file, sums_bytes::int as bytes, encode(sums_sha256, 'hex') as sha256 from archived_months
    where sums_version is not null order by month`);

const stateOf = (path: string) => {
  const bytes = readFileSync(path);
  return { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
};

const stored = () =>
  run(`select to_jsonb(d) as row from validator_days d where date < '2024-12-01'
    order by validator_index, date, utc`);

describe('months of days of validators with --archive', () => {
  slow(
    'become a Parquet file with all their rows in order, and are catalogued in place of being dropped',
    async () => {
      const folder = newFolder();
      await loadDays();
      const before = (await stored()).map(({ row }) => row);
      const told = await retained(days, { archive: folder });
      expect(short(told)).toEqual(['validator_days_2024_11 archived', 'validator_days_2024_12 archived']);
      const file = 'validator_days-mainnet-2024-11.parquet';
      expect(told[0]).toMatchObject({ rows: 3, files: [{ file, rows: 3 }] });
      expect(readdirSync(folder)).toEqual([
        '_validator_sums-mainnet-2024-11.parquet',
        '_validator_sums-mainnet-2024-12.parquet',
        file,
        'validator_days-mainnet-2024-12.parquet',
      ]);
      const rows = await parquet(join(folder, file));
      expect(Object.keys(rows[0] ?? {})).toEqual(Object.keys(archivedColumns));
      const text = (row: object) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [name, value === null ? null : String(value)]),
        );
      expect(rows.map(text)).toEqual(before.map((row) => text(row as object)));
      expect(await run('select date::text as date from validator_days order by date')).toEqual(
        DATES.slice(2).map((date) => ({ date })),
      );
      expect(
        await run('select file, rows::int, network, month::text as month from archived_months order by 1'),
      ).toEqual([
        { file, rows: 3, network: 'mainnet', month: '2024-11-01' },
        { file: 'validator_days-mainnet-2024-12.parquet', rows: 1, network: 'mainnet', month: '2024-12-01' },
      ]);
      expect(await run('select utc, day, date::text as date from archived_day_dates order by day')).toEqual([
        { utc: false, day: 1450, date: '2024-11-20' },
        { utc: false, day: 1451, date: '2024-11-21' },
        { utc: false, day: 1490, date: '2024-12-30' },
      ]);
      expect(await keptFrom()).toEqual([]);
    },
  );

  slow('are read alike by a reader that is not DuckDB', async () => {
    const folder = newFolder();
    await loadDays();
    const before = (await stored()).map(({ row }) => row as Record<string, unknown>);
    await retained(days, { archive: folder });
    const file = await asyncBufferFromFile(join(folder, 'validator_days-mainnet-2024-11.parquet'));
    const rows = await parquetReadObjects({ file, compressors: { ZSTD: (bytes) => decompress(bytes) } });
    const text = (row: Record<string, unknown>) =>
      Object.fromEntries(
        Object.keys(archivedColumns).map((name) => {
          const value = row[name] ?? null;
          return [
            name,
            value instanceof Date ? value.toISOString().slice(0, 10) : value === null ? null : String(value),
          ];
        }),
      );
    expect(rows.map(text)).toEqual(before.map(text));
  });

  slow(
    'get a file with the sums of each validator, which is catalogued with them and replaced with them',
    async () => {
      const folder = newFolder();
      await loadDays();
      const file = '_validator_sums-mainnet-2024-11.parquet';
      const sums = () =>
        parquet(
          join(folder, file),
          'utc, validator_index, "dayCount"::int as days, rewards::int as rewards, missed::int as missed',
        );
      const expected = [
        { utc: false, validator_index: 7, days: 2, rewards: -2400, missed: 2 },
        { utc: false, validator_index: 9, days: 1, rewards: -1200, missed: 1 },
      ];
      await retained(days, { archive: folder, now: new Date('2025-03-20') });
      expect(await sums()).toEqual(expected);
      expect(await catalogued()).toEqual([{ file, ...stateOf(join(folder, file)) }]);

      await restoreMonth(gateway.database.pool, '2024-11', () => {}, addFeesOfMonth);
      await run('update validator_days set sum_missed_attestations = 5 where validator_index = 9');
      await sumMonths();
      await run('update validator_day_dates set attestations_due = false, rewards_due = false');
      await retained(days, { archive: folder, now: new Date('2025-03-20') });
      expect(await sums()).toEqual([expected[0], { ...expected[1], missed: 5 }]);
      expect(await catalogued()).toEqual([{ file, ...stateOf(join(folder, file)) }]);
    },
  );

  slow(
    'move back into the database only as they were archived; of a version with another hash, as many',
    async () => {
      await loadDays();
      const before = await stored();
      await retained(days, { archive: newFolder() });
      const restored = () => restoreMonth(gateway.database.pool, '2024-11', () => {}, addFeesOfMonth);
      const catalogue = (change: string) =>
        run(`update archived_months set ${change} where month = '2024-11-01'`);
      for (const change of [`rows_sha256 = '\\x00'`, 'schema_version = 1, rows = 4']) {
        await catalogue(change);
        await expect(restored()).rejects.toThrow(
          /^The rows of .*-2024-11\.parquet are not those that were archived\.$/,
        );
      }
      await catalogue('rows = 3');
      expect(await restored()).toMatchObject([{ rows: 3 }]);
      expect(await stored()).toEqual(before);
    },
  );

  slow('get the sums that are missing by "archive sum"', async () => {
    const folder = newFolder();
    await loadDays();
    await retained(days, { archive: folder });
    const before = await catalogued();
    const summed = async () => {
      const paths: string[] = [];
      await sumArchivedMonths(gateway.database.pool, (path) => paths.push(path));
      return paths.map((path) => basename(path));
    };
    expect(await summed()).toEqual([]);
    // One month as an earlier version archived it, and one with sums by older formulas, whose file is then lost.
    const [first, second] = before.map(({ file }) => file as string) as [string, string];
    await run(`update archived_months set sums_file = null, sums_version = null, sums_bytes = null, sums_sha256 = null
      where month = '2024-11-01'`);
    await run(`update archived_months set sums_version = 'older' where month = '2024-12-01'`);
    expect(await summed()).toEqual([first, second]);
    rmSync(join(folder, second));
    expect(await summed()).toEqual([second]);
    expect(await catalogued()).toEqual(before);
    expect(readdirSync(folder)).toHaveLength(4);
  });

  it('have the columns of the table', async () => {
    const columns = await run(`select attname as name from pg_attribute
      where attrelid = 'validator_days'::regclass and attnum > 0 and not attisdropped`);
    expect(Object.keys(archivedColumns).toSorted()).toEqual(columns.map(({ name }) => name).toSorted());
  });

  slow(
    'stay in a dry run, and without --archive once older ones are archived, unless --no-archive is given',
    async () => {
      const folder = newFolder();
      await loadDays();
      expect(short(await retained(days, { archive: folder, dryRun: true }))).toEqual([
        'validator_days_2024_11 would archive',
        'validator_days_2024_12 would archive',
      ]);
      expect(readdirSync(folder)).toEqual([]);
      await retained(days, { archive: folder, now: new Date('2025-03-20') });
      expect(readdirSync(folder)).toHaveLength(2);
      const [told] = await retained(days);
      expect(told).toMatchObject({
        state: 'refused',
        error: `older months are archived: give --archive ${folder} too, or --no-archive to drop days for good`,
      });
      expect(short(await retained(days, { dropsDays: true }))).toEqual(['validator_days_2024_12 dropped']);
    },
  );

  slow('are archived while a transaction is open that began before they were written', async () => {
    const other = new pg.Client({ connectionString: gateway.database.url });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query('begin');
    await other.query('select pg_current_xact_id()');
    await loadDays();
    expect(short(await retained(days, { archive: newFolder() }))).toEqual([
      'validator_days_2024_11 archived',
      'validator_days_2024_12 archived',
    ]);
  });

  slow('whose rows change while they are archived are archived again with the change', async () => {
    const folder = newFolder();
    await loadDays();
    const change = new pg.Client({ connectionString: gateway.database.url });
    await change.connect();
    onTestFinished(() => change.end());
    await change.query('begin');
    await lockWriters(change, ['validator-days']);
    let isTold = () => {};
    const told = new Promise<void>((resolve) => (isTold = resolve));
    const done = retained(
      days,
      { archive: folder, tellAfterMs: 20, now: new Date('2025-03-20') },
      undefined,
      isTold,
    );
    await told; // the file is written, and the drop waits
    await change.query('update validator_days set proposed_count = 5 where validator_index = 9');
    await change.query('commit');
    expect((await done).at(-1)).toMatchObject({ state: 'archived', rows: 3 });
    expect(
      await parquet(
        join(folder, 'validator_days-mainnet-2024-11.parquet'),
        'validator_index, proposed_count',
      ),
    ).toContainEqual({ validator_index: 9, proposed_count: 5 });
  });

  it('stay if the file of another database has their name', async () => {
    const folder = newFolder();
    await loadDays();
    writeFileSync(join(folder, 'validator_days-mainnet-2024-11.parquet'), 'of another');
    const told = await retained(days, { archive: folder });
    expect(told[0]).toMatchObject({ state: 'refused' });
    expect(told[0]?.error).toContain('is there, and this database did not write it: move it away');
    expect(await stored()).toHaveLength(3);
    rmSync(join(folder, 'validator_days-mainnet-2024-11.parquet'));
    writeFileSync(join(folder, '_validator_sums-mainnet-2024-11.parquet'), 'of another');
    expect((await retained(days, { archive: folder }))[0]).toMatchObject({ state: 'refused' });
  });
});

describe('a folder that cannot be used', () => {
  it('is refused before anything is read: if it is missing, a file, or cannot be written', async () => {
    const folder = newFolder();
    await expect(openArchive(join(folder, 'none'))).rejects.toThrow(
      `The folder of the archive ${folder}/none does not exist: make it first.`,
    );
    writeFileSync(join(folder, 'file'), '');
    await expect(openArchive(join(folder, 'file'))).rejects.toThrow('is not a folder');
    expect(await openArchive(folder)).toBe(folder);
    if (process.getuid?.() === 0) return; // may write everywhere
    chmodSync(folder, 0o500);
    await expect(openArchive(folder)).rejects.toThrow('cannot be written (EACCES)');
  });
});
