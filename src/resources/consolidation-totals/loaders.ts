import type { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import { batchListLoader, batchLoader } from '../../kernel/batch.ts';
import { consolidatedIn, latestChainBalances, type PeriodKey } from './queries.ts';

/** The newest stored active balance of a network, or undefined; those of several networks are one statement. */
export const loadLatestBalance = (ctx: Context, network: Network) =>
  batchLoader<Network, { epoch: number; totalActiveBalance: string }>(
    ctx.loaders,
    'latestChainBalance',
    (key) => key,
    async (networks) => {
      const found = await latestChainBalances(ctx.db, networks);
      return new Map(found.map((row) => [row.network, row]));
    },
  ).load(network);

/** The number and the balance in Gwei of the consolidations of a period; those of all windows are one statement. */
export async function loadConsolidated(ctx: Context, period: PeriodKey) {
  const rows = await batchListLoader(
    ctx.loaders,
    'consolidatedIn',
    ({ network, epochs }: PeriodKey) => `${network}:${epochs.first}:${epochs.last}`,
    (periods) => consolidatedIn(ctx.db, periods),
  )(period);
  const { consolidationCount = 0, consolidatedBalance = '0' } = rows[0] ?? {};
  return { consolidationCount, consolidatedBalance };
}
