import { listReader, rowReader, totalReader } from '../../db/batch/readers.ts';
import { operatorIdText } from '../operators/loaders.ts';
import { pubkeyText, validatorKeyText } from '../validators/loaders.ts';
import {
  operatorSlashingPages,
  operatorSlashingTotals,
  slashingsByPubkey,
  slashingsByValidator,
} from './queries.ts';

export const loadSlashing = rowReader({
  keyOf: validatorKeyText,
  load: slashingsByValidator,
  rows: () => 1,
});

/** Public keys must be in lower case. */
export const loadSlashingByPubkey = rowReader({
  keyOf: pubkeyText,
  load: slashingsByPubkey,
  rows: () => 1,
});

export const loadOperatorSlashings = listReader({
  keyOf: operatorIdText,
  load: operatorSlashingPages,
});

export const loadOperatorSlashingTotal = totalReader({
  keyOf: operatorIdText,
  load: operatorSlashingTotals,
});
