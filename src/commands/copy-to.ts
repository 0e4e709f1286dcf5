import { Command } from 'commander';
import type pg from 'pg';
import { parseDatabaseUrl } from '../config/database-url.ts';
import { readSecret, SettingsError } from '../config/index.ts';
import { traced } from '../kernel/tracing.ts';
import { isSameDatabase } from '../maintenance/transfer/connect.ts';
import { load } from '../maintenance/transfer/load.ts';
import { type CopySource, withSource } from '../maintenance/transfer/source.ts';
import { variableName } from './mirror-flags.ts';
import {
  seconds,
  type TransferProgress,
  transferProgress,
  transferReporter,
  warnOfMissingFiles,
} from './transfer-progress.ts';
import { withDatabaseServer } from './with-server.ts';

type Flags = { toEnv: string; replace?: boolean; withSample?: boolean; json?: boolean };

/** Errors show neither the address nor its password. */
function targetUrl(name: string): string {
  const url = readSecret(name, 'database URL');
  try {
    parseDatabaseUrl(url);
    return url;
  } catch (error) {
    throw new SettingsError(`--to-env: ${(error as Error).message}.`);
  }
}

export const copyToCommand = (): Command =>
  new Command('copy-to')
    .description('copy everything to an empty database of your own, and verify the copy')
    .requiredOption(
      '--to-env <name>',
      'environment variable that holds the URL of the new database',
      variableName('--to-env', 'NEW_DATABASE_URL'),
    )
    .option('--replace', 'replace all data of a database that is not empty')
    .option('--with-sample', 'allow copying a database that has the sample data')
    .option('--json', 'report the copy as a line of JSON')
    .addHelpText(
      'after',
      `
Copies the database of DATABASE_URL, or else the embedded one, as it is when the command starts: all data, accounts, tokens,
private sets, usage, and the state of mirrors and indexes. Gateways may go on serving it; what they write later, such as usage,
is not copied. Nothing else may be connected to the new database. Its tables are made first; all rows are then written in one
transaction, so a copy that is stopped leaves no rows, and with --replace changes nothing. Before the commit, the number and a
hash of the rows of each table are compared on both sides. Grants to other roles are not copied. --replace keeps the entries of
the audit log of the new database, names the tokens that become valid there, and replaces tables
of yours only if the source has tables of the same names.
Exit codes: 0 everything was copied and is equal; 1 nothing was copied, or everything was, and the message says what failed
afterwards; 2 wrong usage.`,
    )
    .action(async (flags: Flags) => {
      const target = targetUrl(flags.toEnv);
      const progress = transferProgress();
      const written = transferReporter(progress, 'The copy was stopped; nothing was copied.');
      await withDatabaseServer(
        { command: 'copy-to', creates: false, stopped: written.stopped },
        (url, settings) =>
          traced('copy-to', {}, () =>
            withSource(url, (source, client) =>
              copy(client, source, target, flags, settings.MIGRATE, progress, written),
            ),
          ),
      );
    });

async function copy(
  client: pg.ClientBase,
  source: CopySource,
  target: string,
  flags: Flags,
  migrate: boolean,
  progress: TransferProgress,
  written: ReturnType<typeof transferReporter>,
): Promise<void> {
  const began = performance.now();
  if (source.hasSample && !flags.withSample) {
    throw new Error(
      'The database has the sample data: load your own data into another one (SAMPLE_DATA=off and a new DATA_DIR), or copy the sample data too with --with-sample.',
    );
  }
  const isSame = await isSameDatabase(client, target).catch((error: Error) => {
    throw new Error(`The database of ${flags.toEnv}: ${error.message}`, { cause: error });
  });
  if (isSame)
    throw new SettingsError('--to-env names the database that would be copied; another one is needed.');
  const tokens = await developmentTokens(client);
  const loaded = await load(target, source, {
    replace: flags.replace ?? false,
    migrate,
    audited: { action: 'copy-to', subject: 'all data' },
    onProgress: progress.show,
    onCommit: written.commit,
    onWritten: written.say,
  }).finally(progress.end);
  await warnOfMissingFiles(target);
  for (const id of tokens) {
    process.stderr.write(
      `The development token ${id} is also valid in the new database; "stakegraph token revoke ${id}" there ends that.\n`,
    );
  }
  const report = {
    tables: loaded.tables,
    rows: loaded.rows,
    leftOut: loaded.leftOut,
    outdated: loaded.outdated,
    detached: loaded.detached,
    applied: loaded.applied,
    revivedTokens: loaded.revivedTokens,
    seconds: seconds(began),
  };
  process.stdout.write(
    flags.json
      ? `${JSON.stringify(report)}\n`
      : `Copied and compared ${report.tables} tables with ${report.rows.toLocaleString('en')} rows in ${report.seconds} s.\n`,
  );
}

/** Tokens whose text is in the file DATA_DIR/token. */
async function developmentTokens(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query(
    `/* developmentTokens */ select token_id::text as id from tokens
    where name = 'development' and revoked_at is null and (expires_at is null or expires_at > now())`,
  );
  return rows.map(({ id }) => id);
}
