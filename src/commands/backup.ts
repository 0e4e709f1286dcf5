import { existsSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { SettingsError } from '../config/index.ts';
import { READ_ONLY } from '../db/connection.ts';
import { recordRun } from '../db/job-runs.ts';
import { timestampText } from '../kernel/time.ts';
import { traced } from '../kernel/tracing.ts';
import { version } from '../kernel/version.ts';
import { archivedFiles } from '../maintenance/archive/files.ts';
import {
  backupsIn,
  isBackupName,
  newBackupName,
  removeOldBackups,
} from '../maintenance/transfer/backup-folder.ts';
import type { Manifest } from '../maintenance/transfer/backup-format.ts';
import { readManifest, sourceOf, verifyBackup } from '../maintenance/transfer/backup-read.ts';
import { removeOldPartials, writeBackup } from '../maintenance/transfer/backup-write.ts';
import { databaseOf, withConnection } from '../maintenance/transfer/connect.ts';
import { detachedOf } from '../maintenance/transfer/detached.ts';
import { checkMigrations, load } from '../maintenance/transfer/load.ts';
import { withSource } from '../maintenance/transfer/source.ts';
import { checkTarget } from '../maintenance/transfer/target.ts';
import { duration, wholeNumber } from './flags.ts';
import { repeated, sayFailed } from './repeated.ts';
import {
  seconds,
  transferProgress,
  transferReporter,
  warnOfMissingFiles,
  warnOfOutdated,
} from './transfer-progress.ts';
import { sayNotRecorded } from './with-database.ts';
import { withDatabaseServer } from './with-server.ts';

type Flags = { replace?: boolean; json?: boolean };
type BackupFlags = Flags & {
  keep?: number;
  /** Milliseconds. */
  every?: number;
};

function statOf(path: string): Stats | undefined {
  if (path === '-')
    throw new SettingsError('A backup cannot use standard input or output; for a file named -, give ./-.');
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats && !stats.isFile() && !stats.isDirectory())
    throw new SettingsError(`${path} is not a regular file; name a file.`);
  return stats;
}

/** Where a backup is written: to the file `path`, or to a new file in the folder `path`. */
type Destination = { path: string; isFolder: boolean };

function checkDestination(path: string, { replace, keep, every }: BackupFlags): Destination {
  const stats = statOf(path);
  if (stats?.isDirectory()) {
    if (replace)
      throw new SettingsError(`${path} is a folder, where each backup has a new name: leave --replace out.`);
    return { path, isFolder: true };
  }
  const option = (keep && '--keep') || (every && '--every');
  if (option)
    throw new SettingsError(
      `${option} needs a folder, where each backup has a name of its own: ${path} ${stats ? 'is a file' : 'does not exist'}.`,
    );
  const folder = path.endsWith('/') ? path : dirname(path);
  if (!existsSync(folder)) throw new SettingsError(`There is no folder ${folder}; make it first.`);
  if (stats && !replace)
    throw new SettingsError(`The file ${path} exists; choose another name, or replace it with --replace.`);
  return { path, isFolder: false };
}

const print = (report: object, text: string, json: boolean | undefined) =>
  process.stdout.write(`${json ? JSON.stringify(report) : text}\n`);

export const backupCommand = (): Command =>
  new Command('backup')
    .description('write everything in the database to a file, and verify the file')
    .argument(
      '<path>',
      'file to write, or a folder for a new file; only its owner may read the file, because it has the hashes of tokens',
    )
    .option('--replace', 'replace an existing file, once the new one is complete')
    .option(
      '--keep <backups>',
      'in a folder, remove all but so many of the newest backups',
      wholeNumber(1, 10_000),
    )
    .option('--every <time>', 'repeat until SIGTERM, once per interval (6h, 1d); needs a folder', duration)
    .option('--json', 'report the backup as a line of JSON')
    .addHelpText(
      'after',
      `
Backs up the database of DATABASE_URL, or else the embedded one, as it is when the command starts. Gateways may go on serving it.
The file gets its name once it was read again and has every row; a backup that is stopped leaves no file of that name.
In a folder, the file is named after the time, like ${newBackupName(Date.UTC(2026, 10, 23, 3, 20))}.
Once it is complete, --keep removes older files with such names, and no others; it leaves those of another database alone.
--every begins with a backup, unless the newest file is more recent than the interval.
Exit codes: 0 the file is complete, or --every was stopped between two backups; 1 there is no new file, or older ones were not
removed; 2 wrong usage.`,
    )
    .action(async (path: string, flags: BackupFlags) => {
      const destination = checkDestination(path, flags);
      const { every } = flags;
      const running = 'The backup was stopped; there is no new file.';
      let stopped: string | undefined = running;
      const onWritten = () => {
        stopped = 'Stopped after the file was complete; the run may not be recorded.';
      };
      await withDatabaseServer({ command: 'backup', creates: false, stopped: () => stopped }, async (url) => {
        const pass = async () => {
          stopped = running;
          const run = () => recorded(url, () => backup(url, destination, flags, onWritten));
          await traced('backup', {}, run).finally(() => {
            if (every !== undefined) stopped = undefined;
          });
        };
        if (every === undefined) await pass();
        else {
          stopped = undefined;
          await untilDue(url, path, every);
          await repeated(pass, every, new AbortController().signal, sayFailed(flags.json));
        }
      });
    });

