import { stringify } from 'lossless-json';
import { type Pool, transaction } from '../db/pool.ts';
import { attestationImporter } from './attestations.ts';
import type { ImportCounts, Importer, ImportOptions } from './importer.ts';
import { operatorImporter } from './operators.ts';
import { type RawRow, readSource, SourceError } from './read.ts';
import { slashingImporter } from './slashings.ts';
import { solanaOverviewImporter } from './solana-overview.ts';
import { stakeAuthorityImporter } from './stake-authorities.ts';
import { syncCommitteeRewardImporter } from './sync-committee-rewards.ts';
import { validatorDayImporter } from './validator-days.ts';
import { validatorImporter } from './validators.ts';

/** What can be imported, by the name used on the command line. */
export const importers = {
  operators: operatorImporter,
  slashings: slashingImporter,
  attestations: attestationImporter,
  'solana-overview': solanaOverviewImporter,
  'stake-authorities': stakeAuthorityImporter,
  'sync-committee-rewards': syncCommitteeRewardImporter,
  validators: validatorImporter,
  'validator-days': validatorDayImporter,
} as const;
export type ImportResource = keyof typeof importers;

/** One thing wrong with one row. */
type RowFault = { file: string; place: string; field: string; msg: string };

export type FileReport = ImportCounts & {
  file: string;
  rows: number;
  faults: RowFault[];
  /** Rows that did not fit, as NDJSON; loaded by no one. */
  rejected: string[];
  /** False when the file was refused as a whole. */
  loaded: boolean;
  replaced: boolean;
};

type Checked<Row> = { good: Row[]; faults: RowFault[]; rejected: RawRow[] };

function checkRows<Row>(
  importer: Importer<Row>,
  file: string,
  rows: RawRow[],
  options: ImportOptions,
): Checked<Row> {
  const checked: Checked<Row> = { good: [], faults: [], rejected: [] };
  const seen = new Map<string, string>();
  for (const raw of rows) {
    const faults: RowFault[] = [];
    const fault = (field: string, msg: string) => faults.push({ file, place: raw.place, field, msg });
    const result = raw.broken ? undefined : importer.check(raw.value, options);
    if (!result) fault('(row)', raw.broken?.msg as string);
    else if (!result.success) {
      for (const issue of result.error.issues) fault(issue.path.join('.') || '(row)', issue.message);
    } else {
      const key = importer.key(result.data);
      const first = key === undefined ? undefined : seen.get(key);
      if (first) fault('(row)', `repeats ${first}`);
      else if (key !== undefined) seen.set(key, raw.place);
    }
    if (faults.length > 0) {
      checked.faults.push(...faults);
      checked.rejected.push(raw);
    } else if (result?.success) checked.good.push(result.data);
  }
  return checked;
}

/** Whether the database says that a value cannot be stored, or that a row contradicts one that is. */
const refusedByDatabase = (error: { code?: unknown }) => /^2[23]/.test(String(error.code));
const reason = (error: { message: string; detail?: string }) =>
  [error.message, error.detail].filter(Boolean).join(': ');

/**
 * Imports one file in one transaction: all of it or nothing. With `skipInvalid` the rows that fit are loaded and the
 * others handed back. Loading the same file again changes nothing.
 */
export async function importFile(
  pool: Pool,
  resource: ImportResource,
  path: string,
  options: ImportOptions & { skipInvalid?: boolean; onProgress?: (done: number, total: number) => void },
): Promise<FileReport> {
  const importer = importers[resource] as Importer<unknown>;
  const source = await readSource(path);
  const { good, faults, rejected } = checkRows(importer, source.name, source.rows, options);
  const report: FileReport = {
    file: source.name,
    rows: source.rows.length,
    inserted: 0,
    updated: 0,
    removed: 0,
    faults,
    rejected: rejected.map((row) => row.broken?.text ?? stringify(row.value) ?? 'null'),
    loaded: false,
    replaced: false,
  };
  if (faults.length > 0 && !options.skipInvalid) return report;
  // A list that is short of rejected rows must not remove what is stored of them.
  const whole = source.complete && faults.length === 0 && importer.replacesBy(good);
  const replace = options.replace ?? whole;
  const counts = await transaction(pool, (client) =>
    importer.write(client, good, {
      replace,
      onProgress: options.onProgress && ((done) => options.onProgress?.(done, good.length)),
    }),
  ).catch((error) => {
    throw refusedByDatabase(error)
      ? new SourceError(`${source.name}: nothing loaded; ${reason(error)}`)
      : error;
  });
  return { ...report, ...counts, loaded: true, replaced: replace };
}
