import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import type { Tier, TierCounts } from '../../accounts/tiers.ts';
import type { Dataset, Revisions } from '../../db/changes/revisions.ts';
import type { Pool } from '../../db/pool.ts';
import type { ReplicaState } from '../../db/replicas/replica.ts';
import { errorCounts } from '../../graphql/errors.ts';
import type { StreamCounts } from '../../graphql/live/streams.ts';
import { labelled, type Meters, type Sample } from '../../kernel/metrics.ts';
import type { AnswerCache } from '../cache/answer-cache.ts';
import type { Connections } from '../limits/connections.ts';
import type { Readiness } from './health.ts';

export type ServiceSources = {
  pool: Pool;
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
  dataDir?: string | undefined;
};

/** What this process knows without a statement. */
export function registerServiceMetrics(meters: Meters, sources: ServiceSources): void {
  const { gauge } = meters;
  const { pool, revisions, redisUp } = sources;
  for (const state of ['total', 'idle', 'waiting'] as const)
    gauge(`db_connections_${state}`, `Reading connections: ${state}.`, () => pool.stats()[state]);
  gauge(
    'db_statements_in_line',
    'Reading statements that wait for others of their account.',
    () => pool.stats().inLine,
  );
  gauge(
    'changes_heard',
    '1 while the database reports changes, 0 while it does not and nothing is cached.',
    () => Number(revisions.trusted()),
  );
  if (redisUp() !== undefined)
    gauge(
      'redis_up',
      '1 while rates and allowances are common to all gateways, 0 while Redis does not answer.',
      () => Number(redisUp()),
    );
  registerDatasets(meters, revisions);
  registerRequests(meters, sources);
  registerReadiness(meters, sources.readiness);
  registerStreams(meters, sources.streams);
  registerTiers(meters, sources.tiers);
  if (sources.replicas) registerReplicas(meters, sources.replicas);
  if (sources.cache) registerCache(meters, sources.cache);
  if (sources.dataDir !== undefined) registerDisk(meters, sources.dataDir);
}

function registerDatasets({ gauge }: Meters, revisions: Revisions): void {
  const each = (value: (dataset: Dataset) => number) => (): Sample[] =>
    Array.from(revisions.current.values(), (dataset) => ({
      labels: { dataset: dataset.name },
      value: value(dataset),
    }));
  gauge(
    'dataset_refreshed_timestamp_seconds',
    'When an import or a refresh changed the dataset last.',
    each(({ refreshedAt }) => Date.parse(refreshedAt) / 1000),
    ['dataset'],
  );
  gauge(
    'dataset_revision',
    'How often the dataset was changed.',
    each(({ revision }) => revision),
    ['dataset'],
  );
}

function registerRequests(
  { gauge, counter }: Meters,
  { waiting, connections, unreadHeaders }: ServiceSources,
): void {
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
  counter(
    'unread_network_headers',
    'Headers like X-*-Network that are not in NETWORK_HEADERS; the debug log names them.',
    unreadHeaders,
  );
  counter(
    'graphql_errors',
    'Errors in GraphQL responses and events, by code.',
    () => labelled('code', errorCounts),
    ['code'],
  );
}

function registerReadiness({ gauge }: Meters, readiness: () => Promise<Readiness>): void {
  gauge('reads_up', '1 while /ready succeeds: requests that only read can be answered.', async () =>
    Number((await readiness()).ready),
  );
  gauge('writes_up', '1 while requests that write can be answered too.', async () => {
    const { ready, writes } = await readiness();
    return Number(ready && writes !== false);
  });
}

function registerStreams({ gauge, counter }: Meters, counts: () => StreamCounts): void {
  gauge('streams', 'Subscriptions that are open.', () => counts().open);
  counter('stream_events', 'Events sent to subscriptions.', () => counts().events);
  counter(
    'streams_refused',
    'Subscriptions refused because MAX_STREAMS, or the most of a token, were open.',
    () => counts().refused,
  );
  counter(
    'streams_ended',
    'Subscriptions that ended, by reason.',
    () => labelled('reason', Object.entries(counts().ended)),
    ['reason'],
  );
}

/** Labels name tiers, not accounts, because there may be any number of accounts. */
function registerTiers({ counter }: Meters, tiers: TierCounts): void {
  const each = (kind: keyof TierCounts[Tier], reason?: string): Sample[] =>
    Object.entries(tiers).map(([tier, counts]) => ({
      labels: { tier, ...(reason && { reason }) },
      value: counts[kind],
    }));
  counter(
    'account_requests',
    'Requests that were admitted, by tier of the account.',
    () => each('requests'),
    ['tier'],
  );
  counter('account_units', 'Compute units charged, by tier of the account.', () => each('units'), ['tier']);
  counter(
    'account_refused',
    'Requests refused because of the rate or the units of their account, by tier.',
    () => [...each('refusedByRate', 'rate'), ...each('refusedByUnits', 'units')],
    ['tier', 'reason'],
  );
}

function registerReplicas({ gauge, counter }: Meters, states: () => ReplicaState[]): void {
  const each = (value: (state: ReplicaState) => number) => (): Sample[] =>
    states().map((state) => ({ labels: { replica: state.name }, value: value(state) }));
  gauge(
    'read_replica_up',
    '1 while the read replica answers, is migrated and lags at most 5 s behind.',
    each(({ up }) => Number(up)),
    ['replica'],
  );
  gauge(
    'read_replica_lag_seconds',
    'For how long the primary has had changes that the read replica lacks; at most about a minute.',
    each(({ lagSeconds }) => lagSeconds),
    ['replica'],
  );
  counter(
    'read_replica_statements',
    'Statements sent to the read replica.',
    each(({ statements }) => statements),
    ['replica'],
  );
}

function registerCache({ gauge, counter }: Meters, cache: AnswerCache): void {
  gauge('cache_entries', 'Answers in the cache.', () => cache.stats().entries);
  gauge('cache_bytes', 'Bytes of the answers in the cache.', () => cache.stats().bytes);
  counter('cache_hits', 'Answers sent from the cache.', () => cache.stats().hits);
  counter('cache_misses', 'Answers that the cache did not have.', () => cache.stats().misses);
  counter(
    'answers_not_cached',
    'Answers that were not cached, by reason.',
    () => labelled('reason', Object.entries(cache.stats().notCached)),
    ['reason'],
  );
}

function registerDisk({ gauge }: Meters, dataDir: string): void {
  const bytes = (blocksOf: (found: StatsFs) => number) => async () => {
    const found = await statfs(dataDir).catch(() => undefined);
    return found && blocksOf(found) * found.bsize;
  };
  gauge(
    'disk_bytes',
    'Size of the file system of the embedded database.',
    bytes(({ blocks }) => blocks),
  );
  gauge(
    'disk_free_bytes',
    'Space on it that this user can still use.',
    bytes(({ bavail }) => bavail),
  );
}
