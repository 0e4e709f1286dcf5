import type { Context } from '../../context.ts';
import { batchListLoader, batchRowLoader, batchTotal } from '../../kernel/batch.ts';
import type { Range } from '../../kernel/page.ts';
import { type OperatorKey, operatorKeyText } from '../operators/loaders.ts';
import { type PubkeyKey, pubkeyText, type ValidatorKey, validatorKeyText } from '../validators/loaders.ts';
import {
  operatorSlashingPages,
  operatorSlashingTotals,
  type SlashingPosition,
  type SlashingRow,
  slashingsByPubkey,
  slashingsByValidator,
} from './queries.ts';

/** The slashing of a validator, or undefined; all that a request asks for in one step travel in one statement. */
export const loadSlashing = (ctx: Context, key: ValidatorKey) =>
  batchRowLoader<ValidatorKey, SlashingRow>(ctx.loaders, 'slashing', validatorKeyText, (keys) =>
    slashingsByValidator(ctx.db, keys),
  )(key);

/** The same by the validator's public key in lower case. */
export const loadSlashingByPubkey = (ctx: Context, key: PubkeyKey) =>
  batchRowLoader<PubkeyKey, SlashingRow>(ctx.loaders, 'slashingByPubkey', pubkeyText, (keys) =>
    slashingsByPubkey(ctx.db, keys),
  )(key);

/** A page of the slashings of an operator's validators; the pages of many operators are one statement. */
export const loadOperatorSlashings = (
  ctx: Context,
  operator: OperatorKey,
  range: Range<SlashingPosition>,
): Promise<SlashingRow[]> =>
  batchListLoader(
    ctx.loaders,
    `operatorSlashings:${JSON.stringify(range)}`,
    operatorKeyText,
    (operators: readonly OperatorKey[]) => operatorSlashingPages(ctx.db, operators, range),
  )(operator);

/** How many slashings the validators of an operator have; those of many operators are one statement. */
export const loadOperatorSlashingTotal = (ctx: Context, operator: OperatorKey): Promise<number> =>
  batchTotal(ctx.loaders, 'operatorSlashingTotal', operatorKeyText, (operators: readonly OperatorKey[]) =>
    operatorSlashingTotals(ctx.db, operators),
  )(operator);
