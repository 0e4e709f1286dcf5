import type pg from 'pg';
import { audit } from '../db/audit.ts';
import { type Pool, transaction } from '../db/pool.ts';
import { traced } from '../kernel/tracing.ts';
import type { ImportOptions } from './import-options.ts';
import { emptyReport, type FileReport, placeNumber } from './import-report.ts';
import { noteImported, startedDigest, wasImported } from './imported-files.ts';
import type { Importer } from './importer/importer.ts';
import { type ImportResource, importerOf } from './importers/index.ts';
import { guardIndexed } from './index-guard.ts';
import { DroppedTimeError } from './merge/dropped-time.ts';
import { mergeStaged } from './merge/load-rows.ts';
import { noteOrigins, stagedDatasets } from './merge/origins.ts';
import { fail, openRowSource } from './source/open.ts';
import { type RowSource, SourceError } from './source/source.ts';
import { checkStaged, stageSource } from './stage-source.ts';

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
  const source = await openRowSource(path, importer.shape, options.format, hash);
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
  source: RowSource,
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

async function replacesList(client: pg.ClientBase, { replacesWhen }: Importer<unknown>): Promise<boolean> {
  if (!replacesWhen) return false;
  const { rows } = await client.query(`/* replacesList */ select ${replacesWhen} as yes from staged`);
  return rows[0]?.yes === true;
}

/** SQLSTATE classes: 22 (invalid value), 23 (constraint). */
const refusedByDatabase = (error: { code?: unknown }) => /^2[23]/.test(String(error.code));
const reason = (error: { message: string; detail?: string; hint?: string; where?: string }) =>
  [error.message, error.detail, error.hint, error.where].filter(Boolean).join(': ');
