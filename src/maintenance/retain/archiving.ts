import { existsSync, rmSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { addArchivedMonth, archivedMonths, type NewMonth } from '../../archive/catalogue.ts';
import { SCHEMA_VERSION } from '../../archive/columns.ts';
import { type Duck, WHOLE_MONTHS, withDuck } from '../../archive/duckdb.ts';
import {
  checkedFolder,
  checkSpace,
  partialName,
  removePartials,
  syncFolder,
  withTemporaryFolder,
} from '../../archive/folders.ts';
import { sumsFileOf, writeSums } from '../../archive/sums.ts';
import { databaseOfFile, type WrittenMonth, writeMonth } from '../../archive/write.ts';
import { networks } from '../../chain/networks.ts';
import { isDisconnected } from '../../db/connection.ts';
import { refuseDistributed } from '../../db/distributed/layout.ts';
import { type Queryable, transaction } from '../../db/pool.ts';
import { sql } from '../../db/rows.ts';
import { lockAllSetDays } from '../../resources/private-sets/set-days.ts';
import { archivedSumsOfValidators } from '../../resources/validator-ranking/sums.ts';
import { alone, hashOfDatabase } from '../archive/alone.ts';
import { attempted, type ReportHead, type RetainReport, type Run } from './dropping.ts';
import { type StoredPart, whyNeeded } from './needed.ts';
import { dropPart, networksOf, type PartedTable, RefusedPart } from './parts.ts';

/** On disk: in the archive, and in the temporary folder. */
const BYTES_OF_ROW = { file: 8, staged: 140 };
const ATTEMPTS = 3;
const TELL_AFTER_MS = 10_000;

type Place = { folder: string; temporary: string; database: string };

/** Checks what needs no lock, before a dry run too. */
export async function openArchive(given: string): Promise<string> {
  refuseDistributed('retain --archive');
  const folder = await checkedFolder(given);
  await withDuck({ memoryMb: 64, threads: 1 }, async () => undefined);
  return folder;
}

/** Rows were changed while they were archived. */
class Changed extends Error {}

/** Writes the months of all networks, then drops the part in the transaction that catalogues them. */
export async function archivePart(
  run: Run,
  parted: PartedTable,
  part: StoredPart,
  what: ReportHead,
  folder: string,
): Promise<Partial<RetainReport>> {
  const needed = await transaction(run.pool, (client) => whyNeeded(client, part));
  if (needed) throw new RefusedPart(needed);
  return run.pool.withClient((client) =>
    alone(client, async () => {
      const database = await hashOfDatabase(client);
      removePartials(folder, database);
      for (let attempt = 1; ; attempt += 1)
        try {
          return await withTemporaryFolder((temporary) =>
            writeAndDrop(run, parted, part, what, client, { folder, temporary, database }),
          );
        } catch (error) {
          if (!(error instanceof Changed) || attempt === ATTEMPTS || run.stop.aborted) throw error;
        }
    }),
  );
}

/** `partials` maps names in the folder to the names that they get. */
type Written = { month: NewMonth; partials: { partial: string; file: string }[] };

async function writeAndDrop(
  run: Run,
  parted: PartedTable,
  part: StoredPart,
  what: ReportHead,
  client: pg.PoolClient,
  place: Place,
): Promise<Partial<RetainReport>> {
  await checkSpace(place.folder, part.rows * BYTES_OF_ROW.file, `the month ${part.part}`);
  await checkSpace(place.temporary, part.rows * BYTES_OF_ROW.staged, `archiving ${part.part}`);
  const written: Written[] = [];
  const finals: string[] = [];
  let isDone = false;
  try {
    const seen = await inSnapshot(client, part, () =>
      withDuck({ ...WHOLE_MONTHS, spill: place.temporary }, async (duck) => {
        for (const network of await networksOf(client, parted, part))
          await writeNetwork(run, { part, what, network }, client, duck, place, written);
      }),
    );
    if (run.stop.aborted) throw new RefusedPart('stopped before the month was dropped');
    for (const { partial, file } of written.flatMap(({ partials }) => partials)) {
      const final = join(place.folder, file);
      await rename(join(place.folder, partial), final);
      finals.push(final);
    }
    await syncFolder(place.folder);
    const files = written.map(({ month: { file, rows, bytes } }) => ({ file, rows, bytes }));
    await attempted(run, what, { datasets: [parted.revision], of: networks }, async (locked) => {
      await lockAllSetDays(locked);
      await checkUnchanged(
        locked,
        part,
        seen,
        files.reduce((sum, { rows }) => sum + rows, 0),
      );
      for (const { month } of written) await addArchivedMonth(locked, month);
      await dropPart(locked, parted, part, run.lockTimeoutMs ?? 500, {
        ...{ folder: place.folder, files: files.map(({ file }) => file) },
      });
    });
    isDone = true;
    return { state: 'archived', rows: files.reduce((sum, { rows }) => sum + rows, 0), files };
  } catch (error) {
    // Otherwise the commit may have succeeded.
    if (!isDisconnected(error)) for (const final of finals) rmSync(final, { force: true });
    throw (error as NodeJS.ErrnoException).code === 'ENOSPC' || /No space left/.test(String(error))
      ? new Error(`${place.folder} or ${tmpdir()} is full: ${(error as Error).message}`)
      : error;
  } finally {
    if (!isDone)
      removeAll(
        place.folder,
        written.flatMap(({ partials }) => partials),
      );
  }
}

/** Transactions before `oldest` had ended when the snapshot was taken; of the later ones, it has the rows of `later`. */
type Seen = { oldest: string; later: string[] };

const isSince = (oldest: string) => `age(xmin) between 0 and age(${oldest}::text::xid)`;

async function inSnapshot(
  client: pg.ClientBase,
  { part }: StoredPart,
  work: () => Promise<void>,
): Promise<Seen> {
  await client.query(`begin isolation level repeatable read, read only`);
  try {
    const { rows } = await client.query<{ oldest: string }>(
      '/* archiveSnapshot */ select (pg_snapshot_xmin(pg_current_snapshot())::text::numeric % 4294967296)::text as oldest',
    );
    const { oldest } = rows[0] as { oldest: string };
    // Any database of the server may have transactions that began before rows of this part were written.
    const { rows: later } = await client.query<{ xmin: string }>(
      `/* laterTransactions */ select distinct xmin::text from "${part}" where ${isSince('$1')}`,
      [oldest],
    );
    await work();
    return { oldest, later: later.map(({ xmin }) => xmin) };
  } finally {
    await client.query('rollback').catch(() => undefined);
  }
}

async function writeNetwork(
  run: Run,
  { part, what, network }: { part: StoredPart; what: ReportHead; network: string },
  client: pg.ClientBase,
  duck: Duck,
  { folder, database }: Place,
  done: Written[],
): Promise<void> {
  const days = await freeName(
    duck,
    folder,
    `validator_days-${network}-${part.from.slice(0, 7)}.parquet`,
    database,
  );
  const sums = await freeName(duck, folder, sumsFileOf(network, part.from), database);
  await refuseCatalogued(client, network, part);
  const partials = [days, sums].map((file) => ({ partial: partialName(file, database), file }));
  const [path, pathOfSums] = partials.map(({ partial }) => join(folder, partial)) as [string, string];
  const began = performance.now();
  let reportedAt = began;
  const note = (step: string, rows: number) => {
    const now = performance.now();
    if (run.stop.aborted) throw new RefusedPart('stopped before the month was written');
    if (now - reportedAt < (run.tellAfterMs ?? TELL_AFTER_MS)) return;
    reportedAt = now;
    const seconds = Math.round((now - began) / 1000);
    run.tell({ ...what, network: network as never, rows, step, state: 'archiving', seconds });
  };
  const about: Omit<NewMonth, keyof WrittenMonth | 'sums'> = {
    ...{ network, month: part.from, folder, file: days, schemaVersion: SCHEMA_VERSION },
  };
  const source = { part: part.part, network, month: part.from };
  try {
    const month = await writeMonth(client, duck, source, { path, database }, note);
    if (!month) return;
    note('summing', month.rows);
    const added = await writeSums(duck, path, pathOfSums, archivedSumsOfValidators, {
      network,
      month: part.from,
      database,
    });
    done.push({ partials, month: { ...about, ...month, sums: { file: sums, ...added } } });
  } catch (error) {
    removeAll(folder, partials);
    throw error;
  }
}

function removeAll(folder: string, partials: Written['partials']): void {
  for (const { partial } of partials) rmSync(join(folder, partial), { force: true });
}

/** A file of this name may have been left by a killed process of this database, but not belong to another one. */
async function freeName(duck: Duck, folder: string, file: string, database: string): Promise<string> {
  const path = join(folder, file);
  if (!existsSync(path) || (await databaseOfFile(duck, path)) === database) return file;
  throw new RefusedPart(
    `${path} is there, and this database did not write it: move it away, or choose another folder`,
  );
}

async function refuseCatalogued(db: Queryable, network: string, { from }: StoredPart): Promise<void> {
  const [found] = await archivedMonths(db, sql`network = ${network} and month = ${from}::date`);
  if (found) throw new RefusedPart(`the month is archived already, in ${join(found.folder, found.file)}`);
}

/**
 * Throws Changed unless the part has the rows of the snapshot: as many, none of them written by a transaction whose rows
 * the snapshot does not have. Readers go on meanwhile.
 */
async function checkUnchanged(
  client: pg.ClientBase,
  { part }: StoredPart,
  { oldest, later }: Seen,
  written: number,
): Promise<void> {
  await client.query(`/* lockPart */ lock table "${part}" in share row exclusive mode`);
  const { rows } = await client.query<{ all: number; changed: number }>(
    `/* changedRows */ select count(*)::float8 as all,
      count(*) filter (where ${isSince('$1')} and xmin::text <> all($2::text[]))::float8 as changed
    from "${part}"`,
    [oldest, later],
  );
  if (rows[0]?.all === written && rows[0].changed === 0) return;
  throw new Changed('its rows were changed while they were archived: try again later');
}
