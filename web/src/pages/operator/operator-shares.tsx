import { useMemo } from 'react';
import { graphql } from 'react-relay';
import { useSearchParams } from 'react-router';
import type { operatorQuery } from '../../__generated__/operatorQuery.graphql';
import { countColumn, percentColumn } from '../../figures/columns.tsx';
import { PagedFigure } from '../../figures/paged-figure.tsx';
import type { Column } from '../../figures/table.tsx';
import { longNameOf, measured, nameOf, OperatorLink, stakeShare } from '../../parts/operators.tsx';
import { entityRanges, rangeOf, windowOf } from '../../url/windows.ts';
import { SHARES } from './operator-lists.ts';

graphql`
  fragment operatorShares_operator on Operator {
    poolShares(
      window: $window
      first: $sharesFirst
      after: $sharesAfter
      last: $sharesLast
      before: $sharesBefore
    ) @include(if: $onSummary) {
      totalCount
      pageInfo {
        ...pager_pageInfo @relay(mask: false)
      }
      nodes {
        id
        idType
        operatorId
        displayName
        summary(window: $window) {
          validatorCount
          networkPenetration
          avgValidatorEffectiveness
        }
      }
    }
  }
`;

type Operator = NonNullable<operatorQuery['response']['operator']>;
type PoolShare = NonNullable<Operator['poolShares']>['nodes'][number];

const poolShareColumns = (inPool: boolean, params: { range?: string }): Column<PoolShare>[] => [
  {
    head: inPool ? 'Node operator' : 'Pool share',
    value: ({ operatorId }) => operatorId,
    show: (row) => (
      <OperatorLink operator={row} name={inPool ? nameOf(row) : longNameOf(row)} params={params} />
    ),
  },
  {
    head: 'Share of stake',
    csv: 'Share of stake (0–1)',
    value: ({ summary }) => summary?.networkPenetration,
    show: ({ summary }) => stakeShare(summary?.networkPenetration),
    numeric: true,
  },
  countColumn('Validators', ({ summary }) => summary?.validatorCount),
  percentColumn('Effectiveness', ({ summary }) => measured(summary, summary?.avgValidatorEffectiveness)),
];

export const hasPoolShares = (idType: string) => idType === 'POOL' || idType === 'NODE_OPERATOR';

/** The node operators of a pool, or the pools of a node operator. */
export function PoolShares({ operator: { idType, poolShares } }: { operator: Operator }) {
  const [search] = useSearchParams();
  const window = windowOf(search, entityRanges);
  const columns = useMemo(() => poolShareColumns(idType === 'POOL', rangeOf(window)), [idType, window]);
  return (
    <PagedFigure
      title={idType === 'POOL' ? 'Its node operators' : 'Its shares of pools'}
      note="By share of the stake of the network, largest first."
      columns={columns}
      of={poolShares}
      label="pool shares"
      list={SHARES}
    />
  );
}
