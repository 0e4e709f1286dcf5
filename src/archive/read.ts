import type { Queryable } from '../db/pool.ts';
import { raw, type Sql, sql } from '../db/rows.ts';
import { boundedMap } from '../kernel/bounded.ts';
import { type ArchivedMonth, archivedMonths, rowGroupsOf } from './catalogue.ts';
import { columnNames } from './columns.ts';
import { type Duck, quote, rowsOf, withReader } from './duckdb.ts';
import { pathOf, UnreadableMonth, withRowGroups } from './part-file.ts';
import type { RowGroup, RowGroups } from './row-groups.ts';
import { type MonthSums, monthsToRead, pathsOfSums } from './sums.ts';
import { readingFault, whileUnchanged } from './unchanged.ts';

/** Row groups whose places stay in memory: those of 60 months of a million validators. */
const MAX_GROUPS = 200_000;
const known = boundedMap<RowGroups>(MAX_GROUPS, ({ groups }) => groups.length + 1);

const startOf = (sha256: Buffer) => sha256.toString('hex').slice(0, 16);
/** Different for every content of a month's files. */
const versionOf = ({ sha256, sums }: ArchivedMonth): string =>
  `${startOf(sha256)}${sums ? startOf(sums.sha256) : ''}`;
const versionColumn = sql`(left(encode(sha256, 'hex'), 16) || coalesce(left(encode(sums_sha256, 'hex'), 16), ''))`;

async function groupsOf(db: Queryable, month: ArchivedMonth): Promise<RowGroups> {
  const version = `${month.network} ${versionOf(month)}`;
  const found = known.get(version) ?? (await rowGroupsOf(db, month));
  if (!found) throw new UnreadableMonth(month, 'is no longer in the catalogue');
  known.set(version, found);
  return found;
}

/** Returns the row groups that have one of the validators; `indices` are in order. */
function holding(groups: readonly RowGroup[], indices: readonly number[]): RowGroup[] {
  let at = 0;
  return groups.filter(([first, last]) => {
    while (at < indices.length && (indices[at] as number) < first) at += 1;
    return at < indices.length && (indices[at] as number) <= last;
  });
}

/** `texts` are the rows as PostgreSQL writes values of the type `archived_day`; they need no other escapes. */
export type ArchivedDays = { texts: string; rows: number; byValidator: ReadonlyMap<number, number> };

/** Columns that nobody needs are null, because each column that is read costs about the same time. */
const textOfRow = (needed: ReadonlySet<string> | undefined): string =>
  columnNames
    .filter((name) => name !== 'network')
    .map((name) => (!needed || needed.has(name) ? `coalesce(${name}::varchar, '')` : `''`))
    .join(', ');

/** Bytes of row groups, and rows of both calendars, that DuckDB reads at a time. */
const MAX_BYTES = 64_000_000;
const MAX_ROWS = 150_000;
const ROWS_IN_MONTH = 62;

export type DaysOfValidators = {
  indices: readonly number[];
  utc: boolean;
  /** Inclusive dates. */
  from?: string | undefined;
  to?: string | undefined;
};

type MonthPart = { month: ArchivedMonth; frame: RowGroups['frame']; groups: RowGroup[] };

/** SQL of DuckDB: the days of a calendar within these dates. */
export const daysWithin = ({ utc, from, to }: Omit<DaysOfValidators, 'indices'>): string =>
  [
    `utc = ${utc}`,
    ...(from === undefined ? [] : [`date >= ${quote(from)}`]),
    ...(to === undefined ? [] : [`date <= ${quote(to)}`]),
  ].join(' and ');

const isOneOf = (indices: readonly number[]) => `validator_index in (${indices.map(Number).join(', ')})`;
const isAskedFor = ({ indices, ...within }: DaysOfValidators) =>
  `${isOneOf(indices)} and ${daysWithin(within)}`;

/**
 * Calls `read` for files that together have all days of these validators in these months. They may also have days of other
 * validators and dates. Throws UnreadableMonth if a file is missing or is not the one of the catalogue, or DuckDB is not
 * installed.
 */
