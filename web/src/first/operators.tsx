import type { operatorsQuery } from '../__generated__/operatorsQuery.graphql';
import { rankColumn } from '../figures/columns.tsx';
import { columnsWith, mostOf } from '../pages/operators/operators-columns.tsx';
import { order } from '../pages/operators/operators-variables.ts';
import { skippedOf } from '../url/url-state.ts';
import { windowOf, windows } from '../url/windows.ts';
import { drawing } from './parts/draw.tsx';
import { list } from './parts/list.tsx';

export const draw = drawing<operatorsQuery['response']>(({ operators, largest }, { search }) => {
  const rows = operators?.nodes ?? [];
  const columns = columnsWith(mostOf(largest?.nodes), windowOf(search, windows));
  return list('Operators', [rankColumn(rows, skippedOf(search)), ...columns], rows, order);
});
