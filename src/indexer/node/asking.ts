import type { Endpoint, Identity } from './endpoint.ts';
import type { NodeError } from './errors.ts';

export type Asking = { endpoint: Endpoint; identity: Identity; signal: AbortSignal };

export const firstSlot = ({ identity }: Asking, epoch: number): number => epoch * identity.spec.slotsPerEpoch;

/** For 404. */
export function pruned({ endpoint }: Asking, path: string): NodeError {
  return endpoint.client.error(
    'pruned',
    `${path} answers 404: the node does not keep this state any more (or is too old to know the path). Use an archive node, or begin later with --from; --from head or INDEX_FROM=head goes on at the head whenever states are gone.`,
  );
}
