import { Command, InvalidArgumentError, Option } from 'commander';
import { type Ages, ageOf, type Retainable, retainables } from '../config/ages.ts';
import { readSettings, SettingsError } from '../config/index.ts';
import { recordRun } from '../db/job-runs.ts';
import type { Pool } from '../db/pool.ts';
import { traced } from '../kernel/tracing.ts';
import { openArchive } from '../maintenance/retain/archiving.ts';
import { type RetainReport, retain } from '../maintenance/retain/index.ts';
import { duration } from './flags.ts';
import { repeated, sayFailed } from './repeated.ts';
import { sayNotRecorded, withDatabase } from './with-database.ts';

type Flags = Record<string, unknown> & {
  dryRun?: boolean;
  /** Milliseconds. */
  every?: number;
  json?: boolean;
  /** A folder; false for --no-archive. */
  archive?: string | false;
};

const age = (dataset: Retainable) => (text: string) => {
  const days = ageOf(dataset, text);
  if (typeof days === 'string') throw new InvalidArgumentError(`${days}.`);
  return days;
};

const what: Record<Retainable, string> = {
  'validator-days': 'days of validators',
  'attestation-days': 'attestations by day',
  'attestation-hours': 'attestations by hour',
  'operator-history': 'history of operators by day',
  'stake-authority-history': 'history of stake authorities by day',
  'solana-stake-authority-epochs': 'epochs of stake authorities',
  blocks: 'blocks and missed proposals',
  'sync-committee-rewards': 'rewards of sync committees',
  'network-rewards': 'daily rewards of validators of networks other than Ethereum',
};

export const retainCommand = (): Command => {
  const command = new Command('retain').description(
    'drop facts that are older than the given numbers of days',
  );
  for (const dataset of retainables)
    command.addOption(
      new Option(`--${dataset} <days>`, `how long to keep ${what[dataset]}, in days, like 400d`).argParser(
        age(dataset),
      ),
    );
  return command
    .option(
      '--archive <folder>',
      'keep months of validator-days that would be dropped, as Parquet files in this folder',
    )
    .option('--no-archive', 'drop months of validator-days although older ones are archived')
    .option('--dry-run', 'report what would be dropped, and drop nothing')
    .option('--every <time>', 'repeat until SIGTERM, once per interval (15m, 1h, 1d)', duration)
    .option('--json', 'report each part as a line of JSON')
    .addHelpText(
      'after',
      `
A dataset is dropped only if its days to keep are set, by an option or RETAIN; options take precedence.
Days are counted back from today, or from the newest stored day if that is earlier. Days of validators, attestations and
history are dropped by whole months, oldest first, once all their days are older in every network; the network that ends
first decides, and the output names it if it holds months back. A month that cannot be dropped keeps the later ones too.
Blocks and rewards of sync committees are dropped by slot, and network-rewards by day, in each network on its own. Epochs of
stake authorities are dropped 15 at a time.
A month of validator-days is dropped only after a refresh has added it up for the window all, and has computed attestations
and chain daily rewards from it. Epochs of stake authorities are dropped only after a refresh has added them up for the
window all. Blocks are kept from the first day on whose chain daily rewards are still to be computed from them. Operators
and days of private sets stay, and so do the figures of the window all and the days of each network as a whole.
Later imports of rows before a dropped date are refused.
With --archive, each month of validator-days becomes a Parquet file for each network, which is read again and compared with the
database, row by row, before the month is dropped. Gateways must see the folder at the same path. It needs the package
@duckdb/node-api (docs/archive.md). Once months are archived, a run without --archive drops no days unless given --no-archive.
Readers wait at most half a second for each attempt to drop a month; while it is in use, attempts go on for ten minutes.
Exit codes: 0 everything was dropped, or --every was stopped; 1 not everything, or another process is dropping data; 2 wrong
usage.`,
    )
    .action((flags: Flags) => {
      const ages = agesOf(flags);
      if (flags.archive !== undefined && ages['validator-days'] === undefined)
        throw new SettingsError(
          '--archive and --no-archive are about validator-days, whose days to keep are not set: give --validator-days 400d or the like.',
        );
      return withDatabase(
        async ({ write }, { stop }) => {
          if (typeof flags.archive === 'string') flags.archive = await openArchive(flags.archive);
          if (flags.every === undefined) await once(write, ages, flags, stop);
          else await repeated(() => pass(write, ages, flags, stop), flags.every, stop, sayFailed(flags.json));
        },
        { graceful: true, traced: true },
      );
    });
};

