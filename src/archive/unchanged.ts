import { stat } from 'node:fs/promises';
import { boundedMap } from '../kernel/bounded.ts';
import type { ArchivedMonth } from './catalogue.ts';
import { MissingDuckDB } from './duckdb.ts';
import {
  type ArchivedFile,
  type CataloguedFile,
  filesOfMonth,
  openMonth,
  pathOf,
  sha256OfFile,
  UnreadableMonth,
} from './part-file.ts';
import type { MonthsToRead } from './sums.ts';

/** Files that had the checksum of the catalogue, and what shows that they have not changed since. */
const checked = boundedMap<string>(20_000);

/** Throws UnreadableMonth if the file is missing or is not the one of the catalogue. Reads it once, then only if it changed. */
async function checkFile(file: CataloguedFile): Promise<void> {
  await (await openMonth(file)).close();
  const path = pathOf(file);
  const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
  const state = [file.sha256.toString('hex'), dev, ino, size, mtimeNs, ctimeNs].join();
  if (checked.get(path) === state) return;
  if (!(await sha256OfFile(path)).equals(file.sha256)) throw new UnreadableMonth(file, 'was changed');
  checked.set(path, state);
}

/** A file of days that is lost is an error even if its sums are enough. */
async function checkSummed(month: ArchivedMonth): Promise<void> {
  const { days, sums } = filesOfMonth(month);
  await (await openMonth(days)).close();
  if (sums) await checkFile(sums);
}

/** `error` as clients may see it. */
export const readingFault = (error: unknown, file: ArchivedFile): unknown =>
  error instanceof MissingDuckDB
    ? new UnreadableMonth(file, 'this gateway cannot read without DuckDB', error)
    : error;

/** Throws UnreadableMonth if a file is missing, is not the one of the catalogue or was replaced meanwhile. */
export async function whileUnchanged<T>(
  { summed, others }: MonthsToRead,
  work: () => Promise<T>,
): Promise<T> {
  const check = () =>
    Promise.all([...summed.map(checkSummed), ...others.map((month) => checkFile(filesOfMonth(month).days))]);
  await check();
  const done = await work().catch(async (error) => {
    await check(); // DuckDB's own message about a file names no month
    throw readingFault(error, (summed[0] ?? others[0]) as ArchivedMonth);
  });
  await check();
  return done;
}
