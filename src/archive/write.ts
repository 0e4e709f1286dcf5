import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { archivedColumns, asText, columnNames, SCHEMA_VERSION } from './columns.ts';
import { type Duck, quote, rowsOf } from './duckdb.ts';
import { type ArchivedFile, sha256OfFile, withRowGroups } from './part-file.ts';
import { type RowGroups, rowGroupsOfFile } from './row-groups.ts';

/** Of all validators: 330 of them in a month. Larger groups take less space, and longer to read one validator. */
const ROWS_IN_GROUP = 20_480;
/** Half a million rows of a month: PostgreSQL sorts them in memory. */
const VALIDATORS_AT_ONCE = 8_192;
const GROUPS_AT_ONCE = 50;

export type MonthOfTable = { part: string; network: string; month: string };

export type WrittenMonth = {
  rows: number;
  bytes: number;
  sha256: Buffer;
  rowsSha256: Buffer;
  groups: RowGroups;
};

export type WriteProgress = (doing: 'reading' | 'writing' | 'verifying', rows: number) => void;

const columns = `{${Object.entries(archivedColumns)
  .map(([name, type]) => `'${name}': '${type}'`)
  .join(', ')}}`;

/** Passes on what it adds to the hash. */
export const hashing = (hash: Hash): Transform =>
  new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });

async function highestValidator(
  client: pg.ClientBase,
  { part, network }: MonthOfTable,
): Promise<number | undefined> {
  const { rows } = await client.query<{ last: number | null }>(
    `/* highestValidator */ select greatest(
      (select max(validator_index) from ${pg.escapeIdentifier(part)} where network = $1 and not utc),
      (select max(validator_index) from ${pg.escapeIdentifier(part)} where network = $1 and utc)
    ) as last`,
    [network],
  );
  return rows[0]?.last ?? undefined;
}

/** Writes the rows into files of text, in the order of the archive. Returns the hash of the text. */
async function readRows(
  client: pg.ClientBase,
  { part, network }: MonthOfTable,
  temporary: string,
  note: (rows: number) => void,
): Promise<{ files: string[]; rows: number; sha256: Buffer }> {
  const last = await highestValidator(client, { part, network, month: '' });
  const files: string[] = [];
  const hash = createHash('sha256');
  let rows = 0;
  for (let first = 0; last !== undefined && first <= last; first += VALIDATORS_AT_ONCE) {
    const file = join(temporary, `${files.length}.csv`);
    files.push(file);
    const copy = `/* readMonth */ copy (
      select ${asText} from ${pg.escapeIdentifier(part)}
      where network = ${pg.escapeLiteral(network)} and utc = any('{f,t}')
        and validator_index >= ${first} and validator_index < ${first + VALIDATORS_AT_ONCE}
      order by validator_index, date, utc
    ) to stdout (format csv)`;
    const copied = client.query(copyTo(copy));
    await pipeline(copied, hashing(hash), createWriteStream(file, { mode: 0o600 }));
    rows += copied.rowCount;
    note(rows);
  }
  return { files, rows, sha256: hash.digest() };
}

/**
 * Reads the file as readers do. Yields a temporary file with the text of some of its rows, as COPY writes it, and the
 * number of rows so far.
 */
export async function* textOfRows(
  duck: Duck,
  month: ArchivedFile,
  { frame, groups }: RowGroups,
  temporary: string,
): AsyncGenerator<{ file: string; rows: number }> {
  const file = join(temporary, 'written.csv');
  let rows = 0;
  for (let at = 0; at < groups.length; at += GROUPS_AT_ONCE) {
    const some = groups.slice(at, at + GROUPS_AT_ONCE);
    await withRowGroups([{ month, frame, groups: some }], ([part]) =>
      duck.run(
        `copy (select ${asText} from read_parquet(${quote(part as string)})) to ${quote(file)} (format csv, header false)`,
      ),
    );
    rows += some.reduce((sum, [, , count]) => sum + count, 0);
    yield { file, rows };
  }
  await rm(file, { force: true });
}

async function hashOfRows(
  texts: ReturnType<typeof textOfRows>,
  note: (rows: number) => void,
): Promise<Buffer> {
  const hash = createHash('sha256');
  for await (const { file, rows } of texts) {
    for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) hash.update(chunk);
    note(rows);
  }
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
  { path, temporary, database }: { path: string; temporary: string; database: string },
  note: WriteProgress,
): Promise<WrittenMonth | undefined> {
  const read = await readRows(client, source, temporary, (rows) => note('reading', rows));
  if (read.rows === 0) return undefined;
  note('writing', read.rows);
  const about = { schema: SCHEMA_VERSION, ...source, rows: read.rows, sha256: read.sha256.toString('hex') };
  await duck.run(
    `copy (
      select ${columnNames.join(', ')} from read_csv([${read.files.map(quote).join(', ')}], columns = ${columns},
        header = false, auto_detect = false, delim = ',', quote = '"', nullstr = '')
    ) to ${quote(path)} (format parquet, compression zstd, compression_level 1, row_group_size ${ROWS_IN_GROUP}, write_bloom_filter false,
      kv_metadata {stakegraph: ${quote(JSON.stringify({ ...about, database }))}})`,
  );
  await Promise.all(read.files.map((file) => rm(file)));
  const handle = await open(path, 'r+');
  await handle.sync().finally(() => handle.close());
  const { size: bytes } = await stat(path);
  const groups = await rowGroupsOfFile(duck, path);
  const { network, month } = source;
  const file = { network, month, folder: dirname(path), file: basename(path), bytes };
  const written = await hashOfRows(textOfRows(duck, file, groups, temporary), (rows) =>
    note('verifying', rows),
  );
  if (!written.equals(read.sha256))
    throw new DifferentRows(
      `the file that was written does not have the ${read.rows} rows of ${source.part} of ${source.network}; nothing was dropped`,
    );
  return { rows: read.rows, bytes, sha256: await sha256OfFile(path), rowsSha256: read.sha256, groups };
}

/** Of a file that an earlier run left. Undefined if stakegraph did not write it. */
export async function databaseOfFile(duck: Duck, path: string): Promise<string | undefined> {
  const found = await rowsOf<{ value: string }>(
    duck,
    `select decode(value) as value from parquet_kv_metadata($path) where decode(key) = 'stakegraph'`,
    { path },
  ).catch(() => []);
  return found[0] && (JSON.parse(found[0].value) as { database: string }).database;
}
