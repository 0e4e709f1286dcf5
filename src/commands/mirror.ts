import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { type Calendar, calendars } from '../chain/calendar.ts';
import { type Network, networks } from '../chain/networks.ts';
import { type TimeWindow, timeWindows } from '../chain/windows.ts';
import { readSecret } from '../config.ts';
import type { Database } from '../db/open.ts';
import { noteFirstLoad } from '../ingest/first-load.ts';
import {
  type MirrorClass,
  type MirrorResource,
  mirrorClasses,
  mirrorResources,
} from '../ingest/mirror/options.ts';
import { describeRound, type RoundReport } from '../ingest/mirror/report.ts';
import { type MirrorHooks, type MirrorOptions, mirrorOnce } from '../ingest/mirror/run.ts';
import type { RewardsNetwork } from '../resources/network-rewards/record.ts';
import { createOption, duration, namesOption, wholeNumber } from './flags.ts';
import { baseUrl, headerName, isInClear, rate, validatorsOf, variableName } from './mirror-flags.ts';
import { mirrorProgress } from './mirror-progress.ts';
import { type Signals, withDatabase } from './with-database.ts';

type Flags = {
  from: URL;
  tokenEnv: string;
  resources?: MirrorResource[];
  networks: Network[];
  windows: TimeWindow[];
  classes: MirrorClass[];
  attestationsOf: MirrorClass[];
  calendars: Calendar[];
  blockSlots: number;
  committeeSlots: number;
  validators?: { network: RewardsNetwork; id: string }[];
  every?: number;
  full?: boolean;
  resumeWithin?: number;
  rate: number;
  pageSize: number;
  attempts: number;
  timeout: number;
  networkHeader: string;
  unitsHeader: string;
  create?: boolean;
  json?: boolean;
};

const FIRST_BACKOFF_MS = 500;
const RESUME_WITHIN_MS = 1_800_000;

const optionsOf = (flags: Flags, token: string): MirrorOptions => ({
  from: flags.from,
  token,
  networkHeader: flags.networkHeader,
  unitsHeader: flags.unitsHeader,
  rate: flags.rate,
  timeoutMs: flags.timeout * 1000,
  attempts: flags.attempts,
  firstBackoffMs: FIRST_BACKOFF_MS,
  resumeWithinMs: flags.resumeWithin ?? RESUME_WITHIN_MS,
  scope: {
    resources: flags.resources ?? mirrorResources,
    resourcesNamed: flags.resources !== undefined,
    networks: flags.networks,
    windows: flags.windows,
    classes: flags.classes,
    attestationsOf: flags.attestationsOf,
    calendars: flags.calendars,
    blockSlots: flags.blockSlots,
    committeeSlots: flags.committeeSlots,
    validators: flags.validators ?? [],
    full: flags.full ?? false,
    pageSize: flags.pageSize,
  },
});

