import { stat } from 'node:fs/promises';
import { boundedMap } from '../kernel/bounded.ts';
import type { ArchivedMonth } from './catalogue.ts';
import { type Duck, quote, scanning } from './duckdb.ts';
import { openMonth, pathOf, sha256OfFile, temporaryFile, UnreadableMonth } from './part-file.ts';
import { type DaysOfValidators, daysWithin, filesOf, readingFault, versionOf } from './read.ts';

/** Files that had the checksum of the catalogue, and what tells that they have not changed since. */
const checked = boundedMap<string>(10_000);

/** Throws UnreadableMonth if the file is missing or is not the one of the catalogue. Reads it once, then only if it changed. */
async function checkFile(month: ArchivedMonth): Promise<void> {
  await (await openMonth(month)).close();
  const path = pathOf(month);
  const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
  const state = [versionOf(month), dev, ino, size, mtimeNs, ctimeNs].join();
  if (checked.get(path) === state) return;
  if (!(await sha256OfFile(path)).equals(month.sha256)) throw new UnreadableMonth(month, 'was changed');
  checked.set(path, state);
}

export type Scan = Omit<DaysOfValidators, 'indices'> & {
  utc: boolean;
  /** Null: all. */
  members: readonly number[] | null;
  /** Expressions of DuckDB over days `a` of a validator, by name, which give whole numbers of 64 bits. */
  sums: Readonly<Record<string, string>>;
  /** Names of those that the statement needs. */
  needs: readonly string[];
  /** The statement, given a relation of validators with these sums, each of them once or more often. */
  statement: (archived: string) => string;
  /** Texts of its named parameters. */
  values: Record<string, string>;
  isGone: () => boolean;
};

/** Of whole months and a calendar, in TMPDIR: 10 to 15 MB for a million validators. */
const MOST_SUMS = 240;
const sumFiles = new Map<string, Promise<string>>();
const sumsKey = (month: ArchivedMonth, utc: boolean) => `${month.network} ${versionOf(month)} ${utc}`;

/** Whether the sums of a whole month are kept, so that its days need not be read again. */
export const hasSums = (month: ArchivedMonth, utc: boolean): boolean => sumFiles.has(sumsKey(month, utc));

const columnsOf = (sums: Scan['sums'], names: readonly string[]) =>
  names.map((name) => `(${sums[name]})::bigint as "${name}"`).join(', ');

async function makeSums(month: ArchivedMonth, { sums, utc, isGone }: Scan): Promise<string> {
  const path = temporaryFile();
  const text = `copy (
    select validator_index, ${columnsOf(sums, Object.keys(sums))} from ${filesOf([pathOf(month)])} a
    where ${daysWithin({ utc })} group by validator_index
  ) to ${quote(path)} (format parquet, compression zstd)`;
  await checkedScan([month], isGone, (duck) => duck.run(text));
  return path;
}

/** The file with the sums of a month, which is made when it is asked for first. */
function sumsOf(month: ArchivedMonth, scan: Scan): Promise<string> {
  const key = sumsKey(month, scan.utc);
  const known = sumFiles.get(key);
  if (known) return known;
  const made = makeSums(month, scan);
  sumFiles.set(key, made);
  made.catch(() => sumFiles.delete(key));
  return made;
}

const DAY_MS = 86_400_000;
const isWithin = (
  { month, next }: ArchivedMonth,
  { from = month, to = next }: Omit<DaysOfValidators, 'indices'>,
) => from <= month && new Date(Date.parse(to) + DAY_MS).toISOString().slice(0, 10) >= next;

/** A statement over whole files. Calls `each` with the columns of some thousand rows at a time, in order. */
export async function scanMonths(
  months: readonly ArchivedMonth[],
  scan: Scan,
  each: (columns: unknown[][]) => void,
): Promise<void> {
  const { members, sums, needs, statement, values, isGone, ...within } = scan;
  const summed: string[] = [];
  const others: ArchivedMonth[] = [];
  for (const month of months) {
    const isSummed = isWithin(month, within) && (hasSums(month, scan.utc) || sumFiles.size < MOST_SUMS);
    if (isSummed) summed.push(await sumsOf(month, scan));
    else others.push(month);
  }
  const isMember = members ? 'validator_index in (select unnest($members::integer[]))' : 'true';
  const names = needs.map((name) => `"${name}"`).join(', ');
  const parts = [
    ...(summed.length > 0
      ? [`select validator_index, ${names} from ${filesOf(summed)} where ${isMember}`]
      : []),
    ...(others.length > 0
      ? [
          `select validator_index, ${columnsOf(sums, needs)} from ${filesOf(others.map(pathOf))} a
          where ${daysWithin(within)} and ${isMember} group by validator_index`,
        ]
      : []),
  ];
  const given = { ...values, ...(members && { members: `[${members.join(',')}]` }) };
  await checkedScan(months, isGone, (duck) =>
    streamed(duck, statement(parts.join(' union all ')), given, each),
  );
}

/** Throws UnreadableMonth if a file is missing, is not the one of the catalogue or was replaced meanwhile. */
async function checkedScan(
  months: readonly ArchivedMonth[],
  isGone: () => boolean,
  work: (duck: Duck) => Promise<unknown>,
): Promise<void> {
  const check = () => Promise.all(months.map(checkFile));
  await check();
  await scanning(isGone, work).catch(async (error) => {
    await check(); // DuckDB's own message about a file names no month
    throw readingFault(error, months[0] as ArchivedMonth);
  });
  await check();
}

async function streamed(
  duck: Duck,
  text: string,
  values: Record<string, string>,
  each: (columns: unknown[][]) => void,
): Promise<void> {
  const result = await duck.stream(text, values);
  for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk())
    each(chunk.getColumns());
}
