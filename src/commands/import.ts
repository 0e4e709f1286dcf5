import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { SingleBar } from 'cli-progress';
import { Argument, Command, Option } from 'commander';
import { networks } from '../chain/networks.ts';
import { type TimeWindow, timeWindows } from '../chain/windows.ts';
import type { Database } from '../db/open.ts';
import { type FileReport, type ImportResource, importers, importFile } from '../ingest/import.ts';
import { SourceError } from '../ingest/read.ts';
import { type IdType, idTypes } from '../resources/operators/record.ts';
import { withDatabase } from './with-database.ts';

type Flags = {
  network: (typeof networks)[number];
  entityType?: IdType;
  utc?: boolean;
  window?: TimeWindow;
  skipInvalid?: boolean;
  rejects?: string;
  replace?: boolean;
  merge?: boolean;
};

const MAX_FAULTS_SHOWN = 20;

/** `stakegraph import RESOURCE FILE…` */
export const importCommand = (): Command =>
  new Command('import')
    .description('load rows from files: REST bodies, JSON arrays or NDJSON, also gzipped')
    .addArgument(new Argument('<resource>', 'what the rows are').choices(Object.keys(importers)))
    .argument('<files...>', 'files, or - for standard input')
    .addOption(
      new Option('--network <name>', 'network of rows that name none').choices(networks).default('mainnet'),
    )
    .addOption(
      new Option('--entity-type <class>', 'class of entities of rows that name none').choices(idTypes),
    )
    .option('--utc', 'rows that do not say so are of the UTC calendar, not of the chain calendar')
    .addOption(new Option('--window <window>', 'window of rows that name none').choices(timeWindows))
    .option('--skip-invalid', 'load the rows that fit and write the others to a file')
    .option(
      '--rejects <file>',
      'where --skip-invalid writes the rows that do not fit (default: FILE.rejected.ndjson)',
    )
    .addOption(
      new Option('--replace', 'remove stored rows of the same lists that a file does not hold').conflicts(
        'merge',
      ),
    )
    .option('--merge', 'remove nothing, even when a file says that it holds its whole list')
    .addHelpText(
      'after',
      `
Each file is one transaction: all of it is loaded or nothing. A REST body of operators that holds its whole list
(total rows, no next) replaces that list, unless it may be a narrowed one (pool shares, pools of one pool type).
So does one of stake authorities, unless it holds nothing but pools or nothing but individuals, and one of sync
committee rewards for its slot. Daily rewards of other networks add to what is stored; a row with the id of a validator
is a day of that validator, any other a day of the network.`,
    )
    .action((resource: ImportResource, files: string[], flags: Flags) =>
      withDatabase(async (database) => {
        let failed = 0;
        for (const file of files) if (!(await importOne(database, resource, file, flags))) failed += 1;
        if (failed > 0) throw new Error(`${failed} of ${files.length} files were not loaded whole.`);
      }),
    );

/** Imports a file and tells about it; false when not every row was loaded. */
async function importOne(database: Database, resource: ImportResource, file: string, flags: Flags) {
  const bar = process.stderr.isTTY
    ? new SingleBar({
        format: `${basename(file)} [{bar}] {value}/{total} rows`,
        stream: process.stderr,
        clearOnComplete: true,
      })
    : undefined;
  try {
    const report = await importFile(database.write, resource, file, {
      network: flags.network,
      idType: flags.entityType,
      utc: flags.utc,
      window: flags.window,
      skipInvalid: flags.skipInvalid ?? false,
      replace: flags.replace ? true : flags.merge ? false : undefined,
      onProgress: (done, total) => (done <= 1_000 ? bar?.start(total, done) : bar?.update(done)),
    });
    bar?.stop();
    return await tell(report, flags);
  } catch (error) {
    bar?.stop();
    if (!(error instanceof SourceError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return false;
  }
}

async function tell(report: FileReport, flags: Flags): Promise<boolean> {
  for (const fault of report.faults.slice(0, MAX_FAULTS_SHOWN)) {
    process.stderr.write(`${fault.file}, ${fault.place}, ${fault.field}: ${fault.msg}\n`);
  }
  const more = report.faults.length - MAX_FAULTS_SHOWN;
  if (more > 0) process.stderr.write(`${report.file}: and ${more} more faults\n`);
  if (!report.loaded) {
    const bad = report.rejected.length;
    process.stderr.write(
      `${report.file}: nothing loaded, ${bad} of ${report.rows} rows do not fit (--skip-invalid loads the others)\n`,
    );
    return false;
  }
  const counts = `${report.inserted} new, ${report.updated} updated, ${report.removed} removed`;
  process.stdout.write(
    `${report.file}: ${report.rows - report.rejected.length} of ${report.rows} rows (${counts})\n`,
  );
  if (report.removed > 0) {
    process.stderr.write(
      `${report.file}: ${report.removed} stored rows were not in the list and were removed\n`,
    );
  }
  if (report.rejected.length === 0) return true;
  const path = flags.rejects ?? `${report.file === 'standard input' ? 'stdin' : report.file}.rejected.ndjson`;
  await writeFile(path, `${report.rejected.join('\n')}\n`, { flag: flags.rejects ? 'a' : 'w' });
  process.stderr.write(
    `${report.file}: ${report.rejected.length} rows do not fit and were written to ${path}\n`,
  );
  return false;
}
