import { open } from 'node:fs/promises';
import type { ArchivedMonth, SumsFile } from './catalogue.ts';
import { type Duck, quote } from './duckdb.ts';
import { filesOfMonth, pathOf, sha256OfFile } from './part-file.ts';

/** Sums of a validator's days by name: expressions of DuckDB over days `a`, which give whole numbers of 64 bits. */
export type MonthSums = {
  expressions: Readonly<Record<string, string>>;
  /** Changes with the expressions. Sums of another version are not used. */
  version: string;
};

/** Engines that read whole folders leave out names that begin like this. */
export const sumsFileOf = (network: string, month: string): string =>
  `_validator_sums-${network}-${month.slice(0, 7)}.parquet`;

export const hasSums = ({ sums }: ArchivedMonth, { version }: MonthSums): boolean =>
  sums?.version === version;

/** Months of which the sums are read, and those of which the days are. */
export type MonthsToRead = { summed: readonly ArchivedMonth[]; others: readonly ArchivedMonth[] };

const DAY_MS = 86_400_000;

/** The sums of a month are read if all its days are asked for; `from` and `to` are inclusive dates. */
export function monthsToRead(
  months: readonly ArchivedMonth[],
  sums: MonthSums,
  { from, to }: { from?: string | undefined; to?: string | undefined },
): MonthsToRead {
  const end = to === undefined ? undefined : new Date(Date.parse(to) + DAY_MS).toISOString().slice(0, 10);
  const isSummed = (month: ArchivedMonth) =>
    hasSums(month, sums) && (from ?? month.month) <= month.month && (end ?? month.next) >= month.next;
  return { summed: months.filter(isSummed), others: months.filter((month) => !isSummed(month)) };
}

export const pathsOfSums = (months: readonly ArchivedMonth[]): string[] =>
  months.map((month) => pathOf(filesOfMonth(month).sums ?? month));

export const summed = ({ expressions }: MonthSums, names: readonly string[]): string =>
  names.map((name) => `(${expressions[name]})::bigint as "${name}"`).join(', ');

export type WrittenSums = Omit<SumsFile, 'file'>;

/** Sums the days in the file `from` by calendar and validator, and writes them to the file `to`. */
export async function writeSums(
  duck: Duck,
  from: string,
  to: string,
  sums: MonthSums,
  about: Record<string, unknown>,
): Promise<WrittenSums> {
  await duck.run(
    `copy (
      select utc, validator_index, ${summed(sums, Object.keys(sums.expressions))} from read_parquet(${quote(from)}) a
      group by utc, validator_index order by utc, validator_index
    ) to ${quote(to)} (format parquet, compression zstd,
      kv_metadata {stakegraph: ${quote(JSON.stringify({ ...about, sums: sums.version }))}})`,
  );
  const handle = await open(to, 'r+');
  try {
    await handle.sync();
    const { size: bytes } = await handle.stat();
    return { version: sums.version, bytes, sha256: await sha256OfFile(to) };
  } finally {
    await handle.close();
  }
}
