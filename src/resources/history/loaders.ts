import { listReader, totalReader } from '../../db/batch/readers.ts';
import { rowsToRead } from '../../kernel/page.ts';
import type { OperatorKey } from '../operators/loaders.ts';
import {
  operatorHistoryPages,
  operatorHistoryTotals,
  type StakeAuthorityKey,
  stakeAuthorityHistoryPages,
  stakeAuthorityHistoryTotals,
} from './queries.ts';

const operatorKeyText = ({ network, idType, timeWindow, id }: OperatorKey) =>
  `${network} ${idType} ${timeWindow} ${id}`;

const stakeAuthorityText = ({ timeWindow, stakeAuthority }: StakeAuthorityKey) =>
  `${timeWindow}:${stakeAuthority}`;

export const loadOperatorHistory = listReader({
  keyOf: operatorKeyText,
  load: operatorHistoryPages,
  rows: rowsToRead,
});
export const loadOperatorHistoryTotal = totalReader({ keyOf: operatorKeyText, load: operatorHistoryTotals });

export const loadStakeAuthorityHistory = listReader({
  keyOf: stakeAuthorityText,
  load: stakeAuthorityHistoryPages,
  rows: rowsToRead,
});
export const loadStakeAuthorityHistoryTotal = totalReader({
  keyOf: stakeAuthorityText,
  load: stakeAuthorityHistoryTotals,
});
