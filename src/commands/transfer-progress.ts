import { checkArchivedFiles } from '../maintenance/archive/files.ts';
import { withConnection } from '../maintenance/transfer/connect.ts';
import type { CopyProgress, Loaded } from '../maintenance/transfer/load.ts';

const EVERY_MS = { terminal: 200, file: 10_000 };

const amount = (bytes: number) => `${(bytes / 1e6).toLocaleString('en', { maximumFractionDigits: 0 })} MB`;

export function transferProgress(stream: NodeJS.WriteStream = process.stderr) {
  let now: CopyProgress | undefined;
  const write = () => {
    if (!now) return;
    const { table, bytes, rows, done, of, checking } = now;
    const doing =
      table === undefined ? 'vacuum' : `${table}: ${amount(bytes)}${checking ? ', checking' : ''}`;
    const text = `${done} of ${of} tables, ${rows.toLocaleString('en')} rows; ${doing}`;
    stream.write(stream.isTTY ? `\r\x1b[K${text.slice(0, (stream.columns ?? 80) - 1)}` : `${text}\n`);
  };
  let timer: NodeJS.Timeout | undefined;
  return {
    show(progress: CopyProgress) {
      now = progress;
      timer ??= setInterval(write, EVERY_MS[stream.isTTY ? 'terminal' : 'file']).unref();
    },
    end() {
      clearInterval(timer);
      timer = undefined;
      if (stream.isTTY) stream.write('\r\x1b[K');
    },
  };
}

export type TransferProgress = ReturnType<typeof transferProgress>;

export const seconds = (began: number): number => Math.round((performance.now() - began) / 100) / 10;

export function warnOfOutdated(what: string, months: string[]): void {
  if (months.length === 0) return;
  process.stderr.write(
    `${what}, because the tables that they were detached from have other columns now: ${months.join(', ')}. To keep them, dump them from the original database: pg_dump ${months.map((name) => `-t ${name}`).join(' ')}\n`,
  );
}

/** Call after a database was written from a backup or from another database. */
export async function warnOfMissingFiles(url: string): Promise<void> {
  const { files, faults } = await withConnection(url, true, checkArchivedFiles);
  if (faults.length === 0) return;
  process.stderr.write(
    `Archived months are read from ${files} files, of which ${faults.length} cannot be read here: ${faults.slice(0, 5).join('; ')}${faults.length > 5 ? '; …' : ''}. Copy them there, or to another folder and run "stakegraph archive verify --folder".\n`,
  );
}

/** Keeps what to print if the command is stopped, and reports the copy once it is committed, also if a later step fails. */
export function transferReporter(progress: TransferProgress, nothingDone: string) {
  let stopped = nothingDone;
  return {
    stopped: () => stopped,
    commit() {
      stopped = 'Stopped during the commit: either all data was written, or none.';
    },
    say({ leftOut, outdated, detached, revivedTokens }: Loaded) {
      stopped =
        'Stopped after all data was written: run VACUUM (ANALYZE) in the database, and "stakegraph migrate".';
      progress.end();
      const unknown = leftOut.filter((name) => !outdated.includes(name));
      if (unknown.length > 0)
        process.stderr.write(`Left out, because stakegraph did not make them: ${unknown.join(', ')}.\n`);
      warnOfOutdated('Left out', outdated);
      if (detached.length > 0)
        process.stderr.write(`Detached months were copied, and stay detached: ${detached.join(', ')}.\n`);
      if (revivedTokens.length > 0) {
        const tokens = revivedTokens.map(({ id, name }) => `${id} (${name})`).join(', ');
        process.stderr.write(
          `Tokens that were revoked, expired or unknown in the replaced database are valid now: ${tokens}; "stakegraph token revoke" ends that.\n`,
        );
      }
    },
  };
}
