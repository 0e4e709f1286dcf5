import { existsSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Command } from 'commander';
import { SettingsError } from '../config.ts';
import { recordRun } from '../db/job-runs.ts';
import { readManifest, sourceOf, verifyBackup } from '../db/transfer/backup-read.ts';
import { removeOldPartials, writeBackup } from '../db/transfer/backup-write.ts';
import { withConnection } from '../db/transfer/connect.ts';
import { detachedOf } from '../db/transfer/detached.ts';
import { checkMigrations, load } from '../db/transfer/load.ts';
import { withSource } from '../db/transfer/source.ts';
import { checkTarget } from '../db/transfer/target.ts';
import { version } from '../version.ts';
import { seconds, transferProgress, warnOfOutdated, whenWritten } from './transfer-progress.ts';
import { sayNotRecorded } from './with-database.ts';
import { withServer } from './with-server.ts';

type Flags = { replace?: boolean; json?: boolean };

function fileAt(path: string): Stats | undefined {
  if (path === '-')
    throw new SettingsError('A backup cannot use standard input or output; for a file named -, give ./-.');
  const file = statSync(path, { throwIfNoEntry: false });
  if (file && !file.isFile() && !file.isDirectory())
    throw new SettingsError(`${path} is not a regular file; name a file.`);
  if (file?.isDirectory()) throw new SettingsError(`${path} is a folder; name a file.`);
  return file;
}

function checkNewFile(path: string, replace: boolean | undefined): void {
  const file = fileAt(path);
  if (!existsSync(dirname(path)))
    throw new SettingsError(`There is no folder ${dirname(path)}; make it first.`);
  if (!file || replace) return;
  throw new SettingsError(`The file ${path} exists; choose another name, or replace it with --replace.`);
}

const print = (report: object, text: string, json: boolean | undefined) =>
  process.stdout.write(`${json ? JSON.stringify(report) : text}\n`);

export const backupCommand = (): Command =>
  new Command('backup')
    .description('write everything in the database to a file, and verify the file')
    .argument('<file>', 'file to write; only its owner may read it, because it has the hashes of tokens')
    .option('--replace', 'replace an existing file, once the new one is complete')
    .option('--json', 'report the backup as a line of JSON')
    .addHelpText(
      'after',
      `
Backs up the database of DATABASE_URL, or else the embedded one, as it is when the command starts. Gateways may go on serving it.
The file gets its name once it is complete and was read again; a backup that is stopped leaves no file of that name.
Exit codes: 0 the file is complete, 1 there is no new file, 2 wrong usage.`,
    )
    .action(async (file: string, flags: Flags) => {
      checkNewFile(file, flags.replace);
      let stopped = 'The backup was stopped; there is no new file.';
      const onWritten = () => {
        stopped = 'Stopped after the file was complete; the run may not be recorded.';
      };
      await withServer({ command: 'backup', creates: false, stopped: () => stopped }, (url) =>
        recorded(url, () => backup(url, file, flags, onWritten)),
      );
    });

const backup = (url: string, file: string, flags: Flags, onWritten: () => void): Promise<number> =>
  withSource(url, async (source, client) => {
    const began = performance.now();
    for (const { partial, removed } of removeOldPartials(file))
      process.stderr.write(
        removed
          ? `stakegraph: removed ${partial}, which a killed backup left.\n`
          : `stakegraph: ${partial} belongs to a killed or running backup: delete it if no backup is running.\n`,
      );
    const { outdated } = await detachedOf(client, source.tables);
    warnOfOutdated(
      'A restore to a new database will leave months out',
      outdated.map(({ name }) => name),
    );
    const progress = transferProgress();
    const options = { version, replace: flags.replace ?? false, onProgress: progress.show, onWritten };
    const { bytes, manifest } = await writeBackup(file, source, options).finally(progress.end);
    const rows = manifest.tables.reduce((sum, table) => sum + Number(table.rows), 0);
    const report = { file, tables: manifest.tables.length, rows, bytes, seconds: seconds(began) };
    print(
      report,
      `${file}: ${report.tables} tables with ${rows.toLocaleString('en')} rows in ${(bytes / 1e6).toFixed(1)} MB, written and read again in ${report.seconds} s`,
      flags.json,
    );
    return rows;
  });

async function recorded(url: string, work: () => Promise<number>): Promise<void> {
  const startedAt = new Date();
  const record = (outcome: 'success' | 'failure', rows: number) =>
    withConnection(url, false, (client) =>
      recordRun(client, { job: 'backup', startedAt, outcome, rows }, sayNotRecorded),
    ).catch(sayNotRecorded);
  try {
    await record('success', await work());
  } catch (error) {
    await record('failure', 0);
    throw error;
  }
}

export const restoreCommand = (): Command =>
  new Command('restore')
    .description('load a backup into an empty database, and verify what was loaded')
    .argument('<file>', 'file that "stakegraph backup" wrote')
    .option('--replace', 'replace all data of a database that is not empty')
    .option('--create', 'create the embedded database if there is none; it never gets the sample data')
    .option('--json', 'report the restore as a line of JSON')
    .addHelpText(
      'after',
      `
Restores to the database of DATABASE_URL, or else to the embedded one. Nothing else may be connected to it, and without --replace
it must be empty, which is checked first. The whole file is verified before anything is written. Tables are made in an empty
database; all rows are then written in one transaction, so a restore that is stopped leaves no rows, and with --replace changes
nothing. The number and a hash of the rows of each table are compared with the backup before the commit. A backup of an older
version is restored with its tables and then migrated, unless MIGRATE=off. --replace is refused for an older database with data.
It keeps the entries of the audit log that the backup lacks, names the tokens that become valid again because they were revoked
since the backup, and replaces tables of yours only if the backup has tables of the same names.
Exit codes: 0 everything was restored and is equal; 1 nothing was restored, or everything was, and the message says what
failed afterwards; 2 wrong usage.`,
    )
    .action(async (file: string, flags: Flags & { create?: boolean }) => {
      if (!fileAt(file)) throw new SettingsError(`There is no file ${file}.`);
      const began = performance.now();
      const progress = transferProgress();
      const manifest = await readManifest(file);
      await checkMigrations(manifest.migrations);
      const verify = () => verifyBackup(file, progress.show).finally(progress.end);
      const source = sourceOf(file, manifest);
      const replace = flags.replace ?? false;
      // A damaged file creates no database.
      if (flags.create) await verify();
      const written = whenWritten(progress, 'The restore was stopped; nothing was restored.');
      await withServer(
        { command: 'restore', creates: flags.create ?? false, stopped: written.stopped },
        async (url, settings) => {
          if (!flags.create) {
            await withConnection(url, false, (client) => checkTarget(client, source, replace));
            await verify();
          }
          const loaded = await load(url, source, {
            replace,
            migrate: settings.MIGRATE,
            audited: { action: 'restore', subject: manifest.takenAt },
            onProgress: progress.show,
            onCommit: written.commit,
            onWritten: written.say,
          }).finally(progress.end);
          const report = { file, takenAt: manifest.takenAt, ...loaded, seconds: seconds(began) };
          print(
            report,
            `Restored and compared ${loaded.tables} tables with ${loaded.rows.toLocaleString('en')} rows of ${manifest.takenAt} in ${report.seconds} s.`,
            flags.json,
          );
        },
      );
    });
