import type { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import { listReader, rowReader } from '../../db/batch/readers.ts';
import { consolidatedIn, type EpochsKey, entityTotals, latestChainBalances } from './queries.ts';

export const loadLatestBalance = rowReader({
  keyOf: (network: Network) => network,
  load: latestChainBalances,
  rowKey: (row) => row.network,
});

export const loadEntityTotal = rowReader({
  keyOf: (id: string) => id,
  load: entityTotals,
  rowKey: (row) => row.id,
});

const readConsolidated = listReader({
  keyOf: ({ network, epochs }: EpochsKey) => `${network}:${epochs.first}:${epochs.last}`,
  load: consolidatedIn,
});

/** The balance is in Gwei. */
export async function loadConsolidated(ctx: Context, period: EpochsKey) {
  const [row] = await readConsolidated(ctx, period);
  const { consolidationCount = 0, consolidatedBalance = '0' } = row ?? {};
  return { consolidationCount, consolidatedBalance };
}
