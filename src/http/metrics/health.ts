import type { FastifyInstance } from 'fastify';

export type Indexed = {
  network: string;
  indexedEpoch: number;
  behindSeconds: number;
  /** The first scheduled fork that this version does not know; figures end after `lastEpoch`. */
  unknownFork?: { name: string; epoch: number; time: string; lastEpoch: number };
  problem?: string;
};

export type Readiness = {
  /** Reads work. */
  ready: boolean;
  /** False if only reads work. */
  writes?: false;
  /** Why it is not ready, or degraded. */
  reason?: string;
  index?: Indexed[];
};

export function serveHealth(app: FastifyInstance, readiness: () => Promise<Readiness>) {
  app.get('/health', async () => ({ status: 'ok' }));
  app.get('/ready', async (_request, reply) => {
    const { ready, writes, reason, index } = await readiness();
    const indexed = index?.length ? { index } : {};
    if (ready && reason !== undefined)
      return { status: 'degraded', reads: true, writes: writes ?? true, reason, ...indexed };
    if (ready) return { status: 'ready', ...indexed };
    return reply
      .code(503)
      .header('retry-after', '5')
      .send({ status: 'not ready', reason, ...indexed });
  });
}
