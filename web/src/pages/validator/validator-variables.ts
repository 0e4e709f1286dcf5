import type { validatorQuery } from '../../__generated__/validatorQuery.graphql';
import { granularities, periodRanges, periodsOf } from '../../figures/periods.ts';
import type { Place } from '../../page.tsx';
import { validatorOf } from '../../parts/filters.tsx';
import { listOf } from '../../url/url-state.ts';

const ROWS = 20;

export function variables({ params, network, search }: Place): validatorQuery['variables'] {
  const given = params.validator ?? '';
  const by = validatorOf(given);
  return {
    network,
    by,
    isByIndex: by.index !== undefined,
    near: by.index === undefined ? null : [by.index - 1, by.index + 1].filter((index) => index >= 0),
    ...periodsOf(search, periodRanges, granularities.read(search)),
    ...listOf(search, ROWS, 'blocks'),
    ...listOf(search, ROWS, 'seats'),
    ...listOf(search, ROWS, 'moves'),
  };
}
