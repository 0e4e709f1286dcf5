import type { Context } from '../../context.ts';
import { batchListLoader, batchLoader, batchTotal } from '../../kernel/batch.ts';
import type { Range } from '../../kernel/page.ts';
import { type OperatorKey, operatorKeyText } from '../operators/loaders.ts';
import { type PubkeyKey, pubkeyText } from '../validators/loaders.ts';
import {
  operatorSlashingPages,
  operatorSlashingTotals,
  type SlashingKey,
  type SlashingPosition,
  type SlashingRow,
  slashingsByPubkey,
  slashingsByValidator,
} from './queries.ts';

const keyOf = (key: SlashingKey) => `${key.network}:${key.validatorIndex}`;

/** The slashing of a validator, or undefined; all that a request asks for in one step travel in one statement. */
export const loadSlashing = (ctx: Context, key: SlashingKey) =>
  batchLoader<SlashingKey, SlashingRow>(ctx.loaders, 'slashing', keyOf, async (keys) => {
    const found = await slashingsByValidator(ctx.db, keys);
    return new Map(found.map((row) => [keyOf(row), row]));
  }).load(key);

/** The same by the validator's public key in lower case. */
export const loadSlashingByPubkey = (ctx: Context, key: PubkeyKey) =>
  batchLoader<PubkeyKey, SlashingRow>(ctx.loaders, 'slashingByPubkey', pubkeyText, async (keys) => {
    const found = await slashingsByPubkey(ctx.db, keys);
    return new Map(found.map((row) => [pubkeyText(row), row]));
  }).load(key);

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
