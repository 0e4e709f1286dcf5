import { type Embedded, type StartOptions, start } from './supervisor.ts';

export type { Embedded };

/**
 * Starts (or joins, or adopts) the PostgreSQL kept in `<dataDir>/postgres`.
 *
 * The first process on a data folder owns the server, and every later one joins it. When the owner ends, the server is
 * handed to a process that has joined it, or ends with the last. A server whose owner was killed is adopted by the next
 * process that starts, or ended by the next that leaves.
 */
export async function startEmbedded(options: Pick<StartOptions, 'dataDir' | 'log'>): Promise<Embedded> {
  return start(options);
}
