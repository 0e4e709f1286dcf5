type Series = Record<string, string>;
export type Case = {
  fires: Series;
  quiet: Series | Series[];
  /** When the rule is asked. By default, 9 hours after the first value. */
  at?: string;
};

const constant = (series: string, fires: number, quiet: number): Case => ({
  fires: { [series]: `${fires}x600` },
  quiet: { [series]: `${quiet}x600` },
});
const counter = (series: string, fires: number, quiet: number): Case => ({
  fires: { [series]: `0+${fires}x600` },
  quiet: { [series]: `0+${quiet}x600` },
});
const count = 'stakegraph_http_request_seconds_count';
const bucket = 'stakegraph_http_request_seconds_bucket';
const last = 'stakegraph_job_last';

/** Quiet if it is in time, if it ran once, and if its last two runs are weeks apart. */
const lateJob = (labels: string): Case => {
  const runs = (newest: number, before?: number): Series => ({
    [`${last}_success_timestamp_seconds{${labels}}`]: `${newest}x600`,
    ...(before && { [`stakegraph_job_previous_success_timestamp_seconds{${labels}}`]: `${before}x600` }),
  });
  return {
    fires: runs(-100_000, -186_400),
    quiet: [runs(0, -86_400), runs(-100_000), runs(-100_000, -1_300_000)],
  };
};

