import type { Logger } from 'pino';
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { Queryable } from '../../db/pool.ts';
import { registerIndexMetrics } from '../../indexer/metrics.ts';
import type { IndexStatus } from '../../indexer/status.ts';
import { metersIn } from '../../kernel/metrics.ts';
import { recent } from '../../kernel/recent.ts';
import { registerServiceMetrics, type ServiceSources } from './service.ts';
import { registerStoredMetrics } from './stored.ts';

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

type Sources = ServiceSources & { primary: Queryable; log: Logger; index?: IndexStatus | undefined };

const RECENT_MS = 1_000;

/** Load balancers and Prometheus request them every few seconds. */
const probes = new Set(['/health', '/ready', '/metrics']);

export function openMetrics(sources: Sources): Metrics {
  const registry = new Registry();
  const meters = metersIn(registry, 'stakegraph');
  collectDefaultMetrics({ register: registry });
  registerStoredMetrics(meters, sources);
  registerServiceMetrics(meters, sources);
  if (sources.index) registerIndexMetrics(registry, sources.index);
  return {
    observe: requestObserver(registry),
    text: recent(RECENT_MS, () => registry.metrics()),
    contentType: registry.contentType,
  };
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
    const level = status < 400 && probes.has(route) ? 'debug' : 'info';
    if (log.isLevelEnabled(level))
      log[level]({ ...bindings, ...answered, ms: Math.round(ms * 10) / 10 }, 'answered');
  };
}
