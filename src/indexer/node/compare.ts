import { isDeepStrictEqual } from 'node:util';
import type { BuilderRecord } from '../chain/types.ts';
import { firstSlot as firstSlotOf } from './asking.ts';
import type { Endpoint } from './endpoint.ts';
import { balancesAt, buildersAt } from './epoch.ts';
import { NodeError } from './errors.ts';
import type { Pool } from './pool.ts';

/** What no later epoch explains: the balances with which an index begins, and the block that they include. */
export type Beginning = {
  /** Balances in the first slot of `epoch`. */
  epoch: number;
  balances: Float64Array;
  /** Builders of the same slot, if the node reports them. */
  builders: readonly BuilderRecord[] | null;
  /** Slot of the first block, if it is not explained by an earlier state. */
  firstSlot: number | undefined;
  /** The node that reported them. */
  node: string;
};

/**
 * Compares each other node once. Nodes that do not answer now are compared the next time; `refused` are those whose
 * answers contradicted the chain. Throws NodeError `disagree`.
 */
export async function compareBeginning(
  pool: Pool,
  { epoch, balances, builders, firstSlot, node }: Beginning,
  refused: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<void> {
  const now = performance.now();
  const own = pool.endpoints.find(({ client }) => client.name === node) as Endpoint;
  for (const other of pool.endpoints) {
    const isUsable = other.coolingUntil <= now && epoch > other.goneTo && !refused.has(other.client.name);
    if (other === own || pool.agreed.has(other) || !isUsable) continue;
    let difference: string | undefined;
    try {
      difference = await pool.askOne(
        other,
        async (asking) => {
          await other.needFinal(epoch);
          const reported = await balancesAt(asking, epoch);
          return (
            differenceOf(balances, reported) ??
            builderDifference(builders, builders && (await buildersAt(asking, firstSlotOf(asking, epoch)))) ??
            (await blockDifference(own, other, firstSlot, signal))
          );
        },
        signal,
      );
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof NodeError)) throw error;
      other.failed(error, epoch);
      continue;
    }
    if (difference === undefined) {
      pool.agreed.add(other);
      continue;
    }
    const error = other.client.error(
      'disagree',
      `has ${difference} than ${node} in epoch ${epoch}. One of them is wrong; find out which, and remove it from --beacon. Nothing is stored until then.`,
    );
    other.client.report(error);
    throw error;
  }
}

function differenceOf(own: Float64Array, reported: Float64Array): string | undefined {
  if (own.length !== reported.length)
    return `another number of validators (${reported.length}, not ${own.length})`;
  const index = own.findIndex((balance, at) => reported[at] !== balance);
  if (index < 0) return undefined;
  const gwei = (reported[index] as number) - (own[index] as number);
  return `another balance of validator ${index} (by ${gwei} Gwei)`;
}

function builderDifference(
  own: readonly BuilderRecord[] | null,
  reported: readonly BuilderRecord[] | null,
): string | undefined {
  if (!own || !reported) return undefined;
  if (own.length !== reported.length)
    return `another number of builders (${reported.length}, not ${own.length})`;
  const byIndex = new Map(reported.map((builder) => [builder.index, builder]));
  const other = own.find((builder) => !isDeepStrictEqual(builder, byIndex.get(builder.index)));
  return other && `another record of builder ${other.index}`;
}

async function blockDifference(
  own: Endpoint,
  other: Endpoint,
  slot: number | undefined,
  signal: AbortSignal,
) {
  if (slot === undefined) return undefined;
  const [mine, theirs] = await Promise.all([own, other].map(({ blocks }) => blocks.near(slot, signal)));
  return isDeepStrictEqual(mine, theirs) ? undefined : `another block of slot ${slot}`;
}
