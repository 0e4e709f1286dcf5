import { graphql } from 'react-relay';
import type { consolidationsQuery } from '../__generated__/consolidationsQuery.graphql';
import {
  type Capacity,
  capacityColumns,
  columns,
  filled,
  granularity,
  granularityNames,
  granularityOf,
  moved,
  partColumns,
  pendingColumns,
  periodColumns,
  shortWindows,
  totalColumns,
  used,
} from '../consolidation-figures.tsx';
import { Figure } from '../figure.tsx';
import {
  classes,
  classOf,
  DateFilter,
  Filters,
  fromDate,
  OperatorFilter,
  operatorOf,
  toDate,
} from '../filters.tsx';
import { count, eth, ratio, shortEth } from '../format.ts';
import { type Place, page } from '../page.tsx';
import { Choice, Heading, Pager, Tile, Tiles } from '../parts.tsx';
import { calendarNames, calendars } from '../periods.ts';
import { oneOf, orderBy, pageOf } from '../url-state.ts';
import { windowNames, windowOf, windows } from '../windows.ts';

const query = graphql`
  query consolidationsQuery(
    $network: Network!
    $window: TimeWindow!
    $idType: OperatorIdType!
    $operatorId: String
    $operatorClass: OperatorIdType
    $fromDate: Date
    $toDate: Date
    $utc: Boolean!
    $orderBy: ConsolidationOrder!
    $first: Int
    $after: String
    $last: Int
    $before: String
    $queueFirst: Int
    $queueAfter: String
    $queueLast: Int
    $queueBefore: String
    $totalsFirst: Int
    $totalsAfter: String
    $totalsLast: Int
    $totalsBefore: String
    $partsFirst: Int
    $partsAfter: String
    $partsLast: Int
    $partsBefore: String
    $where: ConsolidationWhere!
    $granularity: Granularity!
  ) {
    consolidationHistory(
      network: $network
      where: $where
      fromDate: $fromDate
      toDate: $toDate
      utc: $utc
      granularity: $granularity
      last: 1000
    ) {
      nodes {
        id
        date
        startDate
        consolidationCount
        consolidatedBalance
        capacity
        capacityFilled
      }
    }
    consolidationCapacities(network: $network) {
      id
      window
      capacity
      capacityFilled
      consolidatedBalance
      consolidationCount
      consolidationChurnLimit
      latestEpoch
    }
    consolidations(
      network: $network
      operatorId: $operatorId
      idType: $operatorClass
      fromDate: $fromDate
      toDate: $toDate
      utc: $utc
      orderBy: $orderBy
      first: $first
      after: $after
      last: $last
      before: $before
    ) {
      totalCount
      nodes {
        id
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
      pageInfo {
        hasNextPage
        hasPreviousPage
        startCursor
        endCursor
      }
    }
    pendingConsolidations(
      network: $network
      first: $queueFirst
      after: $queueAfter
      last: $queueLast
      before: $queueBefore
    ) {
      totalCount
      nodes {
        id
        position
        expectedEpoch
        sourceValidatorIndex
        targetValidatorIndex
        amount
      }
      pageInfo {
        hasNextPage
        hasPreviousPage
        startCursor
        endCursor
      }
    }
    operatorConsolidations(
      network: $network
      idType: $idType
      fromDate: $fromDate
      toDate: $toDate
      utc: $utc
      first: $totalsFirst
      after: $totalsAfter
      last: $totalsLast
      before: $totalsBefore
    ) {
      totalCount
      nodes {
        id
        idType
        operatorId
        consolidatedBalance
        consolidationCount
        sourceValidatorCount
        targetValidatorCount
        startDate
        endDate
      }
      pageInfo {
        hasNextPage
        hasPreviousPage
        startCursor
        endCursor
      }
    }
    operatorConsolidationCapacities(
      network: $network
      idType: $idType
      window: $window
      first: $partsFirst
      after: $partsAfter
      last: $partsLast
      before: $partsBefore
    ) {
      totalCount
      nodes {
        id
        idType
        operatorId
        capacityShare
        consolidatedBalance
        consolidationCount
      }
      pageInfo {
        hasNextPage
        hasPreviousPage
        startCursor
        endCursor
      }
    }
    largest: operatorConsolidationCapacities(network: $network, idType: $idType, window: $window, first: 1) {
      nodes {
        id
        capacityShare
      }
    }
  }
`;

type Data = consolidationsQuery['response'];

const sizes = oneOf('size', ['50', '100', '200'], '50');
const order = orderBy(['EPOCH', 'CONSOLIDATED_BALANCE'], 'EPOCH');

