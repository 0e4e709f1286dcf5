import { totalRevisions } from '../changes/reached.ts';
import type { Revisions } from '../changes/revisions.ts';
import type { ReadServers } from './read-servers.ts';

/** A number that all gateways see. Neither function rejects. */
export type SharedNumber = {
  read(): Promise<number | undefined>;
  /** Leaves a higher number as it is. The number is forgotten after `seconds`. */
  raise(to: number, seconds: number): Promise<void>;
};

/**
 * By then, every gateway has read the revisions itself. A number from before a failover that lost changes, which no
 * server has, makes every request read the revisions for as long.
 */
const KEPT_SECONDS = 10;

/**
 * Tells other gateways how many changes this one shows, before it shows them. The function it returns must be called
 * before each request is answered: the response then has all changes that another gateway has shown.
 */
export function shareShown(
  shared: SharedNumber,
  servers: Pick<ReadServers, 'onRead'>,
  revisions: Pick<Revisions, 'reachChanges'>,
): () => Promise<void> {
  let sent = 0;
  servers.onRead(async (reached) => {
    const changes = totalRevisions(reached.values());
    if (changes === sent) return;
    await shared.raise(changes, KEPT_SECONDS);
    sent = changes;
  });
  return async () => revisions.reachChanges((await shared.read()) ?? 0);
}
