import type { Network } from '../../chain/networks.ts';
import type { TimeWindow } from '../../chain/windows.ts';
import type { Context } from '../../context.ts';
import type { Selection } from '../../fast-rows/index.ts';
import type { Range } from '../../kernel/page.ts';
import { type PeriodPage, periodPage } from '../../periods/resolve.ts';
import {
  loadNetworkClients,
  loadNetworkHistory,
  loadNetworkOverview,
  type NetworkKey,
  type NetworkQuery,
  type NetworkRow,
} from './loaders.ts';
import type { NetworkRecord, NetworkRecordField } from './record.ts';

export type NetworkOverview = NetworkRecord & { network: Network; timeWindow: TimeWindow };

export async function networkOverview(
  ctx: Context,
  network: Network,
  timeWindow: TimeWindow,
): Promise<NetworkOverview | undefined> {
  const [row] = await loadNetworkOverview(ctx, { network }, timeWindow);
  return row && { ...(row as NetworkRow & NetworkRecord), network, timeWindow };
}

export const networkHistory = (
  ctx: Context,
  key: NetworkKey,
  query: NetworkQuery,
  range: Range<number>,
  selection: Selection<NetworkRecordField>,
): Promise<PeriodPage<NetworkRecord>> =>
  periodPage(range, (part, bare) => loadNetworkHistory(ctx, key, query, part, bare ? [] : selection));

export async function clientShares(ctx: Context, key: NetworkKey) {
  const clients = await loadNetworkClients(ctx, key);
  const known = clients.reduce((sum, { validatorCount }) => sum + validatorCount, 0);
  return clients.map(({ client, validatorCount }) => ({
    network: key.network,
    client,
    validatorCount,
    ratio: validatorCount / known,
  }));
}
