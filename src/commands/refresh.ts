import { setTimeout as sleep } from 'node:timers/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { type Network, networks } from '../chain/networks.ts';
import { type TimeWindow, timeWindows } from '../chain/windows.ts';
import type { Pool } from '../db/pool.ts';
import { computedTypes } from '../ingest/operator-profiles.ts';
import { type PartReport, type RefreshOptions, refresh, type Subject, subjects } from '../refresh/index.ts';
import { withDatabase } from './with-database.ts';

type Flags = {
  networks: Network[];
  windows: TimeWindow[];
  only: Subject[];
  validators?: boolean;
  every?: number;
  json?: boolean;
};

const MAX_SECONDS = 31 * 86_400;
const units = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** `90s`, `15m`, `1h`, `1d` in seconds. */
function interval(text: string): number {
  const [, digits, unit] = /^(\d{1,7})([smhd])$/.exec(text) ?? [];
  const seconds = Number(digits) * units[unit as keyof typeof units];
  if (seconds >= 1 && seconds <= MAX_SECONDS) return seconds;
  throw new InvalidArgumentError('A whole number and s, m, h or d is needed, from 1s to 31d, as in 1h.');
}

/** `stakegraph refresh` */
export const refreshCommand = (): Command =>
  new Command('refresh')
    .description('compute the published summaries from the facts that are stored')
    .addOption(
      new Option('--networks <names...>', 'networks of Ethereum').choices(networks).default([...networks]),
    )
    .addOption(new Option('--windows <windows...>', 'windows').choices(timeWindows).default([...timeWindows]))
    .addOption(new Option('--only <what...>', 'what to compute').choices(subjects).default([...subjects]))
    .option('--validators', 'also a summary of each single validator: a row each in every window')
    .option('--every <interval>', 'go on, once in so long: 90s, 15m, 1h, 1d', interval)
    .option('--json', 'tell each part as a line of JSON')
    .addHelpText(
      'after',
      `
Operators come from validator-days, validators, blocks, chain-balances, validator-clients and operator-profiles; slashings
from validator-days until they are withdrawable; Solana from solana-epochs, solana-validator-epochs and
solana-stake-authority-epochs. A part without facts is left as it is. Each network and window is one transaction: readers
see all of it or nothing. Without --every a part that another process is refreshing is waited for, with it passed over.
SIGTERM ends it after the transaction at hand; a second one at once.
Exit codes: 0 everything was refreshed, or --every was asked to stop; 1 not everything; 2 wrong usage.`,
    )
    .action((flags: Flags) =>
      withDatabase(
        async ({ write }, stop) => {
          if (flags.every === undefined) await once(write, flags, stop);
          else await repeated(write, flags, flags.every, stop);
        },
        { graceful: true },
      ),
    );

const optionsOf = (flags: Flags): RefreshOptions => ({
  networks: networks.filter((network) => flags.networks.includes(network)),
  windows: flags.windows,
  only: flags.only,
  types: computedTypes.filter((type) => type !== 'validator' || flags.validators),
  wait: flags.every === undefined,
});

async function pass(pool: Pool, flags: Flags, stop: AbortSignal) {
  let failed = 0;
  const tell = (report: PartReport) => {
    if (report.state === 'failed') failed += 1;
    show(report, flags);
  };
  const whole = await refresh(pool, optionsOf(flags), tell, () => stop.aborted);
  return { whole, failed };
}

async function once(pool: Pool, flags: Flags, stop: AbortSignal): Promise<void> {
  const { whole, failed } = await pass(pool, flags, stop);
  if (!whole) throw new Error('Stopped before everything was refreshed.');
  if (failed > 0) throw new Error(`${failed} parts were not refreshed.`);
}

/** Begins at multiples of the interval from the start on, however long a pass takes; one that is missed is left out. */
async function repeated(pool: Pool, flags: Flags, seconds: number, stop: AbortSignal): Promise<void> {
  const began = performance.now();
  for (let turn = 0; !stop.aborted; ) {
    await pass(pool, flags, stop);
    const passed = (performance.now() - began) / 1000;
    turn = Math.max(turn + 1, Math.ceil(passed / seconds));
    await sleep((turn * seconds - passed) * 1000, undefined, { signal: stop }).catch(() => undefined);
  }
}

function show(report: PartReport, { json, every }: Flags): void {
  const time = new Date().toISOString();
  if (json) return void process.stdout.write(`${JSON.stringify({ time, ...report })}\n`);
  const { part, network, window, state, seconds, inserted, updated, removed, rows, facts } = report;
  const name = [part, network, window].filter(Boolean).join(' ');
  const say = {
    done: () =>
      `${rows} rows${facts === undefined ? '' : ` from ${facts} facts`} (${inserted} new, ${updated} updated, ${removed} removed) in ${seconds} s`,
    passed: () => 'passed over, another process is refreshing it',
    'no facts': () => 'no facts, left as it is',
    failed: () => report.error as string,
  };
  const stream = state === 'failed' ? process.stderr : process.stdout;
  stream.write(`${every === undefined ? '' : `${time} `}${name}: ${say[state]()}\n`);
}