/** Waits for the next backup of the folder, so that restarts do not replace old backups by several of the same day. */
async function untilDue(url: string, folder: string, every: number): Promise<void> {
  const database = await withConnection(url, true, databaseOf).catch(() => undefined);
  const newest = database === undefined ? undefined : (await backupsIn(folder, database)).own.at(-1);
  const wait = newest ? newest.beganAt + every - Date.now() : 0;
  if (!newest || wait <= 0) return;
  const due = timestampText(Math.floor((newest.beganAt + every) / 1000));
  process.stderr.write(`stakegraph: the next backup is due at ${due}, because ${newest.name} is there.\n`);
  await sleep(wait);
}

const NO_SPACE = ['ENOSPC', 'EDQUOT'];

const backup = (
  url: string,
  { path, isFolder }: Destination,
  flags: BackupFlags,
  onWritten: () => void,
): Promise<number> =>
  withSource(url, async (source, client) => {
    const began = performance.now();
    const file = isFolder ? join(path, newBackupName()) : path;
    const isBackup = isFolder ? isBackupName : (name: string) => name === basename(path);
    for (const { partial, removed } of removeOldPartials(dirname(file), isBackup))
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
    const { bytes, manifest } = await writeBackup(file, source, options)
      .catch((error) => {
        throw NO_SPACE.includes(error.code)
          ? new Error(`${file} cannot be written: ${error.message}`)
          : error;
      })
      .finally(progress.end);
    const rows = manifest.tables.reduce((sum, table) => sum + Number(table.rows), 0);
    const removed = flags.keep === undefined ? [] : await removeOld(path, flags.keep, file, manifest);
    const archived = await archivedFiles(client);
    if (archived.length > 0)
      process.stderr.write(
        `stakegraph: the backup does not contain the ${archived.length} files of archived months; copy them too: ${archived.slice(0, 3).join(', ')}${archived.length > 3 ? ', …' : ''}\n`,
      );
    const report = {
      ...{ file, tables: manifest.tables.length, rows, bytes, seconds: seconds(began), removed },
      ...(archived.length > 0 && { archived }),
    };
    print(
      report,
      `${file}: ${report.tables} tables with ${rows.toLocaleString('en')} rows in ${(bytes / 1e6).toFixed(1)} MB, written and read again in ${report.seconds} s${removed.map((name) => `\n${name}: removed`).join('')}`,
      flags.json,
    );
    return rows;
  });

async function removeOld(folder: string, keep: number, file: string, { database = '' }: Manifest) {
  const backups = await backupsIn(folder, database);
  const count = backups.foreign.length;
  if (count > 0)
    process.stderr.write(
      `stakegraph: ${folder} has ${count} ${count === 1 ? 'backup' : 'backups'} of another database, which --keep leaves alone.\n`,
    );
  return removeOldBackups(folder, backups, keep, basename(file));
}

async function recorded(url: string, work: () => Promise<number>): Promise<void> {
  const startedAt = new Date();
  const record = (outcome: 'success' | 'failure', rows: number) =>
    withConnection(url, false, (client) =>
      recordRun(client, { job: 'backup', startedAt, outcome, rows }, (error) => {
        if ((error as { code?: string }).code !== READ_ONLY) return sayNotRecorded(error);
        process.stderr.write('stakegraph: a standby cannot record the run for /metrics and alerts.\n');
      }),
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
      const stats = statOf(file);
      if (!stats) throw new SettingsError(`There is no file ${file}.`);
      if (stats.isDirectory()) throw new SettingsError(`${file} is a folder; name a file.`);
      const began = performance.now();
      const progress = transferProgress();
      const manifest = await readManifest(file);
      await checkMigrations(manifest.migrations);
      const verify = () =>
        verifyBackup(file, { countsRows: false, onProgress: progress.show }).finally(progress.end);
      const source = sourceOf(file, manifest);
      const replace = flags.replace ?? false;
      // A damaged file creates no database.
      if (flags.create) await verify();
      const written = transferReporter(progress, 'The restore was stopped; nothing was restored.');
      await withDatabaseServer(
        { command: 'restore', creates: flags.create ?? false, stopped: written.stopped },
        (url, settings) =>
          traced('restore', {}, async () => {
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
            await warnOfMissingFiles(url);
            const report = { file, takenAt: manifest.takenAt, ...loaded, seconds: seconds(began) };
            print(
              report,
              `Restored and compared ${loaded.tables} tables with ${loaded.rows.toLocaleString('en')} rows of ${manifest.takenAt} in ${report.seconds} s.`,
              flags.json,
            );
          }),
      );
    });
