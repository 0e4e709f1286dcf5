import { stringify } from 'lossless-json';
import type pg from 'pg';
import { audit } from '../db/audit.ts';
import { raisedRevision } from '../db/changes/revisions.ts';
import { type Pool, transaction } from '../db/pool.ts';
import { isObject } from '../kernel/json.ts';
import { traced } from '../kernel/tracing.ts';
import { DroppedTimeError, refuseDropped } from './dropped-time.ts';
import { faultText } from './fault-messages.ts';
import { noteImported, startedDigest, wasImported } from './imported-files.ts';
import type { ImportCounts, Importer, MergeOptions, RowOptions } from './importer.ts';
import { type ImportResource, importerOf } from './importers.ts';
import { guardIndexed } from './index-guard.ts';
import { lockWriters } from './locks.ts';
import { noteOrigins, type Origin, stagedDatasets } from './origins.ts';
import { quickLines } from './quick/index.ts';
import { misspeltKeys } from './source/misspelt.ts';
import { type Format, fail, openSource } from './source/open.ts';
import { type Lines, type RawRow, type Source, SourceError } from './source/source.ts';
import { unlikeRow } from './source/unlike.ts';
import {
  contradictingRows,
  hasRepeatedKeys,
  openStaging,
  repeatedRows,
  type StagedRow,
  takeStaged,
} from './staging.ts';

type RowFault = { file: string; place: string; field: string; msg: string };

/** `read` and `size` count bytes before decompression; `size` is undefined for stdin. */
export type Progress = {
  phase: 'reading' | 'merging';
  rows: number;
  read: number;
  size: number | undefined;
};

export type ImportOptions = RowOptions & {
  format?: Format | undefined;
  replace?: boolean | undefined;
  whole?: MergeOptions['whole'];
  skipInvalid?: boolean;
  dryRun?: boolean;
  onRejected?: (text: string) => void;
  onProgress?: (progress: Progress) => void;
  resume?: boolean;
  /** Accepts keys that look misspelt, because a newer service may have fields of such names. */
  anyKeys?: boolean;
  /** Allows overwriting rows that `stakegraph index` wrote. Defaults to `replace`. */
  overIndex?: boolean;
  origin?: Origin;
};

export type FileReport = ImportCounts & {
  file: string;
  rows: number;
  rejected: number;
  faults: RowFault[];
  faultCount: number;
  /** False for refused sources and dry runs. */
  loaded: boolean;
  passed: boolean;
  replaced: boolean;
};

const MAX_FAULTS = 1_000;

const emptyReport = (file: string): FileReport => ({
  ...{ file, rows: 0, rejected: 0, faults: [], faultCount: 0, inserted: 0, updated: 0, removed: 0 },
  ...{ loaded: false, passed: false, replaced: false },
});

class Rollback extends Error {}

/** Loads the file in one transaction and constant memory. Idempotent. */
export const importFile = (
  pool: Pool,
  resource: ImportResource,
  path: string,
  options: ImportOptions,
): Promise<FileReport> =>
  traced(`import ${resource}`, { 'stakegraph.dataset': resource }, async (span) => {
    const report = await loadFile(pool, resource, path, options);
    const { rows, loaded } = report;
    span?.set({ 'stakegraph.rows': rows, 'stakegraph.loaded': loaded });
    return report;
  });

async function loadFile(
  pool: Pool,
  resource: ImportResource,
  path: string,
  options: ImportOptions,
): Promise<FileReport> {
  const importer = importerOf(resource);
  const hash = await startedDigest(path, options).catch((error) => fail(path, error));
  if (options.resume && hash) {
    const passed = await wasImported(pool, resource, path, hash).catch((error) => fail(path, error));
    if (passed) return { ...emptyReport(path), loaded: true, passed };
  }
  const source = await openSource(path, importer.shape, options.format, hash);
  let report: FileReport | undefined;
  await transaction(pool, async (client) => {
    report = await importSource(client, importer, source, options);
    if (!report.loaded) throw new Rollback();
    const { read, size } = source.bytes();
    if (hash && read === size && report.rejected === 0) {
      const digest = hash.digest();
      await noteImported(client, { resource, digest, name: source.name, rows: report.rows });
    }
    const { inserted, updated, removed } = report;
    const details = { file: path, inserted, updated, removed };
    await audit(client, { action: 'import', subject: resource, details });
  }).catch((error) => {
    if (!(error instanceof Rollback)) throw error;
  });
  return report as FileReport;
}

