import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import {
  EPOCHS_PER_DAY,
  epochStart,
  SECONDS_PER_DAY,
  SLOTS_PER_EPOCH,
  slotStart,
} from '../chain/calendar.ts';
import { type Network, networks } from '../chain/networks.ts';
import { databaseSize, keptFrom, type Newest, newestPositions } from '../db/changes/newest.ts';
import { type LastRun, lastRuns } from '../db/job-runs.ts';
import type { Queryable } from '../db/pool.ts';
import { withDeadline } from '../kernel/deadline.ts';
import { recent } from '../kernel/recent.ts';

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
  registry: Registry,
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
  const newest = known(async () => (await newestPositions(pool, networks)).map(placeOf));
  const runs = known(() => lastRuns(primary));

  const size = known(() => databaseSize(pool), SIZE_RECENT_MS);
  new Gauge({
    name: 'stakegraph_database_bytes',
    help: 'Size of the database with all tables and indexes.',
    registers: [registry],
    async collect() {
      for (const bytes of await size()) this.set(bytes);
    },
  });

  const datasetGauge = (name: string, help: string, value: (place: Place) => number | undefined) =>
    new Gauge({
      name: `stakegraph_dataset_newest_${name}`,
      help,
      labelNames: ['dataset', 'network'],
      registers: [registry],
      async collect() {
        this.reset();
        for (const place of await newest()) {
          const { dataset, network } = place;
          const known = value(place);
          if (known !== undefined) this.set({ dataset, network }, known);
        }
      },
    });
  datasetGauge('epoch', 'Newest stored epoch of the dataset, by network.', ({ epoch }) => epoch);
  datasetGauge(
    'timestamp_seconds',
    'End of the newest stored day, epoch or slot of the dataset, by network.',
    ({ end }) => end,
  );

  const kept = known(() => keptFrom(pool));
  new Gauge({
    name: 'stakegraph_dataset_kept_from_timestamp_seconds',
    help: 'Date before which `stakegraph retain` has dropped rows of the dataset, by network.',
    labelNames: ['dataset', 'network'],
    registers: [registry],
    async collect() {
      this.reset();
      for (const { dataset, network, seconds } of await kept()) this.set({ dataset, network }, seconds);
    },
  });

  const jobGauge = (
    name: string,
    help: string,
    outcome: LastRun['outcome'],
    value: (run: LastRun) => number | null,
  ) =>
    new Gauge({
      name: `stakegraph_job_${name}`,
      help,
      labelNames: ['task', 'network'],
      registers: [registry],
      async collect() {
        this.reset();
        for (const run of await runs()) {
          const { job: task, network } = run; // Prometheus uses the label `job` for what it scrapes
          const known = run.outcome === outcome ? value(run) : null;
          if (known !== null) this.set(network ? { task, network } : { task }, known);
        }
      },
    });
  jobGauge(
    'last_success_timestamp_seconds',
    'When the job last succeeded, by network.',
    'success',
    ({ finished }) => finished,
  );
  jobGauge(
    'previous_success_timestamp_seconds',
    'When the job succeeded before its last success, by network.',
    'success',
    ({ previous }) => previous,
  );
  jobGauge(
    'last_failure_timestamp_seconds',
    'When the job last failed, by network.',
    'failure',
    ({ finished }) => finished,
  );
  jobGauge(
    'last_duration_seconds',
    'Duration of the last successful run of the job.',
    'success',
    (run) => run.seconds,
  );
  jobGauge('last_rows', 'Rows that the last successful run of the job wrote.', 'success', (run) => run.rows);
}
