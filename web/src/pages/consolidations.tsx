import { graphql } from 'react-relay';
import type { consolidationsQuery } from '../__generated__/consolidationsQuery.graphql';
import { Figure } from '../figures/figure.tsx';
import { type Place, page } from '../page.tsx';
import { Choice } from '../parts/controls.tsx';
import { classes, classOf, Filters, operatorOf } from '../parts/filters.tsx';
import { Heading } from '../parts/heading.tsx';
import { OperatorFilter } from '../parts/operator-filter.tsx';
import { RangeControl } from '../parts/range.tsx';
import { calendars, fromDate, ranges, toDate } from '../url/range.ts';
import { listOf, oneOf, pageOf } from '../url/url-state.ts';
import {
  capacityColumns,
  filled,
  granularity,
  granularityNames,
  granularityOf,
  moved,
  periodColumns,
  used,
  windowOf,
} from './consolidations/consolidation-figures.tsx';
import { Lists, order, Sums } from './consolidations/consolidation-lists.tsx';

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
      orderBy: { field: PERIOD, direction: ASC }
      last: 1000
    ) {
      nodes {
        id
        ...consolidationLists_period @relay(mask: false)
      }
    }
    consolidationCapacities(network: $network) {
      id
      ...consolidationLists_capacity @relay(mask: false)
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
        ...consolidationLists_processed @relay(mask: false)
      }
      pageInfo {
        ...pager_pageInfo @relay(mask: false)
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
        ...consolidationLists_pending @relay(mask: false)
      }
      pageInfo {
        ...pager_pageInfo @relay(mask: false)
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
        ...consolidationLists_totals @relay(mask: false)
      }
      pageInfo {
        ...pager_pageInfo @relay(mask: false)
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
        ...consolidationLists_parts @relay(mask: false)
      }
      pageInfo {
        ...pager_pageInfo @relay(mask: false)
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

const range = ranges(['all'], 'all');
const sizes = oneOf('size', ['50', '100', '200'], '50');

function View({ data, place: { search } }: { data: Data; place: Place }) {
  const capacities = data.consolidationCapacities ?? [];
  const capacity = capacities.find(({ window }) => window === windowOf(search));
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
        <RangeControl of={range} dates calendar />
      </Heading>
      <Filters names={['class', 'operator']}>
        <OperatorFilter isUnknown={false} />
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
        <Lists data={data} capacity={capacity}>
          <Figure
            title="Churn used"
            note="Consolidated balance as a share of what each window allowed."
            columns={capacityColumns}
            rows={capacities}
            draw={used}
            empty="No active balance of this network is stored."
          />
        </Lists>
      </div>
    </>
  );
}

const ROWS = 20;

function variablesOf({ network, search }: Place): consolidationsQuery['variables'] {
  const operator = operatorOf(search);
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
    ...listOf(search, ROWS, 'queue'),
    ...listOf(search, ROWS, 'totals'),
    ...listOf(search, ROWS, 'parts'),
    where: operator ? { operator } : {},
    granularity: granularityOf(search),
  };
}

export default page<consolidationsQuery>({ query, variables: variablesOf, View });
