import { Command, Option } from 'commander';
import { type Network, networks } from '../chain/networks.ts';
import { readSettings, type Settings, SettingsError } from '../config/index.ts';
import type { Database } from '../db/open/index.ts';
import { fromSetting, parseFrom, parseTo, urlsOf } from '../indexer/flags.ts';
import type { FollowReport } from '../indexer/follow.ts';
import type { Boundary, From } from '../indexer/range.ts';
import { behindSeconds, type IndexStatus, newStatus } from '../indexer/status.ts';
import { beginWithoutSample } from '../sample/present.ts';
import { createOption } from './flags.ts';
import { serveIndexMetrics } from './index-metrics.ts';
import { indexProgress, shortTime } from './index-progress.ts';
import { rate } from './mirror-flags.ts';
import { type Signals, withDatabase } from './with-database.ts';

type Flags = {
  beacon?: string;
  execution?: string;
  relays?: string;
  network?: Network;
  from?: From;
  to?: Boundary;
  once?: boolean;
  rate?: number;
  labels?: string;
  estimateMissed?: boolean;
  create?: boolean;
  json?: boolean;
};

export const indexCommand = (): Command =>
  new Command('index')
    .description('compute every Ethereum figure from beacon nodes of your own, and keep them up to date')
    .option(
      '--beacon <urls>',
      'comma-separated URLs of beacon nodes; the next is asked when one fails (default: BEACON_URL)',
    )
    .addOption(
      new Option('--network <name>', 'refuse nodes of another network (default: INDEX_NETWORK)').choices(
        networks,
      ),
    )
    .option(
      '--from <epoch>',
      'epoch, date or head (default: after the last stored epoch, else the start of the present chain day)',
      parseFrom,
    )
    .option('--to <epoch>', 'last epoch, or a date (default: none)', parseTo)
    .option('--once', 'exit after the last final epoch')
    .option(
      '--rate <number>',
      'maximum requests per second to a node (default: INDEX_RATE, else no limit)',
      rate,
    )
    .option('--labels <file>', 'rules that name the operators of validators (default: INDEX_LABELS)')
    .option(
      '--execution <url>',
      'execution node, for fees, MEV and deposit addresses (default: EXECUTION_URL)',
    )
    .option('--relays <urls>', 'comma-separated URLs of relays, for MEV values (default: RELAY_URLS)')
    .option(
      '--estimate-missed',
      'estimate rewards of a missed block as the mean of its epoch (or INDEX_ESTIMATE_MISSED=on)',
    )
    .addOption(createOption())
    .option('--json', 'report each stored epoch as a line of JSON')
    .addHelpText(
      'after',
      `
Epochs are stored once they are final, each in one transaction, and only if every balance change is explained; blocks and
slashings also near the head. After a crash the next run goes on where it left off. Faults of nodes are reported and waited
out. With --once, they are waited out for about a minute, and fees and MEV are filled in for at most ten minutes. A database
takes one index per network. METRICS_PORT serves /metrics.
SIGTERM ends it after the current epoch, a second SIGTERM at once.
Exit codes: 0 every epoch was stored, or the index was stopped without --once; 1 some epochs were not stored; 2 wrong usage.`,
    )
    .action(async (flags: Flags) => {
      const settings = readSettings();
      const sources = sourcesOf(flags, settings);
      await withDatabase((database, signals) => index(database, flags, sources, settings, signals), {
        graceful: true,
        traced: true,
        loads: true,
        creates: flags.create ?? false,
      });
    });

type Sources = { beacon: readonly string[]; execution: string | undefined; relays: readonly string[] };

function sourcesOf(flags: Flags, settings: Settings): Sources {
  const given = (setting: 'BEACON_URL' | 'EXECUTION_URL' | 'RELAY_URLS', option: string, text?: string) =>
    text === undefined ? [settings[setting] ?? []].flat() : urlsOf(setting, option, text);
  const beacon = given('BEACON_URL', '--beacon', flags.beacon);
  if (beacon.length === 0) {
    throw new SettingsError('A beacon node is needed: give --beacon URL, or set BEACON_URL.');
  }
  return {
    beacon,
    execution: given('EXECUTION_URL', '--execution', flags.execution)[0],
    relays: given('RELAY_URLS', '--relays', flags.relays),
  };
}

async function index(
  database: Database,
  flags: Flags,
  sources: Sources,
  settings: Settings,
  { stop, leave }: Signals,
): Promise<void> {
  const { runIndex } = await import('../indexer/run.ts');
  if (database.embedded) await beginWithoutSample(database.write);
  const status = newStatus();
  const progress = indexProgress();
  leave.addEventListener('abort', () => {
    progress.say('The index was stopped; the next run goes on after the last stored epoch.');
  });
  const metrics = await serveIndexMetrics(settings, status);
  const began = performance.now();
  try {
    const report = await runIndex({
      urls: sources.beacon,
      network: flags.network ?? settings.INDEX_NETWORK,
      range: { from: flags.from, firstFrom: fromSetting(settings), to: flags.to },
      once: flags.once ?? false,
      rate: flags.rate ?? settings.INDEX_RATE,
      labels: flags.labels ?? settings.INDEX_LABELS,
      execution: sources.execution,
      relays: sources.relays,
      estimateMissed: flags.estimateMissed ?? settings.INDEX_ESTIMATE_MISSED,
      database: { url: database.url, pool: database.write },
      ...{ status, stop },
      say: (_level, message) => progress.say(message),
      onStored(stored) {
        if (flags.json) print(status, stored.epoch);
        progress.show(stored);
      },
      onPublished(epoch, failures) {
        for (const failure of failures) progress.say(`Not published: ${failure}`);
        if (!flags.json && !flags.once) tellPublished(status, epoch);
      },
    });
    progress.stop();
    if (!flags.json) tellEnd(report, (performance.now() - began) / 1000);
    if (flags.once && !report.done) throw new Error('Stopped before every epoch was stored.');
  } finally {
    progress.stop();
    await metrics?.close();
  }
}

const behind = ({ network }: IndexStatus, epoch: number) =>
  network === undefined ? undefined : behindSeconds(network, epoch, new Date());

function print(status: IndexStatus, epoch: number): void {
  const { network, finalizedEpoch, headEpoch } = status;
  const line = {
    ...{ time: new Date().toISOString(), network, epoch, finalizedEpoch, headEpoch },
    behindSeconds: behind(status, epoch),
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

const tellPublished = (status: IndexStatus, epoch: number) =>
  process.stdout.write(
    `${new Date().toISOString()} ${status.network}: published up to epoch ${epoch}, ${shortTime(behind(status, epoch) ?? 0)} ago\n`,
  );

function tellEnd({ from, to, epochs }: FollowReport, seconds: number): void {
  const what = from === undefined ? 'nothing new to store' : `${epochs} epochs stored (${from} to ${to})`;
  process.stdout.write(`${what} in ${shortTime(seconds)}\n`);
}