async function readParts(
  db: Queryable,
  months: readonly ArchivedMonth[],
  indices: readonly number[],
  read: (duck: Duck, paths: readonly string[]) => Promise<void>,
): Promise<void> {
  const sorted = [...new Set(indices)].sort((a, b) => a - b);
  const readSome = async (parts: readonly MonthPart[]) => {
    if (parts.length === 0) return;
    await withReader(db.account, (duck) => withRowGroups(parts, (paths) => read(duck, paths))).catch(
      (error) => {
        throw readingFault(error, (parts[0] as MonthPart).month);
      },
    );
  };
  let parts: MonthPart[] = [];
  let [bytes, most] = [0, 0];
  for (const month of months) {
    const { frame, groups } = await groupsOf(db, month);
    const own = holding(groups, sorted);
    // Without a row group, the file is still opened, so that its loss is reported.
    const size = own.reduce((sum, [, , , start, end]) => sum + end - start, 0);
    const days = own.length > 0 ? sorted.length * ROWS_IN_MONTH : 0;
    if (parts.length > 0 && (bytes + size > MAX_BYTES || most + days > MAX_ROWS)) {
      await readSome(parts);
      [parts, bytes, most] = [[], 0, 0];
    }
    parts.push({ month, frame, groups: own });
    bytes += size;
    most += days;
  }
  await readSome(parts);
}

/**
 * Days of validators of one network in these months, with all columns or those that are `needed`. Throws UnreadableMonth as
 * `readParts` does.
 */
export async function archivedDays(
  db: Queryable,
  months: readonly ArchivedMonth[],
  asked: DaysOfValidators,
  needed?: ReadonlySet<string>,
): Promise<ArchivedDays> {
  const texts: string[] = [];
  const byValidator = new Map<number, number>();
  let rows = 0;
  await readParts(db, months, asked.indices, async (duck, paths) => {
    for (const found of await selected(duck, paths, isAskedFor(asked), needed)) {
      texts.push(found.texts);
      byValidator.set(found.validator, (byValidator.get(found.validator) ?? 0) + found.rows);
      rows += found.rows;
    }
  });
  return { texts: `{${texts.join(',')}}`, rows, byValidator };
}

/**
 * The sums of each of these validators, as texts: once for each month of which all days are asked for, and for each part of
 * the other months that is read.
 */
export async function archivedSums<Row>(
  db: Queryable,
  months: readonly ArchivedMonth[],
  asked: DaysOfValidators,
  sums: MonthSums,
): Promise<Row[]> {
  const { summed, others } = monthsToRead(months, sums, asked);
  const select = (of: (name: string) => string | undefined) =>
    `select validator_index as "validatorIndex", ${Object.keys(sums.expressions)
      .map((name) => `(${of(name)})::varchar as "${name}"`)
      .join(', ')}`;
  const found: Row[] = [];
  if (summed.length > 0) {
    const text = `${select((name) => `"${name}"`)} from ${filesOf(pathsOfSums(summed))}
      where utc = ${asked.utc} and ${isOneOf(asked.indices)}`;
    const read = () => withReader(db.account, (duck) => rowsOf<Row>(duck, text));
    found.push(...(await whileUnchanged({ summed, others: [] }, read)));
  }
  await readParts(db, others, asked.indices, async (duck, paths) => {
    const text = `${select((name) => sums.expressions[name])} from ${filesOf(paths)} a
      where ${isAskedFor(asked)} group by validator_index`;
    found.push(...(await rowsOf<Row>(duck, text)));
  });
  return found;
}

/** A validator and the dates from `from` to before `until` on which it counts. */
export type DatedValidator = { index: number; from: string; until: string };

/**
 * A row for each calendar and archived day on which one of the validators counts, with sums over those that do, as texts by
 * name. `expressions` are those of DuckDB over days `a`. Throws UnreadableMonth as `readParts` does.
 */
export async function archivedSumsOfDays<Row>(
  db: Queryable,
  months: readonly ArchivedMonth[],
  validators: readonly DatedValidator[],
  expressions: Readonly<Record<string, string>>,
): Promise<Row[]> {
  const found: Row[] = [];
  const sums = Object.entries(expressions).map(([name, text]) => `(${text})::varchar as "${name}"`);
  const list = (name: keyof DatedValidator) => `[${validators.map((one) => one[name]).join(', ')}]`;
  // DuckDB takes a tenth of a second to plan a thousand literal rows.
  const counted = { indices: list('index'), froms: list('from'), untils: list('until') };
  const indices = validators.map(({ index }) => index);
  await readParts(db, months, indices, async (duck, paths) => {
    const text = `select a.utc, a.day, a.date::varchar as date, ${sums.join(', ')} from ${filesOf(paths)} a
      join (
        select unnest($indices::integer[]) as validator_index, unnest($froms::date[]) as "from", unnest($untils::date[]) as until
      ) c on c.validator_index = a.validator_index and a.date >= c."from" and a.date < c.until
      group by a.utc, a.day, a.date`;
    found.push(...(await rowsOf<Row>(duck, text, counted)));
  });
  return found;
}

export const filesOf = (paths: readonly string[]): string => `read_parquet([${paths.map(quote).join(', ')}])`;

type Found = { validator: number; texts: string; rows: number };

