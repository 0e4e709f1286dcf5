import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import type { Logger } from 'pino';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Tier, TierCounts } from '../accounts/tiers.ts';
import type { Dataset, Revisions } from '../db/changes/revisions.ts';
import type { Pool } from '../db/pool.ts';
import type { ReplicaState } from '../db/replicas/replica.ts';
import type { StreamCounts } from '../graphql/live/streams.ts';
import { errorCounts } from '../graphql/run/errors.ts';
import { registerIndexMetrics } from '../indexer/metrics.ts';
import type { IndexStatus } from '../indexer/status.ts';
import { recent } from '../kernel/recent.ts';
import type { AnswerCache } from './cache/answer-cache.ts';
import type { Connections } from './connections.ts';
import type { Readiness } from './health.ts';
import { registerStoredMetrics } from './metrics-data.ts';

type Answered = {
  /** The route's pattern. With paths, callers could create any number of labels. */
  route: string;
  method: string;
  status: number;
  ms: number;
  /** Set for requests with a valid token. */
  account?: string | undefined;
  tokenName?: string | undefined;
  tokenId?: string | undefined;
  units?: number | undefined;
};

export type Metrics = {
  observe(
    answered: Answered,
    log: Logger,
    bindings?: { reqId: string; trace_id?: string; span_id?: string },
  ): void;
  text(): Promise<string>;
  contentType: string;
};

type Sources = {
  pool: Pool;
  primary: Pool;
  log: Logger;
  tiers: TierCounts;
  revisions: Revisions;
  waiting: () => number;
  redisUp: () => boolean | undefined;
  unreadHeaders: () => number;
  replicas?: (() => ReplicaState[]) | undefined;
  readiness: () => Promise<Readiness>;
  connections: Connections;
  streams: () => StreamCounts;
  cache?: AnswerCache | undefined;
  index?: IndexStatus | undefined;
  dataDir?: string | undefined;
};

const RECENT_MS = 1_000;

export function openMetrics(sources: Sources): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  registerDataMetrics(registry, sources.revisions);
  registerStoredMetrics(registry, sources);
  registerServiceMetrics(registry, sources);
  registerTierMetrics(registry, sources.tiers);
  if (sources.index) registerIndexMetrics(registry, sources.index);
  if (sources.dataDir !== undefined) registerDiskMetrics(registry, sources.dataDir);
  return {
    observe: requestObserver(registry),
    text: recent(RECENT_MS, () => registry.metrics()),
    contentType: registry.contentType,
  };
}

function registerDiskMetrics(registry: Registry, dataDir: string): void {
  const gauge = (name: string, help: string, blocksOf: (found: StatsFs) => number) =>
    new Gauge({
      name: `stakegraph_disk_${name}`,
      help,
      registers: [registry],
      async collect() {
        const found = await statfs(dataDir).catch(() => undefined);
        if (found) this.set(blocksOf(found) * found.bsize);
        else this.remove();
      },
    });
  gauge('bytes', 'Size of the file system of the embedded database.', ({ blocks }) => blocks);
  gauge('free_bytes', 'Space on it that this user can still use.', ({ bavail }) => bavail);
}

function requestObserver(registry: Registry): Metrics['observe'] {
  const duration = new Histogram({
    name: 'stakegraph_http_request_seconds',
    help: 'Time to answer, by route pattern, method and status.',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  const observed = new Map<string, Map<string, ReturnType<typeof duration.labels>>>();
  return (answered, log, bindings) => {
    const { route, method, status, ms } = answered;
    let own = observed.get(route);
    if (!own) observed.set(route, (own = new Map()));
    const kind = method + status;
    let child = own.get(kind);
    if (!child) own.set(kind, (child = duration.labels(route, method, String(status))));
    child.observe(ms / 1000);
    if (log.isLevelEnabled('info'))
      log.info({ ...bindings, ...answered, ms: Math.round(ms * 10) / 10 }, 'answered');
  };
}

function registerDataMetrics(registry: Registry, revisions: Revisions): void {
  const datasetGauge = (name: string, help: string, value: (dataset: Dataset) => number) =>
    new Gauge({
      name: `stakegraph_dataset_${name}`,
      help,
      labelNames: ['dataset'],
      registers: [registry],
      collect() {
        for (const dataset of revisions.current.values()) this.set({ dataset: dataset.name }, value(dataset));
      },
    });
  datasetGauge(
    'refreshed_timestamp_seconds',
    'When an import or a refresh changed the dataset last.',
    ({ refreshedAt }) => Date.parse(refreshedAt) / 1000,
  );
  datasetGauge('revision', 'How often the dataset was changed.', ({ revision }) => revision);
}

function registerServiceMetrics(registry: Registry, sources: Sources): void {
  const { pool, revisions, waiting, redisUp, connections, cache } = sources;
  const options = (name: string, help: string) => ({
    name: `stakegraph_${name}`,
    help,
    registers: [registry],
  });
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      ...options(name, help),
      collect() {
        this.set(value());
      },
    });
  const counter = (name: string, help: string, value: () => number) =>
    new Counter({
      ...options(`${name}_total`, help),
      collect() {
        this.reset();
        this.inc(value());
      },
    });
  for (const state of ['total', 'idle', 'waiting'] as const)
    gauge(`db_connections_${state}`, `Reading connections: ${state}.`, () => pool.stats()[state]);
  gauge('http_requests_waiting', 'Requests that wait for others to be answered.', waiting);
  gauge('http_connections', 'Connections that are open.', connections.open);
  counter(
    'http_connections_refused',
    'Connections refused because MAX_CONNECTIONS were open.',
    connections.refused,
  );
  counter(
    'http_connections_unread',
    'Connections closed because the client read an answer too slowly for SEND_TIMEOUT_MS.',
    connections.unread,
  );
  new Counter({
    ...options('graphql_errors_total', 'Errors in GraphQL responses and events, by code.'),
    labelNames: ['code'],
    collect() {
      this.reset();
      for (const [code, count] of errorCounts) this.inc({ code }, count);
    },
  });
  registerReadiness(registry, sources.readiness);
  registerStreamMetrics(registry, sources.streams);
  if (sources.replicas) registerReplicaMetrics(registry, sources.replicas);
  gauge(
    'changes_heard',
    '1 while the database reports changes, 0 while it does not and nothing is cached.',
    () => Number(revisions.trusted()),
  );
  counter(
    'unread_network_headers',
    'Headers like X-*-Network that are not in NETWORK_HEADERS; the debug log names them.',
    sources.unreadHeaders,
  );
  if (redisUp() !== undefined)
    gauge(
      'redis_up',
      '1 while rates and allowances are common to all replicas, 0 while Redis does not answer.',
      () => Number(redisUp()),
    );
  if (!cache) return;
  gauge('cache_entries', 'Answers in the cache.', () => cache.stats().entries);
  gauge('cache_bytes', 'Bytes of the answers in the cache.', () => cache.stats().bytes);
  counter('cache_hits', 'Answers sent from the cache.', () => cache.stats().hits);
  counter('cache_misses', 'Answers that the cache did not have.', () => cache.stats().misses);
  new Counter({
    ...options('answers_not_cached_total', 'Answers that were not cached, by reason.'),
    labelNames: ['reason'],
    collect() {
      this.reset();
      for (const [reason, count] of Object.entries(cache.stats().notCached)) this.inc({ reason }, count);
    },
  });
}

