import { graphql } from 'react-relay';
import { useSearchParams } from 'react-router';
import type { setQuery } from '../../__generated__/setQuery.graphql';
import { Performance } from '../../figures/performance-figures.tsx';
import { granularities } from '../../figures/periods.ts';
import { setCalendars } from '../../url/range.ts';
import { entityRanges, windowNameOf } from '../../url/windows.ts';
import { useSetLinks } from './use-set-links.ts';

graphql`
  fragment setPerformance_set on PrivateSet {
    effectiveness(
      granularity: $granularity
      utc: $utc
      fromDate: $fromDate
      toDate: $toDate
      orderBy: { field: PERIOD, direction: DESC }
      first: $periods
    ) @include(if: $hasEffectiveness) {
      nodes {
        ...performanceFigures_effectiveness @relay(mask: false)
        avgCorrectness
        avgInclusionDelay
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

type PrivateSet = NonNullable<setQuery['response']['privateSet']>;

export function SetPerformance({ set }: { set: PrivateSet }) {
  const [search] = useSearchParams();
  const { to, rest } = useSetLinks(set);
  return (
    <Performance
      of={set}
      by={granularities.read(search)}
      window={windowNameOf(search, entityRanges, setCalendars.read(search) === 'utc')}
      to={to}
      rest={rest}
    />
  );
}
