import { Command } from 'commander';
import { type Calendar, calendars } from '../chain/calendar.ts';
import { type Network, networks } from '../chain/networks.ts';
import { TimeWindow } from '../chain/windows.ts';
import { readSecret } from '../config/index.ts';
import { audit } from '../db/audit.ts';
import { isDisconnected } from '../db/connection.ts';
import { recordRun } from '../db/job-runs.ts';
import type { Database } from '../db/open/index.ts';
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
import { baseUrl, headerName, isInClear, rate, validatorsFlag, variableName } from './mirror-flags.ts';
import { mirrorProgress } from './mirror-progress.ts';
import { repeated } from './repeated.ts';
import { type Signals, sayNotRecorded, withDatabase } from './with-database.ts';

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
  replace?: boolean;
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
  replace: flags.replace ?? false,
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

export const mirrorCommand = (): Command =>
  new Command('mirror')
    .description('copy the data of a service with this interface, once or repeatedly')
    .requiredOption('--from <url>', 'address of the service, with its base path if any', baseUrl)
    .requiredOption(
      '--token-env <name>',
      'environment variable that holds the access token',
      variableName('--token-env', 'UPSTREAM_TOKEN'),
    )
    .addOption(
      namesOption(
        '--resources <names>',
        `what to copy, comma-separated (default: all of ${mirrorResources.join(', ')})`,
        mirrorResources,
      ),
    )
    .addOption(namesOption('--networks <names>', 'Ethereum networks, comma-separated', networks, ['mainnet']))
    .addOption(
      namesOption(
        '--windows <names>',
        'windows of operators and stake authorities',
        TimeWindow.options,
        TimeWindow.options,
      ),
    )
    .addOption(
      namesOption(
        '--classes <names>',
        'classes of operators; validator is not in the default',
        mirrorClasses,
        mirrorClasses.filter((name) => name !== 'validator'),
      ),
    )
    .addOption(
      namesOption(
        '--attestations-of <classes>',
        'classes of operators whose attestations are copied',
        mirrorClasses,
        ['nodeOperator', 'pool'],
      ),
    )
    .addOption(
      namesOption('--calendars <names>', 'calendars of attestations: chain, utc', calendars, ['chain']),
    )
    .option(
      '--block-slots <count>',
      'number of newest slots to copy first; later only new ones',
      wholeNumber(1, 2 ** 31 - 1),
      7_200,
    )
    .option(
      '--committee-slots <count>',
      'number of newest slots to copy sync committee rewards for',
      wholeNumber(1, 2 ** 31 - 1),
      32,
    )
    .option(
      '--validators <network=ids>',
      'validators of another network whose daily rewards are copied, comma-separated; may be repeated',
      validatorsFlag,
    )
    .option('--full', 'read series again from the beginning, not only new days and slots')
    .option('--replace', "overwrite rows of epochs that 'stakegraph index' has written")
    .option('--every <time>', 'repeat until SIGTERM, a round per interval (90s, 15m, 1h, 1d)', duration)
    .option(
      '--resume-within <time>',
      'continue an interrupted round that was active within this time (default: 30m)',
      duration,
    )
    .option('--rate <number>', 'maximum requests per second, one at a time', rate, 2)
    .option(
      '--page-size <count>',
      'rows per page, at most the maximum of the list: attestations 1,000, others 200',
      wholeNumber(1, 1_000),
      200,
    )
    .option('--attempts <count>', 'maximum attempts for a request without a response', wholeNumber(1, 20), 6)
    .option('--timeout <seconds>', 'time to wait for a response', wholeNumber(1, 600), 60)
    .option('--network-header <name>', 'header that selects the network', headerName, 'X-Service-Network')
    .option(
      '--units-header <name>',
      'response header with the compute units',
      headerName,
      'X-Service-Compute-Units',
    )
    .addOption(createOption())
    .option('--json', 'report each round as a line of JSON')
    .addHelpText(
      'after',
      `
A list is loaded in one transaction after its last page, or not at all: operators that no longer exist are removed in the
same transaction. Series (attestations, blocks, daily rewards, consolidations) are read from their last stored day. After a
crash the next run continues with the remaining lists. The token is sent only to the service of --from: links and redirects
to other hosts are refused. Copy pools and node operators before their shares and attestations.
SIGTERM ends it after the current list, a second SIGTERM at once.
Exit codes: 0 every list was loaded, 1 not every list, 2 wrong usage.`,
    )
    .action(async (flags: Flags) => {
      const options = optionsOf(flags, readSecret(flags.tokenEnv, 'token'));
      await withDatabase((database, signals) => mirror(database, options, flags, signals), {
        graceful: true,
        traced: true,
        loads: true,
        creates: flags.create ?? false,
      });
    });

async function mirror(database: Database, options: MirrorOptions, flags: Flags, signals: Signals) {
  const { stop } = signals;
  if (database.embedded) await noteFirstLoad(database.write);
  const progress = mirrorProgress();
  if (isInClear(options.from)) {
    progress.say(
      '--from is http://, so others can read the token on the network; use https:// if the service has it.',
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
    const startedAt = new Date();
    const record = (outcome: 'success' | 'failure', rows: number) =>
      recordRun(database.write, { job: 'mirror', startedAt, outcome, rows }, sayNotRecorded);
    try {
      const report = await mirrorOnce(database.write, { ...options, resumeWithinMs }, hooks);
      progress.stop();
      print(report, flags.json);
      const rows = report.resources.reduce(
        (sum, tally) => sum + tally.inserted + tally.updated + tally.removed,
        0,
      );
      const { source, complete } = report;
      if (rows > 0)
        await audit(database.write, { action: 'mirror', subject: source, details: { rows, complete } });
      if (report.complete) await record('success', rows);
      else if (!stop.aborted) await record('failure', rows);
      return report.complete;
    } catch (error) {
      progress.stop();
      if (!stop.aborted && !isDisconnected(error)) await record('failure', 0);
      throw error;
    }
  };
  const { every } = flags;
  if (every === undefined) {
    if (!(await round(options.resumeWithinMs))) throw new Error('not every list was loaded.');
    return;
  }
  let { resumeWithinMs } = options;
  const pass = async () => {
    const within = resumeWithinMs;
    resumeWithinMs = 0;
    await round(within);
  };
  const say = (message: string) => progress.say(`${message} The next round starts when it is due.`);
  // Without retries in between, since requests cost units of the other service.
  await repeated(pass, every, stop, say, Number.POSITIVE_INFINITY);
}

const print = (report: RoundReport, json: boolean | undefined) =>
  process.stdout.write(`${json ? JSON.stringify(report) : describeRound(report)}\n`);
