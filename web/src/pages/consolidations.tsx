import { graphql } from 'react-relay';
import type { consolidationsQuery } from '../__generated__/consolidationsQuery.graphql';
import { countColumn, dateColumn, gweiColumn, numberColumn, validatorColumn } from '../columns.tsx';
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
import { calendarDate, count, eth, plotted, ratio, shortCount, shortEth } from '../format.ts';
import { paths } from '../links.ts';
import { type Place, page } from '../page.tsx';
import { Choice, Heading, PageLink, Pager, Share, Tile, Tiles } from '../parts.tsx';
import { calendarNames, calendars } from '../periods.ts';
import { at, barsOver, colors, type Draw } from '../plots.ts';
import type { Column } from '../table.tsx';
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
  ) {
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
    operatorConsolidationCapacities(network: $network, idType: $idType, window: $window, first: 20) {
      totalCount
      nodes {
        id
        idType
        operatorId
        capacityShare
        consolidatedBalance
        consolidationCount
      }
    }
  }
`;

type Data = consolidationsQuery['response'];
type Capacity = NonNullable<Data['consolidationCapacities']>[number];
type Consolidation = NonNullable<Data['consolidations']>['nodes'][number];
type Pending = NonNullable<Data['pendingConsolidations']>['nodes'][number];
type Total = NonNullable<Data['operatorConsolidations']>['nodes'][number];
type Part = NonNullable<Data['operatorConsolidationCapacities']>['nodes'][number];
type Named = { readonly idType: string; readonly operatorId: string };

/** Large, because the plot shows the page. */
const sizes = oneOf('size', ['50', '100', '200'], '200');
const order = orderBy(['EPOCH', 'CONSOLIDATED_BALANCE'], 'EPOCH');

const shortWindows = Object.fromEntries(
  windows.values.map((value) => [windowOf(new URLSearchParams({ window: value })), windowNames[value]]),
) as Record<Capacity['window'], string>;

const operatorColumn = <Row,>(head: string, of: (row: Row) => readonly Named[]): Column<Row> => ({
  head,
  value: (row) =>
    of(row)
      .map(({ operatorId }) => operatorId)
      .join(', '),
  show: (row) =>
    of(row).length === 0
      ? '–'
      : of(row).map(({ idType, operatorId }, index) => (
          <span key={operatorId}>
            {index > 0 && ', '}
            <PageLink to={paths.operator(idType, operatorId)}>{operatorId}</PageLink>
          </span>
        )),
});

/** A share is empty when there was no capacity. */
const shareColumn = <Row,>(
  head: string,
  of: (row: Row) => number | null | undefined,
  most = 1,
): Column<Row> => ({
  head: `${head} (0–1)`,
  value: of,
  show: (row) => {
    const share = of(row);
    return share == null ? '–' : <Share value={share} of={most} text={ratio(share, 3)} />;
  },
  numeric: true,
});

const capacityColumns: Column<Capacity>[] = [
  { head: 'Window', value: ({ window }) => window, show: ({ window }) => shortWindows[window] },
  shareColumn('Used', ({ capacityFilled }) => capacityFilled),
  gweiColumn('Consolidated', ({ consolidatedBalance }) => consolidatedBalance),
  gweiColumn('Capacity', ({ capacity }) => capacity),
  countColumn('Consolidations', ({ consolidationCount }) => consolidationCount),
];

const named = (entities: readonly Named[]) =>
  entities.filter(({ idType }) => idType === 'NODE_OPERATOR' || idType === 'POOL');

const columns: Column<Consolidation>[] = [
  dateColumn(({ date }) => date),
  numberColumn('Epoch', ({ epoch }) => epoch, 'EPOCH'),
  validatorColumn('From', ({ sourceValidatorIndex }) => sourceValidatorIndex),
  operatorColumn('Operators', ({ sourceEntities }) => named(sourceEntities)),
  validatorColumn('To', ({ targetValidatorIndex }) => targetValidatorIndex),
  operatorColumn('Operators of the target', ({ targetEntities }) => named(targetEntities)),
  gweiColumn('Moved', ({ consolidatedBalance }) => consolidatedBalance, 'CONSOLIDATED_BALANCE'),
];

const pendingColumns: Column<Pending>[] = [
  countColumn('Place', ({ position }) => position + 1),
  numberColumn('Expected in epoch', ({ expectedEpoch }) => expectedEpoch),
  validatorColumn('From', ({ sourceValidatorIndex }) => sourceValidatorIndex),
  validatorColumn('To', ({ targetValidatorIndex }) => targetValidatorIndex),
  gweiColumn('Would move', ({ amount }) => amount),
];

const totalColumns: Column<Total>[] = [
  operatorColumn('Operator', (row) => [row]),
  gweiColumn('Moved', ({ consolidatedBalance }) => consolidatedBalance),
  countColumn('Consolidations', ({ consolidationCount }) => consolidationCount),
  countColumn('Sources', ({ sourceValidatorCount }) => sourceValidatorCount),
  countColumn('Targets', ({ targetValidatorCount }) => targetValidatorCount),
  dateColumn(({ startDate }) => startDate, 'First (UTC)'),
  dateColumn(({ endDate }) => endDate, 'Last (UTC)'),
];

const partColumns = (largest: number): Column<Part>[] => [
  operatorColumn('Operator', (row) => [row]),
  shareColumn('Of the capacity', ({ capacityShare }) => capacityShare, largest),
  gweiColumn('Consolidated', ({ consolidatedBalance }) => consolidatedBalance),
  countColumn('Consolidations', ({ consolidationCount }) => consolidationCount),
];

type Day = { id: string; number: number; moved: bigint };
const movedOf = ({ moved }: Day) => moved.toString();

function daysOf(rows: readonly Consolidation[]): Day[] {
  const days = new Map<string, Day>();
  for (const { date, consolidatedBalance } of rows) {
    const day = days.get(date) ?? { id: date, number: 0, moved: 0n };
    day.number += 1;
    day.moved += BigInt(consolidatedBalance);
    days.set(date, day);
  }
  return [...days.values()].sort((one, other) => (one.id < other.id ? 1 : -1));
}

const daily: Draw<Day> = barsOver<Day>({
  date: ({ id }) => at(id),
  series: [{ label: 'Moved', color: colors[0], value: (day) => plotted(movedOf(day)) }],
  label: 'ETH a day',
  format: shortCount,
  tip: (day) => `${calendarDate(day.id)}\n${eth(movedOf(day))} moved\n${count(day.number)} consolidations`,
});

const dayColumns: Column<Day>[] = [
  dateColumn(({ id }) => id, 'Day begins (UTC)'),
  gweiColumn('Moved', movedOf),
  countColumn('Consolidations', ({ number }) => number),
];

/** The share of the capacity that each window used. */
const used: Draw<Capacity> = (plot, rows, width) => ({
  height: 40 * rows.length + 48,
  marginLeft: 64,
  marginRight: 56,
  x: {
    label: null,
    grid: true,
    nice: true,
    ticks: Math.floor(width / 110),
    tickFormat: (share: number) => ratio(share, 1),
  },
  y: {
    label: null,
    domain: rows.map(({ window }) => window),
    tickFormat: (name: Capacity['window']) => shortWindows[name],
  },
  marks: [
    plot.barX(rows, {
      y: 'window',
      x: ({ capacityFilled }) => capacityFilled ?? 0,
      fill: colors[0],
      inset: 3,
    }),
    plot.text(rows, {
      y: 'window',
      x: ({ capacityFilled }) => capacityFilled ?? 0,
      text: ({ capacityFilled }) => ratio(capacityFilled),
      textAnchor: 'start',
      dx: 6,
      fill: 'currentColor',
    }),
  ],
});

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
  const parts = data.operatorConsolidationCapacities?.nodes ?? [];
  const isWhole = rows.length === consolidations?.totalCount;
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
        <Choice param={sizes} label="Consolidations a page" />
      </Filters>
      <Sums data={data} capacity={capacity} />
      <div className="figures">
        <Figure
          title="Churn used"
          note="Consolidated balance as a share of what each window allowed."
          columns={capacityColumns}
          rows={capacities}
          draw={used}
          empty="No active balance of this network is stored."
        />
        <Figure
          title="Consolidated by day"
          note={`${isWhole ? 'All consolidations that fit' : 'The consolidations on this page'}, in ETH.`}
          columns={dayColumns}
          rows={daysOf(rows)}
          draw={daily}
          empty="No consolidation fits."
        />
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
          wide
          note={`What operators of the class chosen above used of the capacity of ${
            capacity ? shortWindows[capacity.window].toLowerCase() : 'the window'
          }; the bar of the largest is full.`}
          columns={partColumns(Math.max(...parts.map(({ capacityShare }) => capacityShare ?? 0)) || 1)}
          rows={parts}
          empty="No operator of this class consolidated in the window."
        />
      </div>
    </>
  );
}

const ROWS = 20;

function variablesOf({ network, search }: Place): consolidationsQuery['variables'] {
  const operator = operatorOf(search);
  const queue = pageOf(search, ROWS, 'queue');
  const totals = pageOf(search, ROWS, 'totals');
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
  };
}

export default page<consolidationsQuery>({ query, variables: variablesOf, View });
