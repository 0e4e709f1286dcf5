import { z } from 'zod';
import type { Queryable } from '../db/pool.ts';
import { rows, type Sql, sql } from '../db/rows.ts';
import { count } from '../kernel/leaves.ts';
import type { RowGroups } from './row-groups.ts';

const bytes = z.instanceof(Buffer);

const SumsFile = z.object({ file: z.string(), version: z.string(), bytes: z.number(), sha256: bytes });
/** Sums of the month's days, in the same folder. */
export type SumsFile = z.infer<typeof SumsFile>;

const ArchivedMonth = z.object({
  network: z.string(),
  /** The first of the month, and of the next one. */
  month: z.iso.date(),
  next: z.iso.date(),
  folder: z.string(),
  file: z.string(),
  schemaVersion: count(),
  rows: z.number(),
  bytes: z.number(),
  sha256: bytes,
  rowsSha256: bytes,
  sums: SumsFile.nullable(),
});
export type ArchivedMonth = z.infer<typeof ArchivedMonth>;

const columns = sql`network, month::text as month, (month + interval '1 month')::date::text as next, folder, file,
  schema_version as "schemaVersion", rows::float8 as rows, bytes::float8 as bytes, sha256, rows_sha256 as "rowsSha256",
  sums_file, sums_version, sums_bytes::float8 as sums_bytes, sums_sha256`;

/** Replaces the columns of the file of sums by `sums`. */
function nestSums(row: Record<string, unknown>): void {
  const { sums_file: file, sums_version: version, sums_bytes, sums_sha256 } = row;
  row.sums = file === null ? null : { file, version, bytes: sums_bytes, sha256: sums_sha256 };
}

/** In the order of time. */
export const archivedMonths = (db: Queryable, condition: Sql = sql`true`): Promise<ArchivedMonth[]> =>
  rows(
    db,
    ArchivedMonth,
    sql`/* archivedMonths */ select ${columns} from archived_months where ${condition} order by month, network`,
    nestSums,
  );

const Indexed = z.object({ groups: z.custom<RowGroups>() });

export async function rowGroupsOf(db: Queryable, { file }: ArchivedMonth): Promise<RowGroups | undefined> {
  const found = await rows(
    db,
    Indexed,
    sql`/* archivedRowGroups */ select row_groups as groups from archived_months where file = ${file}`,
  );
  return found[0]?.groups;
}

export type NewMonth = Omit<ArchivedMonth, 'next'> & { groups: RowGroups };

/** Call in the transaction that drops the month, before its dates are deleted. */
export async function addArchivedMonth(db: Queryable, month: NewMonth): Promise<void> {
  const add = sql`/* addArchivedMonth */
    insert into archived_months (network, month, folder, file, schema_version, rows, bytes, sha256, rows_sha256, row_groups,
      sums_file, sums_version, sums_bytes, sums_sha256)
    values (${month.network}, ${month.month}::date, ${month.folder}, ${month.file}, ${month.schemaVersion}, ${month.rows},
      ${month.bytes}, ${month.sha256}, ${month.rowsSha256}, ${JSON.stringify(month.groups)}::json,
      ${month.sums?.file ?? null}, ${month.sums?.version ?? null}, ${month.sums?.bytes ?? null}::bigint, ${month.sums?.sha256 ?? null})`;
  await db.query({ text: add.text, values: add.values });
  const dates = sql`/* archiveDates */
    insert into archived_day_dates (network, utc, day, date)
    select network, utc, day, date from validator_day_dates
    where network = ${month.network} and date >= ${month.month}::date
      and date < (${month.month}::date + interval '1 month')::date`;
  await db.query({ text: dates.text, values: dates.values });
}

/** False if the month is no longer archived in this file. */
export async function noteSums(db: Queryable, month: ArchivedMonth, sums: SumsFile): Promise<boolean> {
  const note = sql`/* noteSums */
    update archived_months set sums_file = ${sums.file}, sums_version = ${sums.version}, sums_bytes = ${sums.bytes}::bigint,
      sums_sha256 = ${sums.sha256}
    where network = ${month.network} and month = ${month.month}::date and sha256 = ${month.sha256} returning 1`;
  return (await db.query({ text: note.text, values: note.values })).rows.length > 0;
}
