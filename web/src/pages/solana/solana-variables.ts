import type { solanaQuery } from '../../__generated__/solanaQuery.graphql';
import type { Place } from '../../page.tsx';
import { daysOf, fromDate, ranges, toDate, USUAL } from '../../url/range.ts';
import { oneOf, orderBy, pageOf, text } from '../../url/url-state.ts';
import { hasHistory, orderIn, windowOf } from '../../url/windows.ts';

export const range = ranges(['7d', '30d', '90d', '1y', 'all'], USUAL);
const MOST_DAYS = 1_000;
export const types = oneOf('type', ['all', 'pool', 'individual'], 'all');
export const typeNames = { all: 'All', pool: 'Pools', individual: 'Individuals' };
const typeValues = { all: null, pool: 'POOL', individual: 'INDIVIDUAL' } as const;
export const order = orderBy(
  [
    'DELEGATED_STAKE',
    'NETWORK_PENETRATION',
    'DELEGATED_STAKE_CHANGE',
    'DELEGATOR_APY',
    'VALIDATOR_DELEGATES',
    'BLENDED_VOTE_COMMISSION_RATE',
    'POOL_NAME',
  ],
  'DELEGATED_STAKE',
);
export const authority = text('authority');
const PAGE_SIZE = 20;

export const variables = ({ search }: Pick<Place, 'search'>): solanaQuery['variables'] => ({
  window: windowOf(search, range),
  days: daysOf(range, search) ?? MOST_DAYS,
  fromDate: fromDate.read(search) ?? null,
  toDate: toDate.read(search) ?? null,
  hasHistory: hasHistory(search, range),
  type: typeValues[types.read(search)],
  orderBy: orderIn(windowOf(search, range), order.read(search), order.fallback),
  authority: authority.read(search),
  one: authority.read(search) !== '',
  ...pageOf(search, PAGE_SIZE),
});
