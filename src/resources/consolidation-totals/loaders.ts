import type { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import { byKey } from '../../db/batch/loaders.ts';
import { listReader, reader } from '../../db/batch/readers.ts';
import type { Queryable } from '../../db/pool.ts';
import {
  consolidatedIn,
  type EntityList,
  entityTotals,
  latestChainBalances,
  type PeriodKey,
} from './queries.ts';

export const loadLatestBalance = reader({
  keyOf: (network: Network) => network,
  load: async (db: Queryable, networks: readonly Network[]) =>
    byKey(await latestChainBalances(db, networks), (row) => row.network),
});

export const loadEntityTotal = reader({
  keyOf: (id: string) => id,
  load: async (db: Queryable, ids: readonly string[], list: EntityList) =>
    byKey(await entityTotals(db, ids, list), (row) => row.id),
});

const readConsolidated = listReader({
  keyOf: ({ network, epochs }: PeriodKey) => `${network}:${epochs.first}:${epochs.last}`,
  load: consolidatedIn,
});

/** The balance is in Gwei. */
export async function loadConsolidated(ctx: Context, period: PeriodKey) {
  const [row] = await readConsolidated(ctx, period);
  const { consolidationCount = 0, consolidatedBalance = '0' } = row ?? {};
  return { consolidationCount, consolidatedBalance };
}
