import { listReader, rowReader, totalReader } from '../../db/batch/readers.ts';
import { operatorKeyText } from '../operators/loaders.ts';
import { pubkeyText, validatorKeyText } from '../validators/loaders.ts';
import {
  operatorSlashingPages,
  operatorSlashingTotals,
  slashingsByPubkey,
  slashingsByValidator,
} from './queries.ts';

/** The slashing of a validator, or undefined. */
export const loadSlashing = rowReader({
  keyOf: validatorKeyText,
  load: slashingsByValidator,
  rows: () => 1,
});

/** The same by the validator's public key in lower case. */
export const loadSlashingByPubkey = rowReader({
  keyOf: pubkeyText,
  load: slashingsByPubkey,
  rows: () => 1,
});

/** A page of the slashings of an operator's validators; the pages of many operators are one statement. */
export const loadOperatorSlashings = listReader({
  keyOf: operatorKeyText,
  load: operatorSlashingPages,
});

/** How many slashings the validators of an operator have; those of many operators are one statement. */
export const loadOperatorSlashingTotal = totalReader({
  keyOf: operatorKeyText,
  load: operatorSlashingTotals,
});
