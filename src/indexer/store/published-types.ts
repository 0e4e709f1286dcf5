import type { ComputedType } from '../../ingest/refresh/operators.ts';

export const publishedTypes = [
  'depositAddress',
  'withdrawalAddress',
  'nodeOperator',
  'pool',
  'poolShare',
] as const satisfies ComputedType[];
