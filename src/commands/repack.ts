import { Command, InvalidArgumentError } from 'commander';
import { recordRun } from '../db/job-runs.ts';
import type { Database } from '../db/open/index.ts';
import { traced } from '../kernel/tracing.ts';
import { type RepackReport, repack } from '../maintenance/repack/index.ts';
import { duration } from './flags.ts';
import { repeated, sayFailed } from './repeated.ts';
import { sayNotRecorded, withDatabase } from './with-database.ts';

type Flags = {
  months?: string[];
  dryRun?: boolean;
  /** Milliseconds. */
  every?: number;
  json?: boolean;
};

function monthsOf(text: string): string[] {
  const months = text.split(',').map((month) => month.trim());
  const wrong = months.find((month) => !/^\d{4}-(0[1-9]|1[0-2])$/.test(month));
  if (wrong === undefined) return months;
  throw new InvalidArgumentError(`${JSON.stringify(wrong)} is not a month like 2025-01.`);
}

export const repackCommand = (): Command =>
  new Command('repack')
    .description('rewrite past months of days of validators in the order of validators, for faster reads')
    .option('--months <list>', 'only these months, like 2025-01,2025-02', monthsOf)
    .option('--dry-run', 'report what would be rewritten, and change nothing')
    .option('--every <time>', 'repeat until SIGTERM, once per interval (15m, 1h, 1d)', duration)
    .option('--json', 'report each month as a line of JSON')
    .addHelpText(
      'after',
      `
Imports store the days of a month in the order of dates, so the 30 days of a validator are on 30 pages. A month that was
rewritten has them on one to three. Answers, revisions and caches stay the same. Without --months, a month is rewritten once
all its days are older than the newest 90, because a refresh reads those by date; with --months, once they are older than
the newest 4. Months in order are left alone. Nothing else runs it: run it once a day, by a timer or with --every 1d. A
month needs free disk space of about twice its size until it is done. Imports and indexes wait meanwhile; readers wait at
most half a second for each attempt to swap it in. While the table is in use, attempts go on for ten minutes. A command that
ends early leaves its current month unchanged.
Exit codes: 0 everything was rewritten, or --every was stopped; 1 not everything, or another process is
repacking; 2 wrong usage.`,
    )
    .action((flags: Flags) =>
      withDatabase(
        async (database, { stop }) => {
          if (flags.every === undefined) await once(database, flags, stop);
          else await repeated(() => pass(database, flags, stop), flags.every, stop, sayFailed(flags.json));
        },
        { graceful: true, traced: true },
      ),
    );

async function pass(
  { write, url }: Database,
  flags: Flags,
  stop: AbortSignal,
): Promise<{ failed: number; skipped: number }> {
  const startedAt = new Date();
  let [failed, skipped, rows] = [0, 0, 0];
  const record = (outcome: 'success' | 'failure') =>
    recordRun(write, { job: 'repack', startedAt, outcome, rows }, sayNotRecorded);
  const run = () =>
    repack(
      { pool: write, url },
      { months: flags.months, dryRun: flags.dryRun ?? false },
      (report) => {
        if (report.state === 'failed' || report.state === 'refused') failed += 1;
        if (report.state === 'skipped') skipped += 1;
        if (report.state === 'repacked') rows += report.rows ?? 0;
        show(report, flags);
      },
      stop,
    );
  await traced('repack', {}, run).catch(async (error) => {
    if (!flags.dryRun) await record('failure');
    throw error;
  });
  if (!flags.dryRun && (failed > 0 || (skipped === 0 && !stop.aborted)))
    await record(failed > 0 ? 'failure' : 'success');
  return { failed, skipped };
}

async function once(database: Database, flags: Flags, stop: AbortSignal): Promise<void> {
  const { failed, skipped } = await pass(database, flags, stop);
  if (failed > 0)
    throw new Error(failed === 1 ? '1 month was not repacked.' : `${failed} months were not repacked.`);
  if (skipped > 0)
    throw new Error('Another process is repacking or has dropped a month: try again when it has ended.');
  if (stop.aborted) throw new Error('Stopped before every month was repacked.');
}

const MB = 1_000_000;

function show(report: RepackReport, { json, every }: Flags): void {
  const time = new Date().toISOString();
  if (json) return void process.stdout.write(`${JSON.stringify({ time, ...report })}\n`);
  const { month = 'validator_days', before, rows = 0, bytes = 0, state, seconds, lockedMs, error } = report;
  const size = `${rows} rows, ${(bytes / MB).toFixed(1)} MB`;
  const say = {
    repacked: () => `repacked ${size}, in ${seconds} s; readers were locked out for at most ${lockedMs} ms`,
    'would repack': () => `would repack about ${size}`,
    'in order': () => 'in order',
    nothing: () => (before ? `no month ends before ${before}` : 'no days are stored'),
    skipped: () => `skipped, ${error}`,
    refused: () => `unchanged: ${error}`,
    failed: () => `unchanged: ${error}`,
  };
  const stream = state === 'failed' || state === 'refused' ? process.stderr : process.stdout;
  stream.write(`${every === undefined ? '' : `${time} `}${month}: ${say[state]()}\n`);
}
