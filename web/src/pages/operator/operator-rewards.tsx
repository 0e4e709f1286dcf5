import { graphql } from 'react-relay';
import { useSearchParams } from 'react-router';
import type { operatorQuery } from '../../__generated__/operatorQuery.graphql';
import { granularities } from '../../figures/periods.ts';
import { Rewards } from '../../figures/reward-figures.tsx';
import { calendars } from '../../url/range.ts';
import { entityRanges, windowNameOf } from '../../url/windows.ts';
import { useTabBetween } from './use-tab-between.ts';

graphql`
  fragment operatorRewards_operator on Operator {
    rewards(
      granularity: $granularity
      utc: $utc
      fromDate: $fromDate
      toDate: $toDate
      orderBy: { field: PERIOD, direction: DESC }
      first: $periods
    ) @include(if: $onRewards) {
      nodes {
        ...rewardFigures_rewards @relay(mask: false)
      }
    }
  }
`;

type Operator = NonNullable<operatorQuery['response']['operator']>;

export function OperatorRewards({ operator }: { operator: Operator }) {
  const [search] = useSearchParams();
  return (
    <Rewards
      of={operator}
      by={granularities.read(search)}
      window={windowNameOf(search, entityRanges, calendars.read(search) === 'utc')}
      to={useTabBetween(operator)}
    />
  );
}
