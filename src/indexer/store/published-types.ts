import type { ComputedType } from '../../refresh/operators.ts';

export const publishedTypes = [
  'depositAddress',
  'withdrawalAddress',
  'nodeOperator',
  'pool',
  'poolShare',
] as const satisfies ComputedType[];
