import type { TimeWindow } from '../../chain/windows.ts';
import { pageReader, totalReader } from '../../db/batch/readers.ts';
import { storedReader } from '../../db/batch/stored.ts';
import { keyTable, sql } from '../../db/rows.ts';
import { type OperatorKey, operatorKeyText } from '../operators/loaders.ts';
import { stakeAuthorityKeyText } from '../stake-authorities/loaders.ts';
import {
  operatorHistoryPages,
  operatorHistoryTotals,
  solanaHistoryPages,
  solanaHistoryTotals,
  stakeAuthorityHistoryPages,
  stakeAuthorityHistoryTotals,
} from './queries.ts';

export const loadOperatorHistory = pageReader({ keyOf: operatorKeyText, load: operatorHistoryPages });
export const loadOperatorHistoryTotal = totalReader({ keyOf: operatorKeyText, load: operatorHistoryTotals });

export const loadStakeAuthorityHistory = pageReader({
  keyOf: stakeAuthorityKeyText,
  load: stakeAuthorityHistoryPages,
});
export const loadStakeAuthorityHistoryTotal = totalReader({
  keyOf: stakeAuthorityKeyText,
  load: stakeAuthorityHistoryTotals,
});

const windowText = (window: TimeWindow) => window;
export const loadSolanaHistory = pageReader({ keyOf: windowText, load: solanaHistoryPages });
export const loadSolanaHistoryTotal = totalReader({ keyOf: windowText, load: solanaHistoryTotals });

const dates = sql`select min(d.date)::text as first, max(d.date)::text as last`;

/** Dates stored for any operator of the class. */
export const loadStoredOperatorDates = storedReader({
  statement: 'storedOperatorDates',
  keys: (keys: readonly OperatorKey[]) =>
    keyTable(keys, {
      network: ['text', 'network'],
      id_type: ['text', 'idType'],
      time_window: ['text', 'timeWindow'],
    }),
  ends: () => sql`${dates} from operator_history_days d
    where (d.network, d.id_type, d.time_window) = (k.network, k.id_type, k.time_window)`,
});

const windowKeys = (keys: readonly { timeWindow: TimeWindow }[]) =>
  keyTable(keys, { time_window: ['text', 'timeWindow'] });

/** Dates stored for any stake authority. */
export const loadStoredStakeAuthorityDates = storedReader({
  statement: 'storedStakeAuthorityDates',
  keys: windowKeys,
  ends: () => sql`${dates} from stake_authority_history_days d where d.time_window = k.time_window`,
});

export const loadStoredSolanaDates = storedReader({
  statement: 'storedSolanaDates',
  keys: windowKeys,
  ends: () => sql`${dates} from solana_overview_history d where d.time_window = k.time_window`,
});
