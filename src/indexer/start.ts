import { Chain } from './chain/index.ts';
import type { Nodes } from './node/index.ts';

type Options = { signal: AbortSignal; avoid?: string };

/** The chain at the start of an epoch, from a node alone. */
export async function begin(nodes: Nodes, epoch: number, options: Options) {
  const start = await nodes.start(epoch, options);
  return { chain: Chain.begin(nodes.spec, start), node: start.node };
}

/** The chain as it was saved after its last epoch, completed by what a node tells of that epoch's end. */
export async function restore(nodes: Nodes, saved: Buffer, epoch: number, options: Options) {
  const end = await nodes.resume(epoch, options);
  return { chain: Chain.restore(nodes.spec, saved, end), node: end.node };
}