function agesOf(flags: Flags): Ages {
  const given: Ages = { ...readSettings().RETAIN };
  for (const dataset of retainables) {
    const name = dataset.replace(/-(\w)/g, (_match, letter: string) => letter.toUpperCase());
    if (typeof flags[name] === 'number') given[dataset] = flags[name];
  }
  if (Object.keys(given).length > 0) return given;
  throw new SettingsError(
    'Nothing is dropped by default: give --validator-days 400d or the like, or set RETAIN.',
  );
}

const MB = 1_000_000;

type Undropped = { failed: number; passed: number };

async function pass(pool: Pool, ages: Ages, flags: Flags, stop: AbortSignal): Promise<Undropped> {
  const startedAt = new Date();
  let [failed, passed, rows] = [0, 0, 0];
  const would = {
    drop: { rows: 0, bytes: 0 },
    archive: { rows: 0, bytes: 0 },
  };
  const record = (outcome: 'success' | 'failure') =>
    recordRun(pool, { job: 'retain', startedAt, outcome, rows: Math.round(rows) }, sayNotRecorded);
  const run = () =>
    retain(
      pool,
      {
        ...{ ages, dryRun: flags.dryRun ?? false, dropsDays: flags.archive === false },
        ...(typeof flags.archive === 'string' && { archive: flags.archive }),
      },
      (report) => {
        if (['failed', 'refused', 'would refuse'].includes(report.state)) failed += 1;
        if (report.state === 'passed') passed += 1;
        if (report.state === 'dropped' || report.state === 'archived') rows += report.rows;
        for (const what of ['drop', 'archive'] as const)
          if (report.state === `would ${what}`) {
            would[what].rows += report.rows;
            would[what].bytes += report.bytes;
          }
        show(report, flags);
      },
      stop,
    );
  await traced('retain', {}, run).catch(async (error) => {
    if (!flags.dryRun) await record('failure');
    throw error;
  });
  for (const [what, { rows, bytes }] of Object.entries(would))
    if (bytes > 0 && !flags.json)
      process.stdout.write(
        `In all, it would ${what} about ${Math.round(rows)} rows, ${(bytes / MB).toFixed(1)} MB.\n`,
      );
  if (!flags.dryRun && (failed > 0 || (passed === 0 && !stop.aborted)))
    await record(failed > 0 ? 'failure' : 'success');
  return { failed, passed };
}

async function once(pool: Pool, ages: Ages, flags: Flags, stop: AbortSignal): Promise<void> {
  const { failed, passed } = await pass(pool, ages, flags, stop);
  if (failed > 0) {
    const done = flags.dryRun ? 'would not be' : failed === 1 ? 'was not' : 'were not';
    throw new Error(`${failed} ${failed === 1 ? 'part' : 'parts'} ${done} dropped.`);
  }
  if (passed > 0) throw new Error('Another process is dropping data: try again when it has ended.');
  if (stop.aborted) throw new Error('Stopped before everything was dropped.');
}

function show(report: RetainReport, { json, every }: Flags): void {
  const time = new Date().toISOString();
  if (json) return void process.stdout.write(`${JSON.stringify({ time, ...report })}\n`);
  const { table, part, network, from, before, rows, bytes, state, seconds, error, files, step } = report;
  const name = [part ?? table, network].filter(Boolean).join(' ');
  const size = `${part ? 'about ' : ''}${Math.round(rows)} rows, ${(bytes / MB).toFixed(1)} MB, ${from} to before ${before}`;
  const say = {
    dropped: () => `dropped ${size}, in ${seconds} s`,
    'would drop': () => `would drop ${size}`,
    archived: () =>
      `archived ${rows} rows, ${(bytes / MB).toFixed(1)} MB, ${from} to before ${before}, in ${seconds} s${(files ?? []).map((one) => `\n  ${one.file}: ${one.rows} rows, ${(one.bytes / MB).toFixed(1)} MB`).join('')}`,
    'would archive': () => `would archive ${size}`,
    archiving: () => `is being archived: ${step} of ${rows} rows, after ${seconds} s`,
    'would refuse': () => `would keep: ${error}`,
    nothing: () => {
      if (!before) return 'no rows are stored';
      return network ? `nothing before ${before}` : `no month ends before ${before}`;
    },
    gone: () => 'another process has dropped it',
    held: () => error as string,
    waiting: () => 'waits for an import or an index to end',
    'in use': () => 'waits until nobody reads it; tries again for ten minutes',
    dropping: () => `dropped ${rows} rows so far, after ${seconds} s`,
    passed: () => `skipped, ${error}`,
    refused: () => `kept: ${error}`,
    failed: () => error as string,
  };
  const stream = state === 'failed' || state === 'refused' ? process.stderr : process.stdout;
  stream.write(`${every === undefined ? '' : `${time} `}${name}: ${say[state]()}\n`);
}
