import type { TimeWindow } from '../../chain/windows.ts';
import type { Context } from '../../context.ts';
import { integerCursors } from '../../kernel/cursor.ts';
import { type Range, type Slice, slice } from '../../kernel/page.ts';
import { loadOperator, loadOperatorNode, type OperatorId, type OperatorNode } from '../operators/loaders.ts';
import type { IdType, OperatorField } from '../operators/record.ts';
import { byValidatorName, loadOperatorValidators, loadValidator, loadValidatorByPubkey } from './loaders.ts';
import type { ValidatorRow } from './queries.ts';

export const VALIDATORS_SIZES = { defaultSize: 10, maxSize: 200 };

export const validator = byValidatorName(loadValidator, loadValidatorByPubkey);

export const operatorValidatorCursors = ({ network, idType, id }: OperatorId) =>
  integerCursors(() => `validators:${JSON.stringify([network, idType, id])}`);

export const operatorValidators = async (
  ctx: Context,
  operator: OperatorId,
  range: Range<number>,
): Promise<Slice<ValidatorRow>> => slice(await loadOperatorValidators(ctx, operator, range), range);

const memberOf = ['depositAddress', 'withdrawalAddress', 'nodeOperator', 'pool'] as const satisfies IdType[];

/** In the order of `memberOf`. With a window, omits operators without a summary in it. */
export async function operatorsOf(
  ctx: Context,
  row: ValidatorRow,
  timeWindow: TimeWindow | null,
  asked: readonly OperatorField[],
): Promise<OperatorNode[]> {
  const keys = memberOf.flatMap((idType): OperatorId[] => {
    const id = row[idType];
    return id === null ? [] : [{ network: row.network, idType, id }];
  });
  const found = await Promise.all<OperatorNode | undefined>(
    keys.map((id) =>
      timeWindow === null ? loadOperatorNode(ctx, id) : loadOperator(ctx, { ...id, timeWindow }, asked),
    ),
  );
  return found.filter((operator) => operator !== undefined);
}
