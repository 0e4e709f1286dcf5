import type { FastifyInstance } from 'fastify';

export type Indexed = { network: string; indexedEpoch: number; behindSeconds: number; problem?: string };

export type Readiness = { ready: boolean; reason?: string; index?: Indexed[] };

export function serveHealth(app: FastifyInstance, readiness: () => Promise<Readiness>) {
  app.get('/health', async () => ({ status: 'ok' }));
  app.get('/ready', async (_request, reply) => {
    const { ready, reason, index } = await readiness();
    const indexed = index?.length ? { index } : {};
    if (ready) return { status: 'ready', ...indexed };
    return reply
      .code(503)
      .header('retry-after', '5')
      .send({ status: 'not ready', reason, ...indexed });
  });
}
