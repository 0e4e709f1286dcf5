import { Command, InvalidArgumentError } from 'commander';
import { addFeesOfMonth } from '../indexer/store/restored-fees.ts';
import { restoreMonth } from '../maintenance/archive/restore.ts';
import { sumMonths } from '../maintenance/archive/sum.ts';
import { verifyArchive } from '../maintenance/archive/verify.ts';
import { withDatabase } from './with-database.ts';

type Flags = { json?: boolean; folder?: string };

const print = (report: object, text: string, { json }: Flags, isFault = false) =>
  (isFault && !json ? process.stderr : process.stdout).write(`${json ? JSON.stringify(report) : text}\n`);

const size = (rows: number | undefined, bytes: number) =>
  `${rows === undefined ? 'sums' : `${rows.toLocaleString('en')} rows`}, ${(bytes / 1e6).toFixed(1)} MB`;

function monthOf(text: string): string {
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) return text;
  throw new InvalidArgumentError('It must be a month like 2024-03.');
}

const verifyCommand = () =>
  new Command('verify')
    .description('compare all files of archived months with the catalogue')
    .option('--folder <folder>', 'look for the files in this folder, and note it if all are there')
    .option('--json', 'report each file as a line of JSON')
    .addHelpText('after', '\nExit codes: 0 all files are right; 1 some are not; 2 wrong usage.')
    .action((flags: Flags) =>
      withDatabase(async ({ write }) => {
        let [files, faults] = [0, 0];
        await verifyArchive(write, flags.folder, (file) => {
          files += 1;
          if (file.error) faults += 1;
          const text = file.error
            ? `${file.path} (${file.network}, ${file.month}) ${file.error}`
            : `${file.path}: right, ${size(file.rows, file.bytes)}`;
          print(file, text, flags, file.error !== undefined);
        });
        if (faults > 0) throw new Error(`${faults} of ${files} files cannot be read as they were archived.`);
        if (files === 0 && !flags.json) process.stdout.write('No month is archived.\n');
      }),
    );

const restoreCommand = () =>
  new Command('restore')
    .description('move an archived month back into the database')
    .argument('<month>', 'like 2024-03', monthOf)
    .option('--json', 'report each file as a line of JSON')
    .addHelpText(
      'after',
      `
For corrections: import them, run stakegraph refresh, and archive the month again with stakegraph retain --archive, which
replaces the file. Imports and indexes of days of validators wait meanwhile; gateways go on. A restore that is stopped changes
nothing.
Exit codes: 0 the month is in the database; 1 it is not; 2 wrong usage.`,
    )
    .action((month: string, flags: Flags) =>
      withDatabase(async ({ write }) => {
        let reportedAt = performance.now();
        const note = (rows: number, of: number) => {
          if (performance.now() - reportedAt < 10_000) return;
          reportedAt = performance.now();
          process.stderr.write(`${rows.toLocaleString('en')} of ${of.toLocaleString('en')} rows\n`);
        };
        for (const one of await restoreMonth(write, month, note, addFeesOfMonth)) {
          const { fees } = one;
          const late = fees > 0 ? `; ${fees.toLocaleString('en')} got fees that had become known` : '';
          const text = `${one.path}: ${one.rows.toLocaleString('en')} rows of ${one.network} are in the database${late}`;
          print(one, text, flags);
        }
      }),
    );

const sumCommand = () =>
  new Command('sum')
    .description('write the sums of archived months that rankings read, where they are missing')
    .option('--json', 'report each file as a line of JSON')
    .addHelpText(
      'after',
      `
retain --archive writes them with each month. Those of months that an earlier version archived are missing, and rankings read
all days of these. Run it again after an upgrade that changes the formulas, or if a file of sums is lost.
Exit codes: 0 all months have their sums; 1 some do not; 2 wrong usage.`,
    )
    .action((flags: Flags) =>
      withDatabase(async ({ write }) => {
        let files = 0;
        await sumMonths(write, (path) => {
          files += 1;
          print({ path }, `${path}: written`, flags);
        });
        if (files === 0 && !flags.json) process.stdout.write('No sums are missing.\n');
      }),
    );

export const archiveCommand = (): Command =>
  new Command('archive')
    .description('check the files of archived months, add their sums, or move a month back into the database')
    .addCommand(verifyCommand())
    .addCommand(sumCommand())
    .addCommand(restoreCommand());
