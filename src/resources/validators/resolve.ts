import type { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import type { FirstSummary } from '../../fast-rows/index.ts';
import { integerCursors, placeCursors } from '../../kernel/cursor.ts';
import { LAST_NUMBER, type Range, type Slice, slice } from '../../kernel/page.ts';
import { loadOperatorNode, type OperatorId, type OperatorNode } from '../operators/loaders.ts';
import type { IdType, OperatorField } from '../operators/record.ts';
import { byValidatorName, loadNewestEpoch, loadValidator, loadValidatorByPubkey } from './loaders.ts';
import {
  type ValidatorList,
  type ValidatorPosition,
  type ValidatorRow,
  validatorPage,
  validatorTotal,
} from './queries.ts';

export const VALIDATORS_SIZES = { maxSize: 200 };

export const validator = byValidatorName(loadValidator, loadValidatorByPubkey);

export type { ValidatorList };

const newestFor = async (ctx: Context, { network, status }: ValidatorList): Promise<number> =>
  status === null ? 0 : loadNewestEpoch(ctx, network);

export const validators = async (
  ctx: Context,
  list: ValidatorList,
  range: Range<ValidatorPosition>,
): Promise<Slice<ValidatorRow>> =>
  slice(await validatorPage(ctx.db, list, await newestFor(ctx, list), range), range);

export const totalValidators = async (ctx: Context, list: ValidatorList): Promise<number> =>
  validatorTotal(ctx.db, list, await newestFor(ctx, list));

export async function validatorsOf(ctx: Context, network: Network, indices: readonly number[]) {
  const found = await Promise.all(
    indices.map((validatorIndex) => loadValidator(ctx, { network, validatorIndex })),
  );
  return found.filter((row) => row !== undefined);
}

export function validatorCursors(list: ValidatorList) {
  const { network, order, ...filter } = list;
  const name = `validators:${JSON.stringify([network, order, filter])}`;
  const epochOf = (row: ValidatorRow) => (order.field === 'index' ? 0 : (row[order.field] ?? LAST_NUMBER));
  return placeCursors(
    name,
    ['int', 'int'],
    (row: ValidatorRow) => [epochOf(row), row.validatorIndex],
    (at, validatorIndex): ValidatorPosition => ({ at, validatorIndex }),
  );
}

export const operatorValidatorCursors = ({ network, idType, id }: OperatorId, ascending: boolean) =>
  integerCursors(
    () => `validators:${JSON.stringify([network, idType, id, ascending])}`,
    (row: ValidatorRow) => row.validatorIndex,
  );

const memberOf = ['depositAddress', 'withdrawalAddress', 'nodeOperator', 'pool'] as const satisfies IdType[];

/** Returns operators with the summary that `first` asks for. */
export async function operatorsOf(
  ctx: Context,
  row: ValidatorRow,
  first?: FirstSummary<OperatorField>,
): Promise<OperatorNode[]> {
  const keys = memberOf.flatMap((idType): OperatorId[] => {
    const id = row[idType];
    return id === null ? [] : [{ network: row.network, idType, id }];
  });
  const found = await Promise.all(keys.map((id) => loadOperatorNode(ctx, id, first)));
  return found.filter((operator) => operator !== undefined);
}
