import { graphql } from 'react-relay';
import { useSearchParams } from 'react-router';
import type { operatorQuery } from '../../__generated__/operatorQuery.graphql';
import { Performance } from '../../figures/performance-figures.tsx';
import { periodsOf, restQuery } from '../../figures/periods.ts';
import { restTypeOf } from '../../url/links.ts';
import { calendars } from '../../url/range.ts';
import { entityRanges, windowNameOf } from '../../url/windows.ts';
import { granularity } from './operator-periods.ts';
import { useTabBetween } from './use-tab-between.ts';

graphql`
  fragment operatorPerformance_operator on Operator {
    effectiveness(
      granularity: $granularity
      utc: $utc
      fromDate: $fromDate
      toDate: $toDate
      orderBy: { field: PERIOD, direction: DESC }
      first: $periods
    ) @include(if: $onPerformance) {
      nodes {
        ...performanceFigures_effectiveness @relay(mask: false)
      }
    }
    attestations(
      granularity: $granularity
      utc: $utc
      fromDate: $fromDate
      toDate: $toDate
      orderBy: { field: PERIOD, direction: DESC }
      first: $periods
    ) @include(if: $onPerformance) {
      pageInfo {
        hasNextPage
      }
      nodes {
        ...performanceFigures_attestations @relay(mask: false)
      }
    }
    proposals(
      granularity: $granularity
      utc: $utc
      fromDate: $fromDate
      toDate: $toDate
      orderBy: { field: PERIOD, direction: DESC }
      first: $periods
    ) @include(if: $onPerformance) {
      nodes {
        ...performanceFigures_proposals @relay(mask: false)
      }
    }
    marked: slashings(orderBy: { field: EPOCH, direction: DESC }, first: 200) @include(if: $isOverTime) {
      nodes {
        id
        date
        validatorIndex
      }
    }
  }
`;

type Operator = NonNullable<operatorQuery['response']['operator']>;

/** Effectiveness, votes and blocks of an operator. REST has the same periods of its attestations. */
export function OperatorPerformance({ operator }: { operator: Operator }) {
  const { idType, operatorId } = operator;
  const [search] = useSearchParams();
  const by = granularity.read(search);
  const query = new URLSearchParams({ entityType: restTypeOf(idType) });
  const periods = restQuery(periodsOf(search, entityRanges, by));
  const rest = `/v1/eth/entities/${encodeURIComponent(operatorId)}/attestations?${query}&${periods}`;
  return (
    <Performance
      of={operator}
      by={by}
      window={windowNameOf(search, entityRanges, calendars.read(search) === 'utc')}
      to={useTabBetween(operator)}
      rest={(of) => (of === 'attestations' ? rest : undefined)}
    />
  );
}
