import { graphql } from 'react-relay';
import { useSearchParams } from 'react-router';
import type { setQuery } from '../../__generated__/setQuery.graphql';
import { countColumn } from '../../figures/columns.tsx';
import { granularities } from '../../figures/periods.ts';
import { Rewards } from '../../figures/reward-figures.tsx';
import type { Column } from '../../figures/table.tsx';
import { setCalendars } from '../../url/range.ts';
import { entityRanges, windowNameOf } from '../../url/windows.ts';
import { useSetLinks } from './use-set-links.ts';

graphql`
  fragment setRewards_set on PrivateSet {
    rewards(
      granularity: $granularity
      utc: $utc
      fromDate: $fromDate
      toDate: $toDate
      orderBy: { field: PERIOD, direction: DESC }
      first: $periods
    ) @include(if: $hasRewards) {
      nodes {
        ...rewardFigures_rewards @relay(mask: false)
        validatorCount
      }
    }
  }
`;

type PrivateSet = NonNullable<setQuery['response']['privateSet']>;
type Row = NonNullable<PrivateSet['rewards']>['nodes'][number];

const columns: Column<Row>[] = [countColumn('Validators', ({ validatorCount }) => validatorCount)];

export function SetRewards({ set }: { set: PrivateSet }) {
  const [search] = useSearchParams();
  const { to, rest } = useSetLinks(set);
  return (
    <Rewards
      of={set}
      by={granularities.read(search)}
      window={windowNameOf(search, entityRanges, setCalendars.read(search) === 'utc')}
      to={to}
      rest={rest('rewards')}
      columns={columns}
    />
  );
}
