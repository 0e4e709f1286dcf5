import type { blocksQuery } from '../../__generated__/blocksQuery.graphql';
import type { Place } from '../../page.tsx';
import { askedOf, operatorOf, sizes, validator, validatorOf } from '../../parts/filters.tsx';
import { fromDate, toDate } from '../../url/range.ts';
import { oneOf, pageOf } from '../../url/url-state.ts';

export const outcome = oneOf('outcome', ['all', 'proposed', 'missed', 'orphaned'], 'all');
export const outcomeNames = { all: 'All', proposed: 'Proposed', missed: 'Missed', orphaned: 'Orphaned' };
const outcomeValues = { proposed: 'PROPOSED', missed: 'MISSED', orphaned: 'ORPHANED' } as const;
export const payload = oneOf('payload', ['all', 'full', 'empty'], 'all');
export const payloadNames = { all: 'All', full: 'Full payload', empty: 'Empty payload' };
const payloadValues = { full: 'FULL', empty: 'EMPTY' } as const;
export const proposer = validator('proposer');

export function whereOf(search: URLSearchParams) {
  const given = outcome.read(search);
  const asked = payload.read(search);
  const by = proposer.read(search);
  const operator = operatorOf(search);
  return {
    ...(given !== 'all' && { outcome: outcomeValues[given] }),
    ...(asked !== 'all' && { payload: payloadValues[asked] }),
    ...(by && { proposer: validatorOf(by) }),
    ...(operator && { operator }),
  };
}

export const variables = ({ network, search }: Place): blocksQuery['variables'] => ({
  network,
  where: whereOf(search),
  ...askedOf(search),
  fromDate: fromDate.read(search) ?? null,
  toDate: toDate.read(search) ?? null,
  ...pageOf(search, Number(sizes.read(search))),
});
