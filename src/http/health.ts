import type { FastifyInstance } from 'fastify';
import type { Metrics } from './metrics.ts';

export type Readiness = { ready: boolean; reason?: string };

/** `/health`: the process answers. `/ready`: it can answer from a migrated database. `/metrics`: Prometheus. */
export function serveHealth(
  app: FastifyInstance,
  { readiness, metrics }: { readiness: () => Promise<Readiness>; metrics: Metrics },
) {
  app.get('/health', async () => ({ status: 'ok' }));
  app.get('/ready', async (_request, reply) => {
    const { ready, reason } = await readiness();
    if (ready) return { status: 'ready' };
    return reply.code(503).header('retry-after', '5').send({ status: 'not ready', reason });
  });
  app.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()));
}
