import type { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import { listReader, rowReader, totalReader } from '../../db/batch/readers.ts';
import { rowsToRead } from '../../kernel/page.ts';
import { operatorKeyText } from '../operators/loaders.ts';
import {
  operatorValidatorPages,
  operatorValidatorTotals,
  type PubkeyKey,
  type ValidatorKey,
  validatorsByIndex,
  validatorsByPubkey,
} from './queries.ts';
import type { ValidatorName } from './record.ts';

export type { PubkeyKey, ValidatorKey };

/** A text that two keys share only when they are equal. */
export const validatorKeyText = (key: ValidatorKey) => `${key.network}:${key.validatorIndex}`;

/** A validator by its index, or undefined. */
export const loadValidator = rowReader({
  keyOf: validatorKeyText,
  load: validatorsByIndex,
  rows: () => 1,
});

/** The same of keys with a public key. */
export const pubkeyText = (key: PubkeyKey) => `${key.network}:${key.validatorPubkey}`;

/** A validator by its public key in lower case, or undefined. */
export const loadValidatorByPubkey = rowReader({
  keyOf: pubkeyText,
  load: validatorsByPubkey,
  rows: () => 1,
});

/** What is of a validator, by whichever of index and public key names it. */
export const byValidatorName =
  <Row>(
    byIndex: (ctx: Context, key: ValidatorKey) => Promise<Row>,
    byPubkey: (ctx: Context, key: PubkeyKey) => Promise<Row>,
  ) =>
  (ctx: Context, network: Network, name: ValidatorName): Promise<Row> =>
    'index' in name
      ? byIndex(ctx, { network, validatorIndex: name.index })
      : byPubkey(ctx, { network, validatorPubkey: name.pubkey });

/** A page of an operator's validators; the pages of many operators are one statement. */
export const loadOperatorValidators = listReader({
  keyOf: operatorKeyText,
  load: operatorValidatorPages,
  rows: rowsToRead,
});

/** How many validators an operator has; those of many operators are one statement. */
export const loadOperatorValidatorTotal = totalReader({
  keyOf: operatorKeyText,
  load: operatorValidatorTotals,
});
