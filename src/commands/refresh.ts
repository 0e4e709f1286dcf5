import { Command } from 'commander';
import { type Network, networks } from '../chain/networks.ts';
import { TimeWindow } from '../chain/windows.ts';
import { audit } from '../db/audit.ts';
import { recordRun } from '../db/job-runs.ts';
import type { Pool } from '../db/pool.ts';
import { computedTypes } from '../ingest/importers/operator-profiles.ts';
import { type PartReport, type RefreshOptions, refresh, type Subject, subjects } from '../refresh/index.ts';
import { duration, namesOption, wholeNumber } from './flags.ts';
import { repeated, sayFailed } from './repeated.ts';
import { sayNotRecorded, withDatabase } from './with-database.ts';

type Flags = {
  networks: Network[];
  windows: TimeWindow[];
  only: Subject[];
  validators?: boolean;
  allDays?: boolean;
  /** Milliseconds. */
  every?: number;
  jobs: number;
  json?: boolean;
};

const MAX_JOBS = 4;

export const refreshCommand = (): Command =>
  new Command('refresh')
    .description('compute the published summaries from stored facts')
    .addOption(namesOption('--networks <names>', 'Ethereum networks, comma-separated', networks, networks))
    .addOption(
      namesOption('--windows <names>', 'windows, comma-separated', TimeWindow.options, TimeWindow.options),
    )
    .addOption(namesOption('--only <names>', 'what to compute, comma-separated', subjects, subjects))
    .option(
      '--validators',
      'also compute figures of each validator: a row per window and day; for days already computed, use --all-days once',
    )
    .option(
      '--all-days',
      'compute everything from all days, not only from what has changed since the last refresh',
    )
    .option('--every <time>', 'repeat until SIGTERM, once per interval (90s, 15m, 1h, 1d)', duration)
    .option('--jobs <count>', 'number of parts to refresh in parallel', wholeNumber(1, MAX_JOBS), 1)
    .option('--json', 'report each part as a line of JSON')
    .addHelpText(
      'after',
      `
Operators come from validator-days, validators, blocks, chain-balances, validator-clients and operator-profiles; slashings
from validator-days until they are withdrawable; attestations by day from validator-days and validators; chain daily rewards
from these, blocks and chain-balances, for whole days on which all validators are known; Solana from solana-epochs,
solana-validator-epochs and solana-stake-authority-epochs. Attestations and chain daily rewards are computed for days whose
validator-days changed; after changes of validators, blocks or chain-balances use --all-days to compute earlier days again.
Windows of operators are computed only if their facts have changed, and a new day is added to the sums of the others; after
changes by SQL use --all-days.
A part without facts is left unchanged. One job keeps up to two processors of the database busy, several jobs one each. For
a million validators, each processor needs up to 0.5 GB of its memory. All windows of a network, and each week of days, are
one transaction: readers see all of it or nothing. If another process is refreshing a part, this one waits for it; with
--every it skips that part.
SIGTERM ends it after the current transaction, a second SIGTERM at once.
Exit codes: 0 everything was refreshed, or --every was stopped; 1 not everything; 2 wrong usage.`,
    )
    .action((flags: Flags) =>
      withDatabase(
        async ({ write }, { stop, leave }) => {
          leave.addEventListener('abort', () => {
            process.stderr.write('The refresh was stopped; parts not reported as done are unchanged.\n');
          });
          if (flags.every === undefined) await once(write, flags, stop);
          // Without `json`, because the pass itself reports each failed part.
          else await repeated(() => pass(write, flags, stop), flags.every, stop, sayFailed());
        },
        { graceful: true, traced: true, writers: flags.jobs + 1 },
      ),
    );

const optionsOf = (flags: Flags): RefreshOptions => ({
  networks: flags.networks,
  windows: flags.windows,
  only: flags.only,
  allDays: flags.allDays ?? false,
  types: computedTypes.filter((type) => type !== 'validator' || flags.validators),
  wait: flags.every === undefined,
  jobs: flags.jobs,
});

/** Whether everything of the network is refreshed, so that no other part of it can be late. */
const isWhole = (network: Network | 'solana', { windows, only }: Flags): boolean =>
  windows.length === TimeWindow.options.length &&
  subjects.every((subject) => only.includes(subject) || (subject === 'solana') !== (network === 'solana'));

async function pass(pool: Pool, flags: Flags, stop: AbortSignal) {
  let failed = 0;
  const startedAt = new Date();
  const ran = new Map<Network | 'solana', { rows: number; failed: boolean }>();
  const tell = (report: PartReport) => {
    if (report.state === 'failed') failed += 1;
    show(report, flags);
    if (report.state !== 'failed' && report.rows === undefined) return;
    const network = report.network ?? 'solana';
    const run = ran.get(network) ?? { rows: 0, failed: false };
    const { inserted = 0, updated = 0, removed = 0 } = report;
    run.rows += inserted + updated + removed;
    run.failed ||= report.state === 'failed';
    ran.set(network, run);
  };
  const whole = await refresh(pool, optionsOf(flags), tell, () => stop.aborted);
  for (const [network, { rows, failed }] of ran) {
    if (rows > 0 || failed)
      await audit(pool, { action: 'refresh', subject: network, details: { rows, failed } });
    if (!whole && !failed) continue;
    const outcome = failed ? 'failure' : 'success';
    const job = isWhole(network, flags) ? 'refresh' : 'partial-refresh';
    await recordRun(pool, { job, network, startedAt, outcome, rows }, sayNotRecorded);
  }
  return { whole, failed };
}

async function once(pool: Pool, flags: Flags, stop: AbortSignal): Promise<void> {
  const { whole, failed } = await pass(pool, flags, stop);
  if (!whole) throw new Error('Stopped before everything was refreshed.');
  if (failed > 0) throw new Error(`${failed} parts were not refreshed.`);
}

function show(report: PartReport, { json, every }: Flags): void {
  const time = new Date().toISOString();
  if (json) return void process.stdout.write(`${JSON.stringify({ time, ...report })}\n`);
  const { part, network, calendar, window, state, seconds, inserted, updated, removed, rows, facts, days } =
    report;
  const name = [part, network, calendar, window].filter(Boolean).join(' ');
  const done = () =>
    `${rows} rows${facts === undefined ? '' : ` from ${facts} facts`}${days === undefined ? '' : ` of ${days} days`} (${inserted} new, ${updated} updated, ${removed} removed) in ${seconds} s`;
  const say = {
    done,
    passed: () =>
      rows === undefined
        ? 'skipped, another process is refreshing it'
        : `${done()}; the rest skipped, another process is refreshing it`,
    'no facts': () => 'no facts, unchanged',
    failed: () => report.error as string,
  };
  const stream = state === 'failed' ? process.stderr : process.stdout;
  stream.write(`${every === undefined ? '' : `${time} `}${name}: ${say[state]()}\n`);
}
