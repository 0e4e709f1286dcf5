import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { Argument, Command, Option } from 'commander';
import { networks } from '../chain/networks.ts';
import { TimeWindow } from '../chain/windows.ts';
import { SettingsError } from '../config/index.ts';
import { isDisconnected } from '../db/connection.ts';
import { recordRun } from '../db/job-runs.ts';
import type { Database } from '../db/open/index.ts';
import { noteFirstLoad } from '../ingest/first-load.ts';
import { importFile } from '../ingest/import-file.ts';
import type { FileReport } from '../ingest/import-report.ts';
import { type ImportResource, importers } from '../ingest/importers/index.ts';
import { type Format, formats } from '../ingest/source/open.ts';
import { PathError, SourceError } from '../ingest/source/source.ts';
import { type IdType, idTypes } from '../resources/operators/record.ts';
import { createOption, wholeNumber } from './flags.ts';
import { type ImportProgress, importProgress } from './import-progress.ts';
import { sayNotRecorded, withDatabase } from './with-database.ts';

type Flags = {
  network: (typeof networks)[number];
  entityType?: IdType;
  utc?: boolean;
  window?: TimeWindow;
  format?: Format;
  skipInvalid?: boolean;
  rejects?: string;
  replace?: boolean;
  merge?: boolean;
  dryRun?: boolean;
  resume?: boolean;
  jobs: number;
  create?: boolean;
  json?: boolean;
};

const MAX_FAULTS_SHOWN = 20;
const MAX_JOBS = 16;

export const importCommand = (): Command =>
  new Command('import')
    .description('load rows from files: REST bodies, JSON arrays, NDJSON or CSV, also gzipped')
    .addArgument(new Argument('<resource>', 'resource of the rows').choices(Object.keys(importers)))
    .argument('<files...>', 'files, or - for standard input')
    .addOption(
      new Option('--network <name>', 'network of rows without one').choices(networks).default('mainnet'),
    )
    .addOption(
      new Option('--entity-type <class>', 'class of the entities of rows without one').choices(
        idTypes.filter((name) => name !== 'privateSet'), // private sets are computed, never imported
      ),
    )
    .option('--utc', 'rows without a calendar are of the UTC calendar instead of the chain calendar')
    .addOption(new Option('--window <window>', 'window of rows without one').choices(TimeWindow.options))
    .addOption(
      new Option('--format <format>', 'format of the files (default: by name and content)').choices(formats),
    )
    .option('--skip-invalid', 'load the valid rows and write the others to a file')
    .option(
      '--rejects <file>',
      'file to which --skip-invalid appends invalid rows (default: FILE.rejected.ndjson, written anew)',
    )
    .addOption(
      new Option('--replace', 'remove stored rows of the same lists that are absent from the file').conflicts(
        ['merge', 'skipInvalid'],
      ),
    )
    .option('--merge', 'remove nothing, even when a file is a complete list')
    .option('--dry-run', 'check everything and report what would change, but change nothing')
    .option('--resume', 'skip files that were fully loaded before')
    .option('--jobs <count>', 'number of files to load in parallel', wholeNumber(1, MAX_JOBS), 1)
    .addOption(createOption())
    .option('--json', 'report each file as a line of JSON')
    .addHelpText(
      'after',
      `
Each file is loaded in one transaction, completely or not at all; memory does not grow with its size. CSV needs a header of
field names; an empty cell is null, lists are JSON. A REST response with a complete list of operators (total rows, no next)
replaces that list, unless it may be filtered (pool shares, pools of one pool type). So does a list of stake authorities,
unless it has only pools or only individuals, and the sync committee rewards of a slot. Daily rewards of other networks are
added to the stored ones; a row with the id of a validator is a day of that validator, any other row a day of the network.
Attestations and days of validators are never removed. Rows of epochs that 'stakegraph index' has written are refused without
--replace; of its validators, only labels and deposit addresses change.
SIGINT and SIGTERM stop an import: it reports each file that was not loaded.
Exit codes: 0 every row was loaded, 1 not every row, 2 wrong usage.`,
    )
    .action(async (resource: ImportResource, files: string[], flags: Flags) => {
      checkRejects(files, flags);
      const left = new Map<number, string>();
      await withDatabase(
        (database, { leave }) => {
          for (const [index, file] of files.entries()) left.set(index, file);
          return importAll(database, resource, left, flags, leave);
        },
        // Each job needs a writer. One more checks earlier imports.
        { loads: true, creates: flags.create ?? false, writers: flags.jobs + 1, traced: true },
      ).catch((error: Error) => {
        for (const file of left.values()) notLoaded(file, `${file}: nothing loaded`, flags, error.message);
        throw error;
      });
    });

