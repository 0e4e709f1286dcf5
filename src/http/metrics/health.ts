import type { FastifyInstance } from 'fastify';

export type Indexed = {
  network: string;
  indexedEpoch: number;
  behindSeconds: number;
  /** The first scheduled fork that this version does not know; figures end after `lastEpoch`. */
  unknownFork?: { name: string; epoch: number; time: string; lastEpoch: number };
  /** Epochs that were left out between stored ones, ascending. */
  missing?: { firstEpoch: number; lastEpoch: number }[];
  problem?: string;
};

export type Readiness = {
  /** Whether reads work. */
  ready: boolean;
  /** False if only reads work. */
  writes?: false;
  /** Why it is not ready, or degraded. */
  reason?: string;
  index?: Indexed[];
};

export type Status = {
  status: 'ready' | 'degraded' | 'not ready';
  reads?: true;
  writes?: boolean;
  reason?: string;
  index?: Indexed[];
};

export function serviceStatus({ ready, writes, reason, index }: Readiness): Status {
  const more = { ...(reason !== undefined && { reason }), ...(index?.length && { index }) };
  if (!ready) return { status: 'not ready', ...more };
  if (reason === undefined) return { status: 'ready', ...more };
  return { status: 'degraded', reads: true, writes: writes ?? true, ...more };
}

export function serveHealth(app: FastifyInstance, readiness: () => Promise<Readiness>) {
  app.get('/health', async () => ({ status: 'ok' }));
  app.get('/ready', async (_request, reply) => {
    const found = serviceStatus(await readiness());
    if (found.status === 'not ready') reply.code(503).header('retry-after', '5');
    return found;
  });
}
