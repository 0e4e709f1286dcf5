import type { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import { byKey } from '../../db/batch/loaders.ts';
import { listReader, reader } from '../../db/batch/readers.ts';
import type { Queryable } from '../../db/pool.ts';
import { consolidatedIn, latestChainBalances, type PeriodKey } from './queries.ts';

export const loadLatestBalance = reader({
  keyOf: (network: Network) => network,
  load: async (db: Queryable, networks: readonly Network[]) =>
    byKey(await latestChainBalances(db, networks), (row) => row.network),
});

const readConsolidated = listReader({
  keyOf: ({ network, epochs }: PeriodKey) => `${network}:${epochs.first}:${epochs.last}`,
  load: consolidatedIn,
});

/** Balance in Gwei; 0 without consolidations. */
export async function loadConsolidated(ctx: Context, period: PeriodKey) {
  const [row] = await readConsolidated(ctx, period);
  const { consolidationCount = 0, consolidatedBalance = '0' } = row ?? {};
  return { consolidationCount, consolidatedBalance };
}
