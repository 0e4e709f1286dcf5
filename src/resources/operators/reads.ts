import type { Reads } from '../../graphql/schema/field-cost.ts';
import { normaliseId } from './record.ts';

type Sizes = Parameters<Reads>[0]['sizes'];
type By = { operatorId?: unknown; idType?: unknown } | null | undefined;

/** Validators of the operator that arguments name, 0 if they name none. */
export function sizeOfNamed(sizes: Sizes, by: By): number {
  const { operatorId: id, idType } = by ?? {};
  return id == null || idType == null ? 0 : sizes.operator(String(idType), normaliseId(String(id)));
}

/** Validators of the operator whose field it is. Before the query runs, it may be the largest. */
export const sizeOfParent = ({ parent, sizes }: Pick<Parameters<Reads>[0], 'parent' | 'sizes'>): number =>
  parent?.idType === undefined || parent.id === undefined
    ? sizes.largestOperator
    : sizes.operator(parent.idType, parent.id);
