import type { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import { batchListLoader, batchRowLoader, batchTotal } from '../../kernel/batch.ts';
import type { Range } from '../../kernel/page.ts';
import { type OperatorKey, operatorKeyText } from '../operators/loaders.ts';
import {
  operatorValidatorPages,
  operatorValidatorTotals,
  type PubkeyKey,
  type ValidatorKey,
  type ValidatorRow,
  validatorsByIndex,
  validatorsByPubkey,
} from './queries.ts';
import type { ValidatorName } from './record.ts';

export type { PubkeyKey, ValidatorKey };

/** A text that two keys share only when they are equal. */
export const validatorKeyText = (key: ValidatorKey) => `${key.network}:${key.validatorIndex}`;

/** A validator by its index, or undefined; all that a request asks for in one step travel in one statement. */
export const loadValidator = (ctx: Context, key: ValidatorKey) =>
  batchRowLoader<ValidatorKey, ValidatorRow>(ctx.loaders, 'validator', validatorKeyText, (keys) =>
    validatorsByIndex(ctx.db, keys),
  )(key);

/** The same of keys with a public key. */
export const pubkeyText = (key: PubkeyKey) => `${key.network}:${key.validatorPubkey}`;

/** A validator by its public key in lower case, or undefined. */
export const loadValidatorByPubkey = (ctx: Context, key: PubkeyKey) =>
  batchRowLoader<PubkeyKey, ValidatorRow>(ctx.loaders, 'validatorByPubkey', pubkeyText, (keys) =>
    validatorsByPubkey(ctx.db, keys),
  )(key);

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
export const loadOperatorValidators = (
  ctx: Context,
  operator: OperatorKey,
  range: Range<number>,
): Promise<ValidatorRow[]> =>
  batchListLoader(
    ctx.loaders,
    `operatorValidators:${JSON.stringify(range)}`,
    operatorKeyText,
    (operators: readonly OperatorKey[]) => operatorValidatorPages(ctx.db, operators, range),
  )(operator);

/** How many validators an operator has; those of many operators are one statement. */
export const loadOperatorValidatorTotal = (ctx: Context, operator: OperatorKey): Promise<number> =>
  batchTotal(ctx.loaders, 'operatorValidatorTotal', operatorKeyText, (operators: readonly OperatorKey[]) =>
    operatorValidatorTotals(ctx.db, operators),
  )(operator);
