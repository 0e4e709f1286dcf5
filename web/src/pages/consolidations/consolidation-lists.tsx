import type { ReactNode } from 'react';
import { graphql } from 'react-relay';
import type { consolidationsQuery } from '../../__generated__/consolidationsQuery.graphql';
import { PagedFigure } from '../../figures/paged-figure.tsx';
import { Choice } from '../../parts/controls.tsx';
import { count, eth, ratio, shortEth } from '../../parts/format.ts';
import { Tile, Tiles } from '../../parts/tiles.tsx';
import { orderBy } from '../../url/url-state.ts';
import { windowNames } from '../../url/windows.ts';
import {
  type Capacity,
  columns,
  partColumns,
  pendingColumns,
  totalColumns,
  windows,
  wordsOf,
} from './consolidation-figures.tsx';

type Data = consolidationsQuery['response'];

graphql`
  fragment consolidationLists_processed on Consolidation {
    epoch
    date
    sourceValidatorIndex
    targetValidatorIndex
    consolidatedBalance
    sourceEntities {
      idType
      operatorId
    }
    targetEntities {
      idType
      operatorId
    }
  }
`;

graphql`
  fragment consolidationLists_pending on PendingConsolidation {
    position
    expectedEpoch
    sourceValidatorIndex
    targetValidatorIndex
    amount
  }
`;

graphql`
  fragment consolidationLists_totals on OperatorConsolidationTotal {
    idType
    operatorId
    consolidatedBalance
    consolidationCount
    sourceValidatorCount
    targetValidatorCount
    startDate
    endDate
  }
`;

graphql`
  fragment consolidationLists_parts on OperatorConsolidationCapacity {
    idType
    operatorId
    capacityShare
    consolidatedBalance
    consolidationCount
  }
`;

graphql`
  fragment consolidationLists_capacity on ConsolidationCapacity {
    window
    capacity
    capacityFilled
    consolidatedBalance
    consolidationCount
    consolidationChurnLimit
    latestEpoch
  }
`;

graphql`
  fragment consolidationLists_period on ConsolidationRecord {
    date
    startDate
    consolidationCount
    consolidatedBalance
    capacity
    capacityFilled
  }
`;

export const order = orderBy(['EPOCH', 'CONSOLIDATED_BALANCE'], 'EPOCH');

export function Sums({ data, capacity }: { data: Data; capacity: Capacity | undefined }) {
  const all = data.consolidationCapacities?.find(({ window }) => window === 'ALL');
  return (
    <Tiles>
      {capacity && (
        <Tile
          label="Churn limit"
          unit="ETH"
          exact={eth(capacity.consolidationChurnLimit)}
          note="may be consolidated in an epoch"
        >
          {shortEth(capacity.consolidationChurnLimit)}
        </Tile>
      )}
      {capacity && (
        <Tile
          label="Capacity used"
          note={`${shortEth(capacity.consolidatedBalance)} ETH in ${wordsOf(capacity.window)}`}
        >
          {ratio(capacity.capacityFilled)}
        </Tile>
      )}
      {all && (
        <Tile
          label="Consolidated so far"
          unit="ETH"
          exact={eth(all.consolidatedBalance)}
          note={`${count(all.consolidationCount)} consolidations since Electra`}
        >
          {shortEth(all.consolidatedBalance)}
        </Tile>
      )}
      <Tile label="In the queue" note="of the newest indexed state">
        {count(data.pendingConsolidations?.totalCount)}
      </Tile>
    </Tiles>
  );
}

/** `children` are above what operators consolidated. */
export function Lists(props: { data: Data; capacity: Capacity | undefined; children: ReactNode }) {
  const { data, capacity, children } = props;
  const largest = data.largest?.nodes[0]?.capacityShare || 1;
  const window = capacity ? wordsOf(capacity.window) : 'the window';
  return (
    <>
      <div className="stack">
        {children}
        <PagedFigure
          title="Capacity by operator"
          note={`What operators of the class chosen above used of the capacity of ${window}; the bar of the largest is full.`}
          columns={partColumns(largest)}
          of={data.operatorConsolidationCapacities}
          controls={<Choice param={windows} label="Window of the capacity" names={windowNames} />}
          label="capacity by operator"
          list="parts"
          empty="No operator of this class consolidated in the window."
        />
      </div>
      <div className="stack">
        <PagedFigure
          title="Pending queue"
          note="In the order of the queue; the epoch is when the rules would process it."
          columns={pendingColumns}
          of={data.pendingConsolidations}
          label="the queue"
          list="queue"
          empty="The queue is empty, or this network is not indexed."
        />
      </div>
      <PagedFigure
        wide
        title="By operator"
        note="Of the class chosen above, by its validators as sources, in the dates chosen."
        columns={totalColumns}
        of={data.operatorConsolidations}
        label="operators"
        list="totals"
        empty="No operator of this class consolidated."
      />
      <PagedFigure
        title="Processed"
        wide
        note="Each consolidation that fits, with the operators of both validators."
        columns={columns}
        of={data.consolidations}
        label="consolidations"
        order={order}
        empty="No consolidation fits."
      />
    </>
  );
}