/** The caller must roll back unless `loaded` is true. */
export async function importSource(
  client: pg.ClientBase,
  importer: Importer<unknown>,
  source: Source,
  options: ImportOptions,
): Promise<FileReport> {
  const report = emptyReport(source.name);
  try {
    await stageSource(client, importer, source, options, report);
    await checkStaged(client, importer, source, options, report);
    report.faults.sort((one, other) => placeNumber(one) - placeNumber(other));
    if (report.rejected > 0 && !options.skipInvalid) return report;
    const datasets = await stagedDatasets(client, importer);
    const networks = datasets.map(([, network]) => network);
    const refused =
      !(options.overIndex ?? options.replace) && (await guardIndexed(client, importer, networks));
    if (refused) throw new SourceError(`${source.name}: nothing loaded; ${refused}`);
    await noteOrigins(client, datasets, options.origin ?? 'import');
    options.onProgress?.({ phase: 'merging', rows: report.rows, ...source.bytes() });
    // With rejected rows the list is not replaced, because that would delete their stored versions.
    const whole = source.complete() && (await replacesList(client, importer));
    const replace = report.rejected === 0 && (options.replace ?? whole);
    const counts = await mergeStaged(client, importer, { replace, whole: options.whole });
    return { ...report, ...counts, loaded: !options.dryRun, replaced: replace };
  } catch (error) {
    if (error instanceof DroppedTimeError)
      throw new SourceError(`${source.name}: nothing loaded; ${error.message}`);
    if (refusedByDatabase(error as { code?: unknown }))
      throw new SourceError(`${source.name}: nothing loaded; ${reason(error as Error)}`);
    throw error;
  }
}

export async function loadRows<Row>(
  client: pg.ClientBase,
  importer: Importer<Row>,
  rows: Iterable<Row>,
  options: { replace: boolean; origin?: Origin } = { replace: false },
): Promise<ImportCounts & { rows: number }> {
  const staging = await openStaging(client, importer);
  let place = 0;
  let batch: StagedRow<Row>[] = [];
  for (const row of rows) {
    batch.push({ place: (place += 1), source: null, row });
    if (batch.length < 500) continue;
    await staging.write(batch);
    batch = [];
  }
  await staging.write(batch);
  await staging.finish();
  if (options.origin)
    await noteOrigins(client, await stagedDatasets(client, importer as Importer<unknown>), options.origin);
  return { ...(await mergeStaged(client, importer, options)), rows: place };
}

export async function mergeStaged<Row>(
  client: pg.ClientBase,
  importer: Importer<Row>,
  options: Omit<MergeOptions, 'revision'>,
) {
  // Merges of blocks also lock validators, because the triggers of each table read the other table.
  await lockWriters(client, [importer.resource, ...(importer.resource === 'blocks' ? ['validators'] : [])]);
  await refuseDropped(client, importer.resource);
  const revision = raisedRevision(client, importer.resource);
  const counts = await importer.merge(client, { ...options, revision });
  if (counts.inserted + counts.updated + counts.removed > 0) await revision();
  await client.query('/* dropStaging */ drop table staged');
  return counts;
}

async function replacesList(client: pg.ClientBase, { replacesWhen }: Importer<unknown>): Promise<boolean> {
  if (!replacesWhen) return false;
  const { rows } = await client.query(`/* replacesList */ select ${replacesWhen} as yes from staged`);
  return rows[0]?.yes === true;
}

const placeOf = (source: Source, place: number | string) => `${source.unit} ${place}`;

const placeNumber = ({ place }: RowFault) => Number(place.split(' ')[1]);

function addFault(report: FileReport, fault: RowFault) {
  report.faultCount += 1;
  if (report.faults.length < MAX_FAULTS) report.faults.push(fault);
}