async function importAll(
  database: Database,
  resource: ImportResource,
  left: Map<number, string>,
  flags: Flags,
  leave: AbortSignal,
) {
  const files = [...left];
  if (database.embedded && !flags.dryRun) await noteFirstLoad(database.write);
  const progress = importProgress();
  const queue = files.values();
  const startedAt = new Date();
  let failed = 0;
  let misnamed = 0;
  let rows = 0;
  leave.addEventListener('abort', () => {
    progress.stop();
    for (const file of left.values())
      notLoaded(file, `${file}: nothing loaded; the import was stopped`, flags);
  });
  const work = async () => {
    for (const [index, file] of queue) {
      const done = await importOne(database, resource, file, flags, progress);
      if (!done.whole) failed += 1;
      if (done.misnamed) misnamed += 1;
      rows += done.rows;
      left.delete(index);
    }
  };
  const record = (outcome: 'success' | 'failure') =>
    flags.dryRun
      ? undefined
      : recordRun(database.write, { job: 'import', startedAt, outcome, rows }, sayNotRecorded);
  try {
    await Promise.all(Array.from({ length: flags.jobs }, work)).finally(() => progress.stop());
  } catch (error) {
    if (!isDisconnected(error)) await record('failure');
    throw error;
  }
  if (misnamed < files.length) await record(failed > misnamed ? 'failure' : 'success');
  if (failed > 0) throw new Error(`${failed} of ${files.length} files were not fully loaded.`);
}

function notLoaded(file: string, shown: string, { json }: Flags, error = shown) {
  process.stderr.write(`${shown}\n`);
  if (json) process.stdout.write(`${JSON.stringify({ file, loaded: false, error })}\n`);
}

async function importOne(
  database: Database,
  resource: ImportResource,
  file: string,
  flags: Flags,
  progress: ImportProgress,
): Promise<{ whole: boolean; rows: number; misnamed?: boolean }> {
  const shown = progress.file(file);
  const rejects = rejectsFile(file, flags);
  try {
    const report = await importFile(database.write, resource, file, {
      network: flags.network,
      idType: flags.entityType,
      utc: flags.utc,
      window: flags.window,
      format: flags.format,
      skipInvalid: flags.skipInvalid ?? false,
      dryRun: flags.dryRun ?? false,
      resume: flags.resume ?? false,
      replace: flags.replace ? true : flags.merge ? false : undefined,
      onRejected: (text) => flags.skipInvalid && !flags.dryRun && rejects.write(text),
      onProgress: shown.show,
    });
    shown.end();
    rejects.end();
    const { inserted, updated, removed } = report;
    return {
      whole: printReport(report, flags, rejects.path),
      rows: inserted + updated + removed,
    };
  } catch (error) {
    shown.end();
    rejects.end();
    if (!(error instanceof SourceError)) throw error;
    notLoaded(file, error.message, flags);
    return { whole: false, rows: 0, misnamed: error instanceof PathError };
  }
}

const rejectsPath = (file: string, { rejects }: Flags) =>
  rejects ?? `${file === '-' ? 'stdin' : file}.rejected.ndjson`;

/** Rows that are written to a file that is read would be read again. */
function checkRejects(files: string[], flags: Flags): void {
  if (!flags.skipInvalid) {
    if (flags.rejects === undefined) return;
    throw new SettingsError('--rejects is for the rows that --skip-invalid skips: give both, or neither.');
  }
  const inputs = new Set(files.filter((file) => file !== '-').map(fileId));
  for (const file of files) {
    const path = rejectsPath(file, flags);
    const id = fileId(path);
    if (id !== undefined && inputs.has(id))
      throw new SettingsError(
        `Invalid rows of ${file} would be written to ${path}, which is imported: name another file with --rejects.`,
      );
  }
}

function fileId(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() ? `${stats.dev}:${stats.ino}` : undefined;
}

function rejectsFile(file: string, flags: Flags) {
  const path = rejectsPath(file, flags);
  let open: number | undefined;
  return {
    path,
    write(text: string) {
      try {
        open ??= openSync(path, flags.rejects ? 'a' : 'w');
        writeSync(open, `${text}\n`);
      } catch (error) {
        const reason = (error as Error).message;
        throw new SourceError(`${file}: nothing loaded; invalid rows cannot be written: ${reason}`);
      }
    },
    end() {
      if (open !== undefined) closeSync(open);
    },
  };
}

function printReport(report: FileReport, flags: Flags, rejects: string): boolean {
  const { file, rows, rejected, faultCount, loaded } = report;
  const say = (text: string) => process.stderr.write(`${file}: ${text}\n`);
  for (const fault of report.faults.slice(0, MAX_FAULTS_SHOWN)) {
    process.stderr.write(`${fault.file}, ${fault.place}, ${fault.field}: ${fault.msg}\n`);
  }
  if (faultCount > MAX_FAULTS_SHOWN) say(`and ${faultCount - MAX_FAULTS_SHOWN} more faults`);
  if (flags.json) process.stdout.write(`${JSON.stringify(report)}\n`);
  const counts = `${report.inserted} new, ${report.updated} updated, ${report.removed} removed`;
  const whole = rejected === 0;
  if (!loaded && !(flags.dryRun && (whole || flags.skipInvalid))) {
    say(`nothing loaded; ${rejected} of ${rows} rows are invalid (--skip-invalid loads the others)`);
    return false;
  }
  if (!flags.json) {
    const what = report.passed ? 'skipped, loaded before' : `${rows - rejected} of ${rows} rows (${counts})`;
    process.stdout.write(`${file}: ${flags.dryRun ? 'would load ' : ''}${what}\n`);
  }
  if (loaded && report.removed > 0)
    say(`${report.removed} stored rows were not in the list and were removed`);
  if (!whole && loaded) say(`${rejected} invalid rows were written to ${rejects}`);
  return whole;
}
