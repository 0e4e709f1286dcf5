import type { operatorQuery } from '../../__generated__/operatorQuery.graphql';
import { granularities, periodsOf } from '../../figures/periods.ts';
import type { Place } from '../../page.tsx';
import { type Tab, tabs } from '../../parts/tabs.tsx';
import { hasValidators, idTypeOf } from '../../url/links.ts';
import { daysOf } from '../../url/range.ts';
import { pageOf } from '../../url/url-state.ts';
import { entityRanges, hasHistory, LEAST_DAYS, windowOf } from '../../url/windows.ts';
import { listsOf } from './operator-lists.ts';
import { granularity } from './operator-periods.ts';

const PAGE_SIZE = 20;
/** Of a range without a number of days. */
const MOST_DAYS = 400;

export function variables(place: Place): operatorQuery['variables'] {
  const { network, search, params } = place;
  const [idType, operatorId] = [idTypeOf(params.idType), params.id ?? ''];
  const tab = tabs.read(search);
  const isOf = (...of: Tab[]) => of.includes(tab);
  const operator = { idType, operatorId };
  return {
    network,
    ...operator,
    window: windowOf(search, entityRanges),
    ...periodsOf(
      search,
      entityRanges,
      tab === 'rewards' ? granularities.read(search) : granularity.read(search),
    ),
    days: Math.max(LEAST_DAYS, daysOf(entityRanges, search) ?? MOST_DAYS),
    hasHistory: isOf('summary') && hasHistory(search, entityRanges),
    ...pageOf(search, PAGE_SIZE),
    ...listsOf(search),
    slashings: { operator },
    missed: { operator, outcome: 'MISSED' },
    onSummary: isOf('summary'),
    onPerformance: isOf('performance'),
    onRewards: isOf('rewards'),
    onValidators: isOf('validators'),
    onEvents: isOf('events'),
    hasEvents: isOf('events') && hasValidators(idType),
    isOverTime: isOf('performance', 'rewards'),
  };
}
