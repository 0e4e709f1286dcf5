import type { Context } from '../../context.ts';
import { decodePosition, encodeCursor } from '../../kernel/cursor.ts';
import { type Range, type Slice, slice } from '../../kernel/page.ts';
import { loadOperator, type OperatorKey } from '../operators/loaders.ts';
import type { IdType, OperatorField } from '../operators/record.ts';
import { byValidatorName, loadOperatorValidators, loadValidator, loadValidatorByPubkey } from './loaders.ts';
import type { ValidatorRow } from './queries.ts';

export const VALIDATORS_DEFAULT_SIZE = 10;
export const VALIDATORS_MAX_SIZE = 200;

/** A validator, or undefined when it is not known. */
export const validator = byValidatorName(loadValidator, loadValidatorByPubkey);

// Without the window: an operator has the same validators in each.
const listName = (operator: OperatorKey) =>
  `validators:${JSON.stringify([operator.network, operator.idType, operator.id])}`;

/** The cursor of a validator in its operator's list. */
export const validatorCursor = (operator: OperatorKey, row: ValidatorRow): string =>
  encodeCursor(listName(operator), [row.validatorIndex]);

/** The index in a cursor, or undefined when it is not one of this list. */
export const validatorPosition = (operator: OperatorKey, cursor: string): number | undefined =>
  decodePosition(listName(operator), cursor, 1)?.[0];

/** A page of the validators of an operator, by index. */
export const operatorValidators = async (
  ctx: Context,
  operator: OperatorKey,
  range: Range<number>,
): Promise<Slice<ValidatorRow>> => slice(await loadOperatorValidators(ctx, operator, range), range);

/** The operators a validator belongs to: its deposit address, withdrawal address, node operator and pool. */
const memberOf = ['depositAddress', 'withdrawalAddress', 'nodeOperator', 'pool'] as const satisfies IdType[];

/** Their summaries in a window, in this order; those without one are left out. */
export async function operatorsOf(
  ctx: Context,
  row: ValidatorRow,
  timeWindow: OperatorKey['timeWindow'],
  asked: readonly OperatorField[],
) {
  const keys = memberOf.flatMap((idType): OperatorKey[] => {
    const id = row[idType];
    return id === null ? [] : [{ network: row.network, idType, timeWindow, id }];
  });
  const found = await Promise.all(keys.map((key) => loadOperator(ctx, key, asked)));
  return found.filter((operator) => operator !== undefined);
}
