import type { Logger } from 'pino';
import {
  EPOCHS_PER_DAY,
  epochStart,
  SECONDS_PER_DAY,
  SLOTS_PER_EPOCH,
  slotStart,
} from '../../chain/calendar.ts';
import { type Network, networks } from '../../chain/networks.ts';
import { databaseSize, keptFrom, type Newest, newestPositions } from '../../db/changes/newest.ts';
import { type LastRun, lastRuns } from '../../db/job-runs.ts';
import type { Queryable } from '../../db/pool.ts';
import { withDeadline } from '../../kernel/deadline.ts';
import type { Meters } from '../../kernel/metrics.ts';
import { recent } from '../../kernel/recent.ts';

const RECENT_MS = 15_000;
/** PostgreSQL asks the file system for the size of each file. */
const SIZE_RECENT_MS = 300_000;

type Place = { dataset: string; network: string; epoch?: number | undefined; end?: number | undefined };

const isEthereum = (network: string): network is Network => (networks as readonly string[]).includes(network);

/** `end` is in Unix seconds. Only epochs of Ethereum have a fixed time. */
function placeOf({ dataset, network, unit, position }: Newest): Place {
  if (unit === 'date') return { dataset, network, end: position + SECONDS_PER_DAY };
  if (!isEthereum(network)) return { dataset, network, epoch: position };
  if (unit === 'slot')
    return {
      ...{ dataset, network, epoch: Math.floor(position / SLOTS_PER_EPOCH) },
      end: slotStart(network, position + 1),
    };
  const epoch = unit === 'day' ? (position + 1) * EPOCHS_PER_DAY - 1 : position;
  return { dataset, network, epoch, end: epochStart(network, epoch + 1) };
}

/** While the database does not answer, the last known values stay. */
export function registerStoredMetrics(
  meters: Meters,
  { pool, primary, log }: { pool: Queryable; primary: Queryable; log: Logger },
): void {
  const known = <T>(read: () => Promise<T[]>, recentMs = RECENT_MS): (() => Promise<T[]>) => {
    let last: T[] = [];
    return recent(recentMs, async () => {
      try {
        last = await withDeadline(read());
      } catch (err) {
        log.warn({ err }, 'metrics could not be read from the database; the last known ones stay');
      }
      return last;
    });
  };
  const size = known(() => databaseSize(pool), SIZE_RECENT_MS);
  meters.gauge(
    'database_bytes',
    'Size of the database with all tables and indexes.',
    async () => (await size())[0],
  );
  registerDatasets(meters, {
    newest: known(async () => (await newestPositions(pool, networks)).map(placeOf)),
    kept: known(() => keptFrom(pool)),
  });
  registerJobs(
    meters,
    known(() => lastRuns(primary)),
  );
}

type Kept = Awaited<ReturnType<typeof keptFrom>>[number];

function registerDatasets(
  { gauge }: Meters,
  { newest, kept }: { newest: () => Promise<Place[]>; kept: () => Promise<Kept[]> },
): void {
  const labelNames = ['dataset', 'network'];
  const ofNewest = (name: string, help: string, value: (place: Place) => number | undefined) =>
    gauge(
      `dataset_newest_${name}`,
      help,
      async () =>
        (await newest()).map((place) => {
          const { dataset, network } = place;
          return { labels: { dataset, network }, value: value(place) };
        }),
      labelNames,
    );
  ofNewest('epoch', 'Newest stored epoch of the dataset, by network.', ({ epoch }) => epoch);
  ofNewest(
    'timestamp_seconds',
    'End of the newest stored day, epoch or slot of the dataset, by network.',
    ({ end }) => end,
  );
  gauge(
    'dataset_kept_from_timestamp_seconds',
    'Date before which `stakegraph retain` has dropped rows of the dataset, by network.',
    async () =>
      (await kept()).map(({ dataset, network, seconds }) => ({
        labels: { dataset, network },
        value: seconds,
      })),
    labelNames,
  );
}

function registerJobs({ gauge }: Meters, runs: () => Promise<LastRun[]>): void {
  const ofRuns = (
    outcome: LastRun['outcome'],
    name: string,
    help: string,
    value: (run: LastRun) => number | null,
  ) =>
    gauge(
      `job_${name}`,
      help,
      async () =>
        (await runs()).map((run) => {
          const { job: task, network } = run; // Prometheus uses the label `job` for what it scrapes
          return {
            labels: network ? { task, network } : { task },
            value: run.outcome === outcome ? value(run) : null,
          };
        }),
      ['task', 'network'],
    );
  ofRuns(
    'success',
    'last_success_timestamp_seconds',
    'When the job last succeeded, by network.',
    ({ finished }) => finished,
  );
  ofRuns(
    'success',
    'previous_success_timestamp_seconds',
    'When the job succeeded before its last success, by network.',
    ({ previous }) => previous,
  );
  ofRuns(
    'failure',
    'last_failure_timestamp_seconds',
    'When the job last failed, by network.',
    ({ finished }) => finished,
  );
  ofRuns(
    'success',
    'last_duration_seconds',
    'Duration of the last successful run of the job.',
    ({ seconds }) => seconds,
  );
  ofRuns('success', 'last_rows', 'Rows that the last successful run of the job wrote.', ({ rows }) => rows);
}
