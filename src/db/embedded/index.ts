import { type Embedded, type StartOptions, start } from './supervisor.ts';

export type { Embedded };

/**
 * Starts (or joins, or adopts) the PostgreSQL kept in `<dataDir>/postgres`.
 *
 * The first process on a data folder owns the server, and every later one joins it. The server ends with its
 * owner, also while others still use it: they lose their connections. A server whose owner was killed is
 * adopted by the next process that starts.
 */
export async function startEmbedded(options: Pick<StartOptions, 'dataDir' | 'log'>): Promise<Embedded> {
  return start(options);
}
