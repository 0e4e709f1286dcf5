import type { TimeWindow } from '../../chain/windows.ts';
import { listReader, totalReader } from '../../db/batch/readers.ts';
import { rowsToRead } from '../../kernel/page.ts';
import { operatorKeyText } from '../operators/loaders.ts';
import { stakeAuthorityKeyText } from '../stake-authorities/loaders.ts';
import {
  operatorHistoryPages,
  operatorHistoryTotals,
  solanaHistoryPages,
  solanaHistoryTotals,
  stakeAuthorityHistoryPages,
  stakeAuthorityHistoryTotals,
} from './queries.ts';

export const loadOperatorHistory = listReader({
  keyOf: operatorKeyText,
  load: operatorHistoryPages,
  rows: rowsToRead,
});
export const loadOperatorHistoryTotal = totalReader({ keyOf: operatorKeyText, load: operatorHistoryTotals });

export const loadStakeAuthorityHistory = listReader({
  keyOf: stakeAuthorityKeyText,
  load: stakeAuthorityHistoryPages,
  rows: rowsToRead,
});
export const loadStakeAuthorityHistoryTotal = totalReader({
  keyOf: stakeAuthorityKeyText,
  load: stakeAuthorityHistoryTotals,
});

const windowText = (window: TimeWindow) => window;
export const loadSolanaHistory = listReader({
  keyOf: windowText,
  load: solanaHistoryPages,
  rows: rowsToRead,
});
export const loadSolanaHistoryTotal = totalReader({ keyOf: windowText, load: solanaHistoryTotals });
