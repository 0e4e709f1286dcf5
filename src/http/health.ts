import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Pool } from '../db/pool.ts';
import type { AnswerCache } from './answers.ts';

export type Readiness = { ready: boolean; reason?: string };

/** `/health`: the process answers. `/ready`: it can answer from a migrated database. `/metrics`: Prometheus. */
export function serveHealth(
  app: FastifyInstance,
  options: {
    pool: Pool;
    readiness: () => Promise<Readiness>;
    redisUp: () => boolean | undefined;
    cache?: AnswerCache | undefined;
  },
) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: 'stakegraph_http_request_seconds',
    help: 'Time to answer, by route pattern, method and status.',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  for (const state of ['total', 'idle', 'waiting'] as const) {
    new Gauge({
      name: `stakegraph_db_connections_${state}`,
      help: `Reading connections: ${state}.`,
      registers: [registry],
      collect() {
        this.set(options.pool.stats()[state]);
      },
    });
  }

  if (options.redisUp() !== undefined) {
    new Gauge({
      name: 'stakegraph_redis_up',
      help: '1 while rates and allowances are common to all replicas, 0 while Redis does not answer.',
      registers: [registry],
      collect() {
        this.set(options.redisUp() ? 1 : 0);
      },
    });
  }

  const { cache } = options;
  if (cache) {
    const told = {
      entries: 'Answers kept.',
      bytes: 'Bytes of kept answers.',
      hits: 'Answers given again, since the start.',
      misses: 'Answers made, since the start.',
    } as const;
    for (const name of ['entries', 'bytes', 'hits', 'misses'] as const) {
      new Gauge({
        name: `stakegraph_cache_${name}`,
        help: told[name],
        registers: [registry],
        collect() {
          this.set(cache.stats()[name]);
        },
      });
    }
  }

  const observed = new Map<string, ReturnType<typeof duration.labels>>(); // few: of routes, methods and statuses
  app.addHook('onResponse', (request, reply, done) => {
    // The pattern, never the path: a label for each id a caller makes up would grow without bound.
    const labels = [request.routeOptions.url ?? 'none', request.method, String(reply.statusCode)] as const;
    const key = labels.join(' ');
    let child = observed.get(key);
    if (!child) observed.set(key, (child = duration.labels(...labels)));
    child.observe(reply.elapsedTime / 1000);
    done();
  });
  app.get('/health', async () => ({ status: 'ok' }));
  app.get('/ready', async (_request, reply) => {
    const { ready, reason } = await options.readiness();
    if (ready) return { status: 'ready' };
    return reply.code(503).header('retry-after', '5').send({ status: 'not ready', reason });
  });
  app.get('/metrics', async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  );
}