/** Series with a value a minute for ten hours. The time of the first is 0. */
export const alertCases: Record<string, Case> = {
  StakegraphDown: constant('up{job="stakegraph"}', 0, 1),
  StakegraphRestarts: counter('process_start_time_seconds{job="stakegraph"}', 60, 0),
  StakegraphErrors: {
    fires: {
      [`${count}{status="200",route="/graphql"}`]: '0+98x600',
      [`${count}{status="500",route="/graphql"}`]: '0+2x600',
      [`${count}{status="200",route="/ready"}`]: '0+9999x600',
    },
    quiet: {
      [`${count}{status="200",route="/graphql"}`]: '0+98x600',
      [`${count}{status="404",route="/graphql"}`]: '0+9x600',
      [`${count}{status="499",route="/graphql"}`]: '0+9x600',
      [`${count}{status="503",route="/ready"}`]: '0+999x600',
    },
  },
  StakegraphGraphqlErrors: {
    fires: {
      [`${count}{status="200",route="/graphql"}`]: '0+98x600',
      'stakegraph_graphql_errors_total{code="INTERNAL"}': '0+1x600',
      'stakegraph_graphql_errors_total{code="UNAVAILABLE"}': '0+1x600',
    },
    quiet: {
      [`${count}{status="200",route="/graphql"}`]: '0+98x600',
      'stakegraph_graphql_errors_total{code="INTERNAL"}': '0x600',
      'stakegraph_graphql_errors_total{code="BAD_INPUT"}': '0+90x600',
    },
  },
  StakegraphSlow: {
    fires: {
      [`${bucket}{le="1",status="200"}`]: '0+90x600',
      [`${bucket}{le="2.5",status="200"}`]: '0+100x600',
      [`${bucket}{le="+Inf",status="200"}`]: '0+100x600',
      [`${bucket}{le="1",status="200",route="/ready"}`]: '0+9999x600',
      [`${bucket}{le="+Inf",status="200",route="/ready"}`]: '0+9999x600',
    },
    quiet: {
      [`${bucket}{le="1",status="200"}`]: '0+99x600',
      [`${bucket}{le="2.5",status="200"}`]: '0+100x600',
      [`${bucket}{le="+Inf",status="200"}`]: '0+100x600',
    },
  },
  StakegraphRequestsWait: constant('stakegraph_http_requests_waiting', 101, 100),
  StakegraphPoolExhausted: {
    fires: { stakegraph_db_connections_waiting: '1x600' },
    quiet: { stakegraph_db_connections_waiting: '9 0 '.repeat(300) },
  },
  StakegraphConnectionsRefused: counter('stakegraph_http_connections_refused_total', 1, 0),
  StakegraphEventLoopLate: constant('nodejs_eventloop_lag_p99_seconds{job="stakegraph"}', 0.6, 0.4),
  StakegraphChangesNotHeard: constant('stakegraph_changes_heard', 0, 1),
  StakegraphNotReady: constant('stakegraph_reads_up', 0, 1),
  StakegraphWritesDown: {
    fires: { stakegraph_writes_up: '0x600', stakegraph_reads_up: '1x600' },
    quiet: { stakegraph_writes_up: '0x600', stakegraph_reads_up: '0x600' },
  },
  StakegraphReplicaDown: constant('stakegraph_read_replica_up', 0, 1),
  StakegraphRedisDown: constant('stakegraph_redis_up', 0, 1),
  StakegraphNoData: {
    fires: { up: '1x600' },
    quiet: { 'stakegraph_dataset_newest_epoch{dataset="solana-overview",network="solana"}': '0x600' },
  },
  StakegraphDataOld: {
    fires: {
      'stakegraph_dataset_newest_timestamp_seconds{dataset="operators",network="mainnet"}': '-200000x600',
    },
    quiet: {
      'stakegraph_dataset_newest_timestamp_seconds{dataset="operators",network="mainnet"}': '0x600',
      'stakegraph_dataset_newest_timestamp_seconds{dataset="operators",network="holesky"}': '-200000x600',
    },
  },
  StakegraphRewardsOld: {
    fires: {
      'stakegraph_dataset_newest_timestamp_seconds{dataset="polygon-rewards",network="polygon"}':
        '-900000x600',
    },
    quiet: {
      'stakegraph_dataset_newest_timestamp_seconds{dataset="polygon-rewards",network="polygon"}':
        '-800000x600',
      'stakegraph_dataset_newest_timestamp_seconds{dataset="sync-committee-rewards",network="mainnet"}':
        '-900000x600',
    },
  },
  StakegraphJobFailing: {
    fires: {
      [`${last}_failure_timestamp_seconds{task="refresh",network="mainnet"}`]: '200x600',
      [`${last}_success_timestamp_seconds{task="refresh",network="hoodi"}`]: '100x600',
    },
    quiet: {
      [`${last}_failure_timestamp_seconds{task="refresh",network="mainnet"}`]: '100x600',
      [`${last}_success_timestamp_seconds{task="refresh",network="mainnet"}`]: '200x600',
      [`${last}_failure_timestamp_seconds{task="import"}`]: '200x600',
      [`${last}_failure_timestamp_seconds{task="mirror"}`]: '-100000x600',
    },
  },
  StakegraphRefreshLate: lateJob('task="refresh",network="mainnet"'),
  StakegraphMirrorLate: lateJob('task="mirror"'),
  StakegraphBackupLate: lateJob('task="backup"'),
  StakegraphUpkeepLate: lateJob('task="repack"'),
  StakegraphIndexStopped: {
    fires: { [`${last}_success_timestamp_seconds{task="index",network="mainnet"}`]: '-8000x600' },
    quiet: { [`${last}_success_timestamp_seconds{task="index",network="mainnet"}`]: '0+60x600' },
  },
  StakegraphIndexLate: constant('stakegraph_index_behind_seconds', 5_401, 2_100),
  StakegraphIndexNodeErrors: counter('stakegraph_index_node_errors_total{reason="timeout"}', 12, 1),
  StakegraphIndexNodeDown: {
    fires: { 'stakegraph_index_node_errors_total{reason="connection"}': '0+0.6x600' },
    quiet: [
      { 'stakegraph_index_node_errors_total{reason="connection"}': '0+0.2x600' },
      { 'stakegraph_index_node_errors_total{reason="connection"}': '0x480 0+30x20 600x100' },
    ],
  },
  StakegraphIndexUnexplained: counter('stakegraph_index_reconcile_failures_total', 1, 0),
  StakegraphIndexUnknownFork: {
    fires: { stakegraph_index_unknown_fork_epoch: '400000x600' },
    quiet: { stakegraph_index_behind_seconds: '0x600' },
  },
  StakegraphDiskFull: {
    fires: { stakegraph_disk_free_bytes: '9x600', stakegraph_disk_bytes: '100x600' },
    quiet: { stakegraph_disk_free_bytes: '11x600', stakegraph_disk_bytes: '100x600' },
  },
  StakegraphDatabaseGrows: {
    at: '20h',
    fires: { stakegraph_database_bytes: '20000000000+100000000x1200' },
    quiet: [
      { stakegraph_database_bytes: '20000000000+1000x1200' },
      // A load of two hours.
      { stakegraph_database_bytes: '20000000000x780 20000000000+500000000x120 80000000000x300' },
    ],
  },
};