async function stageSource(
  client: pg.ClientBase,
  importer: Importer<unknown>,
  source: Source,
  options: ImportOptions,
  report: FileReport,
) {
  const staging = await openStaging(client, importer);
  const quick = options.skipInvalid ? undefined : quickLines(importer, options);
  const misspeltIn = options.anyKeys ? undefined : misspeltKeys(Object.keys(importer.shape.shape));
  let fitting: StagedRow<unknown>[] = [];
  const stage = (raw: RawRow): boolean => {
    report.rows += 1;
    const row = checkRow(importer, source, raw, options, report, misspeltIn);
    if (row === undefined) return false;
    const text = options.skipInvalid ? textOf(raw) : null;
    fitting.push({ place: raw.place, source: text, row });
    return true;
  };
  const stageLines = (lines: Lines) => {
    for (;;) {
      const next = quick?.take(lines.bytes, lines.at, lines.place) ?? 0;
      if (next > 0) {
        report.rows += 1;
        lines.at = next;
        lines.place += 1;
        continue;
      }
      const read = lines.read();
      if (!read) return;
      const layout = read.row && stage(read.row) && quick && lines.layout(read.text);
      if (layout) quick?.expect(layout);
    }
  };
  try {
    for await (const batch of source.rows) {
      if (Array.isArray(batch)) for (const raw of batch) stage(raw);
      else stageLines(batch);
      if (quick?.isFull()) await staging.send(quick.taken());
      await staging.write(fitting);
      fitting = [];
      options.onProgress?.({ phase: 'reading', rows: report.rows, ...source.bytes() });
    }
  } catch (error) {
    staging.abandon();
    throw error;
  }
  if (quick) await staging.send(quick.taken());
  await staging.finish();
}

const textOf = (raw: RawRow): string => raw.broken?.text ?? stringify(raw.value) ?? 'null';

function checkRow(
  importer: Importer<unknown>,
  source: Source,
  raw: RawRow,
  options: ImportOptions,
  report: FileReport,
  misspeltIn: ReturnType<typeof misspeltKeys> | undefined,
): unknown {
  const checked = raw.broken ? undefined : importer.check(raw.value, options);
  const misspelt = misspeltIn && isObject(raw.value) ? misspeltIn(raw.value) : [];
  if (checked?.success && misspelt.length === 0) return checked.data;
  const at = { file: source.name, place: placeOf(source, raw.place) };
  const unlike = checked && unlikeRow(raw.value, importer.resource, Object.keys(importer.shape.shape));
  if (unlike && report.rows === 1 && !options.skipInvalid)
    throw new SourceError(`${source.name}: ${at.place} ${unlike}.`);
  report.rejected += 1;
  options.onRejected?.(textOf(raw));
  const whole = raw.broken?.msg ?? unlike;
  if (whole) addFault(report, { ...at, field: '(row)', msg: whole });
  else
    for (const issue of checked?.error?.issues ?? [])
      addFault(report, { ...at, field: issue.path.join('.') || '(row)', msg: faultText(issue, raw.value) });
  if (!whole)
    for (const { key, field } of misspelt)
      addFault(report, { ...at, field: key, msg: `is not a field; ${field} is` });
  return undefined;
}

async function checkStaged(
  client: pg.ClientBase,
  importer: Importer<unknown>,
  source: Source,
  options: ImportOptions,
  report: FileReport,
) {
  const { key, unique } = importer;
  const checks = [
    (await hasRepeatedKeys(client)) && {
      query: repeatedRows(key),
      field: '(row)',
      msg: (first: string) => `repeats ${placeOf(source, first)}`,
    },
    unique && {
      query: repeatedRows(unique.columns),
      field: unique.field,
      msg: (first: string) => `is that of ${placeOf(source, first)} too`,
    },
    unique && {
      query: contradictingRows(unique),
      field: unique.field,
      msg: (stored: string) => `is stored as that of ${stored}`,
    },
  ];
  for (const check of checks) {
    if (!check) continue;
    let found: number;
    do {
      found = 0;
      for await (const rows of takeStaged(client, check.query)) {
        found += rows.length;
        for (const { place, other, source: text } of rows) {
          if (text !== null) options.onRejected?.(text);
          const at = { file: source.name, place: placeOf(source, place) };
          addFault(report, { ...at, field: check.field, msg: check.msg(other) });
        }
      }
      report.rejected += found;
      // Removing a row can expose another conflict.
    } while (found > 0 && options.skipInvalid);
  }
}

/** SQLSTATE classes: 22 (invalid value), 23 (constraint). */
const refusedByDatabase = (error: { code?: unknown }) => /^2[23]/.test(String(error.code));
const reason = (error: { message: string; detail?: string; where?: string }) =>
  [error.message, error.detail, error.where].filter(Boolean).join(': ');
