import { enumParam } from '../kernel/params.ts';
import { networks } from './networks.ts';
import { timeWindows } from './windows.ts';

/** The required `window` of the summaries (spec §4.2, 4.3, 4.8). */
export const windowParam = () =>
  enumParam(timeWindows, { description: 'Aggregation window: the last 1, 7 or 30 days, or all time.' });

/** The network header (spec §4.1). */
export const networkParam = () =>
  enumParam(networks, {
    description: 'Ethereum network. `holesky` is deprecated: support for it ended in March 2025.',
    default: 'mainnet',
  });
