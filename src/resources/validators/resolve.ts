import type { Context } from '../../context.ts';
import { integerCursors } from '../../kernel/cursor.ts';
import { type Range, type Slice, slice } from '../../kernel/page.ts';
import { loadOperator, type OperatorKey } from '../operators/loaders.ts';
import type { IdType, OperatorField } from '../operators/record.ts';
import { byValidatorName, loadOperatorValidators, loadValidator, loadValidatorByPubkey } from './loaders.ts';
import type { ValidatorRow } from './queries.ts';

export const VALIDATORS_SIZES = { defaultSize: 10, maxSize: 200 };

export const validator = byValidatorName(loadValidator, loadValidatorByPubkey);

/** Omits the window, because validators do not depend on it. */
export const operatorValidatorCursors = ({ network, idType, id }: OperatorKey) =>
  integerCursors(() => `validators:${JSON.stringify([network, idType, id])}`);

export const operatorValidators = async (
  ctx: Context,
  operator: OperatorKey,
  range: Range<number>,
): Promise<Slice<ValidatorRow>> => slice(await loadOperatorValidators(ctx, operator, range), range);

const memberOf = ['depositAddress', 'withdrawalAddress', 'nodeOperator', 'pool'] as const satisfies IdType[];

/** In the order of `memberOf`; omits operators without a summary in the window. */
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