async function selected(
  duck: Duck,
  paths: readonly string[],
  condition: string,
  needed: ReadonlySet<string> | undefined,
): Promise<Found[]> {
  const found = await duck.runAndReadAll(
    `select validator_index as validator, count(*)::double as rows,
      string_agg('"(' || concat_ws(',', ${textOfRow(needed)}) || ')"', ',') as texts
    from ${filesOf(paths)} where ${condition} group by validator_index`,
  );
  return found.getRowObjectsJS() as Found[];
}

const columns = raw(columnNames.join(', '));

/** SQL: the archived rows with the columns of `validator_days`. */
export const archivedRows = (network: string, { texts }: Pick<ArchivedDays, 'texts'>): Sql =>
  sql`select ${columns} from (select ${network}::text as network, d.* from unnest(${texts}::archived_day[]) d) d`;

/** SQL: the rows of `validator_days` and these. */
export const withArchived = (days: Sql, archived: readonly Sql[]): Sql =>
  archived.reduce<Sql>((all, more) => sql`${all} union all ${more}`, sql`select ${columns} from ${days}`);

/** The months of networks, as this process last read them. Statements check that they are those of the catalogue. */
const cached = new Map<string, readonly ArchivedMonth[]>();

const monthsNow = (network: string): readonly ArchivedMonth[] => cached.get(network) ?? [];

async function readMonths(db: Queryable, networks: readonly string[]): Promise<void> {
  const all = await archivedMonths(db, sql`network = any(${[...networks]}::text[])`);
  for (const network of networks)
    cached.set(
      network,
      all.filter((month) => month.network === network),
    );
}

/** Call at the start of a gateway, so that its first requests do not wait for this. */
export async function readAllMonths(db: Queryable): Promise<void> {
  const all = await archivedMonths(db);
  cached.clear();
  for (const month of all) cached.set(month.network, [...monthsNow(month.network), month]);
}

const ARCHIVE_CHANGED = 'SGARC';

/** Dates of months, inclusive; null without a bound. */
export type DateRange = { from: string | null; to: string | null };

const monthsIn = (networks: readonly string[], { from, to }: DateRange): ArchivedMonth[] =>
  networks
    .flatMap((network) => monthsNow(network))
    .filter(({ month, next }) => (from === null || next > from) && (to === null || month <= to))
    .sort((a, b) => (a.month < b.month ? -1 : 1));

/** SQL: throws ARCHIVE_CHANGED unless the archived months of these dates are those that the statement was given. */
const unchangedMonths = (
  networks: readonly string[],
  { from, to }: DateRange,
  months: readonly ArchivedMonth[],
): Sql =>
  sql`archive_unchanged(coalesce((
    select array_agg(${versionColumn} order by ${versionColumn}) from archived_months
    where network = any(${[...networks]}::text[])
      and (month + interval '1 month')::date > coalesce(${from}::date, '-infinity')
      and month <= coalesce(${to}::date, 'infinity')
  ), '{}'), ${months.map(versionOf).sort()}::text[])`;

/** The sum of `rowsOf` over the archived months of these dates. */
export const archivedRowsIn = (
  network: string,
  dates: DateRange,
  rowsOf: (month: ArchivedMonth) => number,
): number => monthsIn([network], dates).reduce((sum, month) => sum + rowsOf(month), 0);

const ATTEMPTS = 4;

/** Statements over stored days have the condition, which throws ARCHIVE_CHANGED unless these are the months of the catalogue. */
export type ReadMonths = {
  months: readonly ArchivedMonth[];
  condition: Sql;
  /** PostgreSQL evaluates the condition only where it reads a stored day: call this if a statement read none. */
  check: () => Promise<void>;
};

/**
 * Calls `read` with the archived months of these dates, and again when they have changed meanwhile: then `read` must throw
 * ARCHIVE_CHANGED or UnreadableMonth.
 */
export async function withMonths<T>(
  db: Queryable,
  networks: readonly string[],
  dates: DateRange,
  read: (of: ReadMonths) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const months = monthsIn(networks, dates);
    const condition = unchangedMonths(networks, dates, months);
    const { text, values } = sql`/* checkMonths */ select ${condition}`;
    const check = async () => void (await db.query({ text, values }));
    try {
      return await read({ months, condition, check });
    } catch (error) {
      const isOld = (error as { code?: string }).code === ARCHIVE_CHANGED;
      if (attempt === ATTEMPTS || !(isOld || error instanceof UnreadableMonth)) throw error;
      await readMonths(db, networks);
      const state = (of: readonly ArchivedMonth[]) => of.map((one) => pathOf(one) + versionOf(one)).join();
      if (!isOld && state(monthsIn(networks, dates)) === state(months)) throw error;
    }
  }
}
