import { listReader } from '../../db/batch/readers.ts';
import { storedReader } from '../../db/batch/stored.ts';
import { rowsRead } from '../../periods/pages.ts';
import {
  keysOf,
  type NetworkKey,
  networkClients,
  networkHistoryPages,
  networkOverviews,
  storedDates,
} from './queries.ts';

export type { NetworkKey, NetworkQuery, NetworkRow } from './queries.ts';

const keyOf = ({ network }: NetworkKey) => network;

export const loadNetworkOverview = listReader({ keyOf, load: networkOverviews, rows: () => 1 });

export const loadNetworkHistory = listReader({ keyOf, load: networkHistoryPages, rows: rowsRead });

export const loadNetworkClients = listReader({ keyOf, load: networkClients, rows: () => 20 });

export const loadStoredNetworkDates = storedReader({
  statement: 'storedNetworkDates',
  keys: keysOf,
  ends: storedDates,
});
