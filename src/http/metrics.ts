import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Pool } from '../db/pool.ts';
import type { AnswerCache } from './answer-cache.ts';

/** An answer as the log and the metrics tell of it. */
export type Answered = {
  /** The pattern, never the path: a label for each id a caller makes up would grow without bound. */
  route: string;
  method: string;
  status: number;
  ms: number;
};

/** What `/metrics` tells, for Prometheus. */
export type Metrics = { observe(answered: Answered): void; text(): Promise<string>; contentType: string };

export function openMetrics(options: {
  pool: Pool;
  /** Requests that wait for others to be answered. */
  waiting: () => number;
  redisUp: () => boolean | undefined;
  cache?: AnswerCache | undefined;
}): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: 'stakegraph_http_request_seconds',
    help: 'Time to answer, by route pattern, method and status.',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name: `stakegraph_${name}`,
      help,
      registers: [registry],
      collect() {
        this.set(value());
      },
    });
  const { pool, waiting, redisUp, cache } = options;
  for (const state of ['total', 'idle', 'waiting'] as const)
    gauge(`db_connections_${state}`, `Reading connections: ${state}.`, () => pool.stats()[state]);
  gauge('http_requests_waiting', 'Requests that wait for others to be answered.', waiting);
  if (redisUp() !== undefined)
    gauge(
      'redis_up',
      '1 while rates and allowances are common to all replicas, 0 while Redis does not answer.',
      () => (redisUp() ? 1 : 0),
    );
  if (cache) {
    gauge('cache_entries', 'Answers kept.', () => cache.stats().entries);
    gauge('cache_bytes', 'Bytes of kept answers.', () => cache.stats().bytes);
    gauge('cache_hits', 'Answers given again, since the start.', () => cache.stats().hits);
    gauge('cache_misses', 'Answers made, since the start.', () => cache.stats().misses);
  }

  // Few: of routes, and of methods and statuses of each.
  const observed = new Map<string, Map<string, ReturnType<typeof duration.labels>>>();
  return {
    observe({ route, method, status, ms }) {
      let own = observed.get(route);
      if (!own) observed.set(route, (own = new Map()));
      const kind = method + status;
      let child = own.get(kind);
      if (!child) own.set(kind, (child = duration.labels(route, method, String(status))));
      child.observe(ms / 1000);
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