function Sums({ data, capacity }: { data: Data; capacity: Capacity | undefined }) {
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
          note={`${eth(capacity.consolidatedBalance)} in ${shortWindows[capacity.window].toLowerCase()}`}
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

function View({ data, place: { search } }: { data: Data; place: Place }) {
  const { consolidations, pendingConsolidations: queue, operatorConsolidations: totals } = data;
  const capacities = data.consolidationCapacities ?? [];
  const capacity = capacities.find(({ window }) => window === windowOf(search));
  const rows = consolidations?.nodes ?? [];
  const parts = data.operatorConsolidationCapacities;
  const largest = data.largest?.nodes[0]?.capacityShare || 1;
  const interval = granularity.read(search);
  const periods = data.consolidationHistory?.nodes ?? [];
  return (
    <>
      <Heading
        title="Consolidations"
        about={`Balances that moved from one validator to another, and how much of the chain's limit they used${
          capacity ? `, up to epoch ${capacity.latestEpoch}` : ''
        }.`}
      >
        <Choice param={windows} label="Window of the capacity" names={windowNames} />
      </Heading>
      <Filters names={['class', 'operator', 'from', 'to', 'calendar']}>
        <OperatorFilter />
        <DateFilter />
        <Choice param={calendars} label="Calendar" names={calendarNames} />
        <Choice param={granularity} label="Periods of the plots" names={granularityNames} />
        <Choice param={sizes} label="Consolidations a page" />
      </Filters>
      <Sums data={data} capacity={capacity} />
      <div className="figures">
        <Figure
          title="Consolidated over time"
          note="What all consolidations that fit moved, in ETH."
          columns={periodColumns[interval]}
          rows={periods}
          draw={moved[interval]}
          empty="No consolidation fits."
        />
        <Figure
          title="Capacity over time"
          note="Share of the churn limit that the consolidations that fit used."
          columns={periodColumns[interval]}
          rows={periods}
          draw={filled[interval]}
          empty="No consolidation fits."
        />
        <Figure
          title="Churn used"
          note="Consolidated balance as a share of what each window allowed."
          columns={capacityColumns}
          rows={capacities}
          draw={used}
          empty="No active balance of this network is stored."
        />
        <Figure
          title="Pending queue"
          note="In the order of the queue; the epoch is when the rules would process it."
          columns={pendingColumns}
          rows={queue?.nodes ?? []}
          empty="The queue is empty, or this network is not indexed."
        >
          {queue && queue.totalCount > 0 && (
            <Pager info={queue.pageInfo} total={queue.totalCount} label="the queue" list="queue" />
          )}
        </Figure>
        <Figure
          title="By operator"
          note="Of the class chosen above, by its validators as sources, in the dates chosen."
          columns={totalColumns}
          rows={totals?.nodes ?? []}
          empty="No operator of this class consolidated."
        >
          {totals && totals.totalCount > 0 && (
            <Pager info={totals.pageInfo} total={totals.totalCount} label="operators" list="totals" />
          )}
        </Figure>
        <Figure
          title="Capacity by operator"
          note={`What operators of the class chosen above used of the capacity of ${
            capacity ? shortWindows[capacity.window].toLowerCase() : 'the window'
          }; the bar of the largest is full.`}
          columns={partColumns(largest)}
          rows={parts?.nodes ?? []}
          empty="No operator of this class consolidated in the window."
        >
          {parts && parts.totalCount > 0 && (
            <Pager info={parts.pageInfo} total={parts.totalCount} label="capacity by operator" list="parts" />
          )}
        </Figure>
        <Figure
          title="Processed"
          wide
          note="Each consolidation that fits, with the operators of both validators."
          columns={columns}
          rows={rows}
          order={order}
          empty="No consolidation fits."
        >
          {consolidations && rows.length > 0 && (
            <Pager info={consolidations.pageInfo} total={consolidations.totalCount} label="consolidations" />
          )}
        </Figure>
      </div>
    </>
  );
}

const ROWS = 20;

function variablesOf({ network, search }: Place): consolidationsQuery['variables'] {
  const operator = operatorOf(search);
  const queue = pageOf(search, ROWS, 'queue');
  const totals = pageOf(search, ROWS, 'totals');
  const parts = pageOf(search, ROWS, 'parts');
  return {
    network,
    window: windowOf(search),
    idType: classOf(classes.read(search)),
    operatorId: operator?.operatorId ?? null,
    operatorClass: operator?.idType ?? null,
    fromDate: fromDate.read(search) ?? null,
    toDate: toDate.read(search) ?? null,
    utc: calendars.read(search) === 'utc',
    orderBy: order.read(search),
    ...pageOf(search, Number(sizes.read(search))),
    queueFirst: queue.first,
    queueAfter: queue.after,
    queueLast: queue.last,
    queueBefore: queue.before,
    totalsFirst: totals.first,
    totalsAfter: totals.after,
    totalsLast: totals.last,
    totalsBefore: totals.before,
    partsFirst: parts.first,
    partsAfter: parts.after,
    partsLast: parts.last,
    partsBefore: parts.before,
    where: operator ? { operator } : {},
    granularity: granularityOf(search),
  };
}

export default page<consolidationsQuery>({ query, variables: variablesOf, View });