/** `stakegraph mirror --from URL --token-env NAME` */
export const mirrorCommand = (): Command =>
  new Command('mirror')
    .description('copy what a service of this interface answers, once or again and again')
    .requiredOption('--from <url>', 'address of the service, with its base path where it has one', baseUrl)
    .requiredOption('--token-env <name>', 'environment variable that holds the access token', variableName)
    .addOption(
      namesOption(
        '--resources <names>',
        `what to copy, by comma (default: all of ${mirrorResources.join(', ')})`,
        mirrorResources,
      ),
    )
    .addOption(namesOption('--networks <names>', 'Ethereum networks, by comma', networks, ['mainnet']))
    .addOption(
      namesOption(
        '--windows <names>',
        'windows of operators and stake authorities',
        timeWindows,
        timeWindows,
      ),
    )
    .addOption(
      namesOption(
        '--classes <names>',
        'classes of operators; validator is one more',
        mirrorClasses,
        mirrorClasses.filter((name) => name !== 'validator'),
      ),
    )
    .addOption(
      namesOption(
        '--attestations-of <classes>',
        'classes of the operators whose attestations to copy',
        mirrorClasses,
        ['nodeOperator', 'pool'],
      ),
    )
    .addOption(
      namesOption('--calendars <names>', 'calendars of attestations: chain, utc', calendars, ['chain']),
    )
    .option(
      '--block-slots <count>',
      'how many of the newest slots at first; later only new ones',
      wholeNumber(1, 2 ** 31 - 1),
      7_200,
    )
    .option(
      '--committee-slots <count>',
      'how many of the newest slots have their sync committee rewards copied',
      wholeNumber(1, 2 ** 31 - 1),
      32,
    )
    .option(
      '--validators <network=ids>',
      'validators of another network whose daily rewards to copy, by comma; may be repeated',
      validatorsOf,
    )
    .option('--full', 'read series from their beginning again, not only new days and slots')
    .option('--every <time>', 'go on until SIGTERM, a round in this time (90s, 15m, 1h, 1d)', duration)
    .option(
      '--resume-within <time>',
      'go on with a round that broke off, when it was at work within this time (default: 30m)',
      duration,
    )
    .option('--rate <number>', 'requests per second at the most; one at a time', rate, 2)
    .option(
      '--page-size <count>',
      'rows to ask for on a page; no list is asked for more than it gives: attestations 1,000, the others 200',
      wholeNumber(1, 1_000),
      200,
    )
    .option('--attempts <count>', 'how often to send a request that is not answered', wholeNumber(1, 20), 6)
    .option('--timeout <seconds>', 'how long to wait for an answer', wholeNumber(1, 600), 60)
    .option('--network-header <name>', 'header that selects the network', headerName, 'X-Service-Network')
    .option(
      '--units-header <name>',
      'header in which answers tell their compute units',
      headerName,
      'X-Service-Compute-Units',
    )
    .addOption(createOption())
    .option('--json', 'tell each round as a line of JSON')
    .addHelpText(
      'after',
      `
A list is loaded in one transaction when all of it is read, or nothing of it: an operator that is gone disappears as the
others change. Series (attestations, blocks, daily rewards, consolidations) are read from their last stored day on. After
a crash the next run goes on with the lists that were left. The token is sent to the service of --from alone: links and
redirects to elsewhere are refused. Pools and node operators are to be copied before their shares and attestations.
SIGTERM ends it after the list that is being read, a second one at once.
Exit codes: 0 every list was loaded, 1 not every list, 2 wrong usage.`,
    )
    .action(async (flags: Flags) => {
      const options = optionsOf(flags, readSecret(flags.tokenEnv));
      await withDatabase((database, signals) => mirror(database, options, flags, signals), {
        graceful: true,
        loads: true,
        creates: flags.create ?? false,
      });
    });

/** Mirrors once or for ever; throws when not every list is loaded, unless it goes on. */
async function mirror(database: Database, options: MirrorOptions, flags: Flags, signals: Signals) {
  const { stop } = signals;
  if (database.embedded) await noteFirstLoad(database.write);
  const progress = mirrorProgress();
  if (isInClear(options.from)) {
    progress.say(
      '--from is http://: the token can be read on the way; use https:// where the service has it.',
    );
  }
  let current: string | undefined;
  signals.leave.addEventListener('abort', () => {
    progress.say(`The mirror was stopped${current ? `; nothing loaded of ${current}` : ''}.`);
  });
  const hooks: MirrorHooks = {
    stop,
    say: progress.say,
    onList(title, tallies) {
      current = title;
      if (title) progress.list(title, tallies);
    },
  };
  const round = async (resumeWithinMs: number) => {
    const report = await mirrorOnce(database.write, { ...options, resumeWithinMs }, hooks).finally(
      progress.stop,
    );
    tell(report, flags.json);
    return report.complete;
  };
  const { every } = flags;
  if (every === undefined) {
    if (!(await round(options.resumeWithinMs))) throw new Error('not every list was loaded.');
    return;
  }
  for (let first = true; !stop.aborted; first = false) {
    const began = performance.now();
    // Only the first round may be one that broke off: later ones are new, also where the one before lacks lists.
    await round(first ? options.resumeWithinMs : 0).catch((error: Error) => {
      progress.say(`${error.message} The next round begins when it is due.`);
    });
    const wait = Math.max(0, began + every - performance.now());
    await sleep(wait, undefined, { signal: stop }).catch(() => undefined);
  }
}

const tell = (report: RoundReport, json: boolean | undefined) =>
  process.stdout.write(`${json ? JSON.stringify(report) : describeRound(report)}\n`);
