import type { FastifyInstance } from 'fastify';

export type Readiness = { ready: boolean; reason?: string };

export function serveHealth(app: FastifyInstance, readiness: () => Promise<Readiness>) {
  app.get('/health', async () => ({ status: 'ok' }));
  app.get('/ready', async (_request, reply) => {
    const { ready, reason } = await readiness();
    if (ready) return { status: 'ready' };
    return reply.code(503).header('retry-after', '5').send({ status: 'not ready', reason });
  });
}