function registerReadiness(registry: Registry, readiness: () => Promise<Readiness>): void {
  const gauge = (name: string, help: string, isUp: (found: Readiness) => boolean) =>
    new Gauge({
      name: `stakegraph_${name}_up`,
      help,
      registers: [registry],
      async collect() {
        this.set(Number(isUp(await readiness())));
      },
    });
  gauge('reads', '1 while /ready succeeds: requests that only read can be answered.', ({ ready }) => ready);
  gauge(
    'writes',
    '1 while requests that write can be answered too.',
    ({ ready, writes }) => ready && writes !== false,
  );
}

function registerReplicaMetrics(registry: Registry, states: () => ReplicaState[]): void {
  const options = (name: string, help: string) => ({
    name: `stakegraph_read_replica_${name}`,
    help,
    labelNames: ['replica'],
    registers: [registry],
  });
  const gauge = (name: string, help: string, value: (state: ReplicaState) => number) =>
    new Gauge({
      ...options(name, help),
      collect() {
        for (const state of states()) this.set({ replica: state.name }, value(state));
      },
    });
  gauge('up', '1 while the read replica answers, is migrated and lags at most 5 s behind.', ({ up }) =>
    Number(up),
  );
  gauge(
    'lag_seconds',
    'For how long the primary has had changes that the read replica lacks; at most about a minute.',
    ({ lagSeconds }) => lagSeconds,
  );
  new Counter({
    ...options('statements_total', 'Statements sent to the read replica.'),
    collect() {
      this.reset();
      for (const { name, statements } of states()) this.inc({ replica: name }, statements);
    },
  });
}

function registerStreamMetrics(registry: Registry, counts: () => StreamCounts): void {
  const registers = [registry];
  new Gauge({
    name: 'stakegraph_streams',
    help: 'Subscriptions that are open.',
    registers,
    collect() {
      this.set(counts().open);
    },
  });
  const counter = (name: string, help: string, value: () => number) =>
    new Counter({
      name: `stakegraph_${name}_total`,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(value());
      },
    });
  counter('stream_events', 'Events sent to subscriptions.', () => counts().events);
  counter(
    'streams_refused',
    'Subscriptions refused because MAX_STREAMS, or the most of a token, were open.',
    () => counts().refused,
  );
  new Counter({
    name: 'stakegraph_streams_ended_total',
    help: 'Subscriptions that ended, by reason.',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset();
      for (const [reason, count] of Object.entries(counts().ended)) this.inc({ reason }, count);
    },
  });
}

/** Labels name tiers, not accounts, because there may be any number of accounts. */
function registerTierMetrics(registry: Registry, tiers: TierCounts): void {
  const counter = (name: string, help: string, kinds: Record<string, keyof TierCounts[Tier]>) =>
    new Counter({
      name: `stakegraph_account_${name}_total`,
      help,
      labelNames: ['tier', ...(name === 'refused' ? ['reason'] : [])],
      registers: [registry],
      collect() {
        this.reset();
        for (const [tier, counts] of Object.entries(tiers))
          for (const [reason, kind] of Object.entries(kinds))
            this.inc({ tier, ...(reason && { reason }) }, counts[kind]);
      },
    });
  counter('requests', 'Requests that were admitted, by tier of the account.', { '': 'requests' });
  counter('units', 'Compute units charged, by tier of the account.', { '': 'units' });
  counter('refused', 'Requests refused because of the rate or the units of their account, by tier.', {
    rate: 'refusedByRate',
    units: 'refusedByUnits',
  });
}
