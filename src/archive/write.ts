import { open, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type pg from 'pg';
import { columnNames, numberColumnNames, SCHEMA_VERSION } from './columns.ts';
import { type Duck, quote, rowsOf } from './duckdb.ts';
import { type ArchivedFile, sha256OfFile, withRowGroups } from './part-file.ts';
import { type RowGroups, rowGroupsOfFile } from './row-groups.ts';
import { rowHash } from './row-hash.ts';
import { type MonthOfTable, rowsOfTable } from './table-rows.ts';
import { appending, streamRows } from './vectors.ts';

/**
 * Of all validators: 330 of them in a month. Larger groups take less space; in groups of half the size, one validator takes
 * as long to read, since DuckDB spends most of it on each column of each group.
 */
const ROWS_IN_GROUP = 20_480;
const GROUPS_AT_ONCE = 50;

export type WrittenMonth = {
  rows: number;
  bytes: number;
  sha256: Buffer;
  rowsSha256: Buffer;
  groups: RowGroups;
};

export type WriteProgress = (doing: 'reading' | 'writing' | 'verifying', rows: number) => void;

/**
 * Reads the file as readers do. Calls `work` with a temporary file that has some of its row groups, in order, and with the
 * number of rows so far.
 */
export async function eachPart(
  month: ArchivedFile,
  { frame, groups }: RowGroups,
  work: (path: string, rows: number) => Promise<void>,
): Promise<void> {
  let rows = 0;
  for (let at = 0; at < groups.length; at += GROUPS_AT_ONCE) {
    const some = groups.slice(at, at + GROUPS_AT_ONCE);
    rows += some.reduce((sum, [, , count]) => sum + count, 0);
    await withRowGroups([{ month, frame, groups: some }], ([path]) => work(path as string, rows));
  }
}

async function hashOfFile(
  duck: Duck,
  month: ArchivedFile,
  groups: RowGroups,
  note: (rows: number) => void,
): Promise<Buffer> {
  const hash = rowHash();
  await eachPart(month, groups, async (path, rows) => {
    const text = `select ${numberColumnNames.join(', ')} from read_parquet(${quote(path)})
      where network = ${quote(month.network)}`;
    await streamRows(duck, text, hash.add);
    note(rows);
  });
  return hash.digest();
}

class DifferentRows extends Error {}

/**
 * Writes a network's rows of a part of `validator_days` into a Parquet file, reads the file again, and compares all rows.
 * `client` is in a transaction of one snapshot. Undefined if there are no rows.
 */
export async function writeMonth(
  client: pg.ClientBase,
  duck: Duck,
  source: MonthOfTable,
  { path, database }: { path: string; database: string },
  note: WriteProgress,
): Promise<WrittenMonth | undefined> {
  const hash = rowHash();
  await appending(duck, 'month_rows', async (append) => {
    for await (const rows of rowsOfTable(client, source)) {
      hash.add(rows);
      append(rows);
      note('reading', hash.rows());
    }
  });
  const rows = hash.rows();
  if (rows === 0) return undefined;
  const rowsSha256 = hash.digest();
  note('writing', rows);
  const { network, month } = source;
  const about = { schema: SCHEMA_VERSION, ...source, rows, sha256: rowsSha256.toString('hex'), database };
  const columns = columnNames.map((name) => (name === 'network' ? `${quote(network)} as network` : name));
  await duck.run(
    `copy (select ${columns.join(', ')} from month_rows)
    to ${quote(path)} (format parquet, compression zstd, compression_level 1, row_group_size ${ROWS_IN_GROUP}, write_bloom_filter false,
      kv_metadata {stakegraph: ${quote(JSON.stringify(about))}})`,
  );
  await duck.run('drop table month_rows');
  const handle = await open(path, 'r+');
  await handle.sync().finally(() => handle.close());
  const { size: bytes } = await stat(path);
  const groups = await rowGroupsOfFile(duck, path);
  const file = { network, month, folder: dirname(path), file: basename(path), bytes };
  const written = await hashOfFile(duck, file, groups, (done) => note('verifying', done));
  if (!written.equals(rowsSha256))
    throw new DifferentRows(
      `the file that was written does not have the ${rows} rows of ${source.part} of ${network}; nothing was dropped`,
    );
  return { rows, bytes, sha256: await sha256OfFile(path), rowsSha256, groups };
}

/** The database that wrote a file which an earlier run left. Undefined if stakegraph did not write it. */
export async function databaseOfFile(duck: Duck, path: string): Promise<string | undefined> {
  const found = await rowsOf<{ value: string }>(
    duck,
    `select decode(value) as value from parquet_kv_metadata($path) where decode(key) = 'stakegraph'`,
    { path },
  ).catch(() => []);
  return found[0] && (JSON.parse(found[0].value) as { database: string }).database;
}
