import type { Context } from '../../context.ts';
import { integerCursors } from '../../kernel/cursor.ts';
import { type Range, type Slice, slice } from '../../kernel/page.ts';
import { loadOperator, type OperatorKey } from '../operators/loaders.ts';
import type { IdType, OperatorField } from '../operators/record.ts';
import { byValidatorName, loadOperatorValidators, loadValidator, loadValidatorByPubkey } from './loaders.ts';
import type { ValidatorRow } from './queries.ts';

export const VALIDATORS_DEFAULT_SIZE = 10;
export const VALIDATORS_MAX_SIZE = 200;

/** A validator, or undefined when it is not known. */
export const validator = byValidatorName(loadValidator, loadValidatorByPubkey);

/** Cursors of an operator's validators, by index: without the window, since they are the same in each. */
export const operatorValidatorCursors = ({ network, idType, id }: OperatorKey) =>
  integerCursors(() => `validators:${JSON.stringify([network, idType, id])}`);

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
