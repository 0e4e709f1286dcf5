import { useMemo } from 'react';
import { graphql } from 'react-relay';
import type { slashingsQuery } from '../__generated__/slashingsQuery.graphql';
import type { slashingsSubscription } from '../__generated__/slashingsSubscription.graphql';
import type { slashingsWholeQuery } from '../__generated__/slashingsWholeQuery.graphql';
import { type Live, useLive } from '../api/live.ts';
import { countColumn, dateColumn, gweiColumn, numberColumn, validatorColumn } from '../figures/columns.tsx';
import { Figure } from '../figures/figure.tsx';
import { PagedFigure } from '../figures/paged-figure.tsx';
import { barsOver, colors } from '../figures/plots.ts';
import { dateOf, spanDate, spanName, spanStart } from '../figures/spans.ts';
import type { Column } from '../figures/table.tsx';
import { wholeOf } from '../figures/whole-list.tsx';
import { type Place, page } from '../page.tsx';
import { Choice } from '../parts/controls.tsx';
import { askedOf, classes, classOf, Filters, operatorOf, unknownOperator } from '../parts/filters.tsx';
import { count, eth, plotted, ratio, shortCount, shortEth } from '../parts/format.ts';
import { Heading } from '../parts/heading.tsx';
import { LiveNote } from '../parts/live-note.tsx';
import { OperatorFilter } from '../parts/operator-filter.tsx';
import { fullNameOf, knownBy, OperatorLink, OperatorLinks } from '../parts/operators.tsx';
import { RangeControl } from '../parts/range.tsx';
import { Share } from '../parts/share.tsx';
import { Tile, Tiles } from '../parts/tiles.tsx';
import type { Network } from '../url/network.ts';
import { fromDate, ranges, toDate } from '../url/range.ts';
import { oneOf, orderBy, pageOf } from '../url/url-state.ts';

const query = graphql`
  query slashingsQuery(
    $network: Network!
    $where: SlashingWhere!
    $operatorId: String!
    $operatorClass: OperatorIdType!
    $hasOperator: Boolean!
    $fromDate: Date
    $toDate: Date
    $orderBy: SlashingOrder!
    $first: Int
    $after: String
    $last: Int
    $before: String
    $granularity: Granularity!
  ) {
    operator(network: $network, operatorId: $operatorId, idType: $operatorClass) @include(if: $hasOperator) {
      id
    }
    whole: slashingHistory(
      network: $network
      where: $where
      fromDate: $fromDate
      toDate: $toDate
      utc: true
      granularity: ALL
    ) {
      nodes {
        id
        slashingCount
        sumSlashingPenalties
      }
    }
    slashingHistory(
      network: $network
      where: $where
      fromDate: $fromDate
      toDate: $toDate
      utc: true
      granularity: $granularity
      orderBy: { field: PERIOD, direction: ASC }
      last: 1000
    ) {
      nodes {
        id
        startDate
        slashingCount
        sumSlashingPenalties
        sumBalanceBeforeSlashing
      }
    }
    slashings(
      network: $network
      where: $where
      fromDate: $fromDate
      toDate: $toDate
      orderBy: $orderBy
      first: $first
      after: $after
      last: $last
      before: $before
    ) {
      totalCount
      nodes {
        id
        ...slashings_row @relay(mask: false)
      }
      pageInfo {
        ...pager_pageInfo @relay(mask: false)
      }
    }
  }
`;

graphql`
  fragment slashings_row on Slashing {
    date
    slashingEpoch
    withdrawableEpoch
    validatorIndex
    slashingPenalties
    balanceBeforeSlashing
    operators {
      id
      idType
      operatorId
      displayName
    }
  }
`;

const wholeQuery = graphql`
  query slashingsWholeQuery(
    $network: Network!
    $where: SlashingWhere!
    $fromDate: Date
    $toDate: Date
    $orderBy: SlashingOrder!
    $first: Int!
    $after: String
  ) {
    slashings(
      network: $network
      where: $where
      fromDate: $fromDate
      toDate: $toDate
      orderBy: $orderBy
      first: $first
      after: $after
    ) {
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        id
        ...slashings_row @relay(mask: false)
      }
    }
  }
`;

const newSlashings = graphql`
  subscription slashingsSubscription($network: Network!, $after: Int) {
    slashingAdded(network: $network, after: $after) {
      revision
      omitted
      slashings {
        id
      }
    }
  }
`;

type Data = slashingsQuery['response'];
type Slashing = NonNullable<Data['slashings']>['nodes'][number];
type Operator = Slashing['operators'][number];
type Period = NonNullable<Data['slashingHistory']>['nodes'][number];

const range = ranges(['all'], 'all');
const sizes = oneOf('size', ['50', '100', '200'], '50');
const order = orderBy(['EPOCH', 'PENALTY'], 'EPOCH');

const columns: Column<Slashing>[] = [
  dateColumn(({ date }) => date),
  numberColumn('Epoch', ({ slashingEpoch }) => slashingEpoch, 'EPOCH'),
  validatorColumn('Validator', ({ validatorIndex }) => validatorIndex),
  {
    head: 'Operators',
    value: ({ operators }) => knownBy(operators).map(fullNameOf).join(', '),
    show: ({ operators }) => <OperatorLinks operators={knownBy(operators)} />,
  },
  gweiColumn('Penalties', ({ slashingPenalties }) => slashingPenalties, 'PENALTY'),
  gweiColumn('Balance before', ({ balanceBeforeSlashing }) => balanceBeforeSlashing),
  numberColumn('Withdrawable from epoch', ({ withdrawableEpoch }) => withdrawableEpoch),
];

const granularity = oneOf('granularity', ['week', 'month', 'quarter', 'year'], 'month');
const granularityNames = { week: 'Weeks', month: 'Months', quarter: 'Quarters', year: 'Years' };
const granularityValues = { week: 'WEEK', month: 'MONTH', quarter: 'QUARTER', year: 'YEAR' } as const;
type Granularity = keyof typeof granularityValues;

/** Plots and columns are constants, so that a plot is drawn again only when its rows change. */
const each = <T,>(make: (interval: Granularity) => T) =>
  Object.fromEntries(granularity.values.map((name) => [name, make(name)])) as Record<Granularity, T>;

const barsOf = (label: string, of: (row: Period) => number | null) =>
  each((interval) =>
    barsOver<Period>({
      date: (row) => spanStart(interval, dateOf(row)),
      series: [{ label, color: colors[4], value: of }],
      label,
      interval,
      format: shortCount,
      tip: (row) =>
        [
          spanName(interval, dateOf(row)),
          `${count(row.slashingCount)} slashed`,
          `Penalties ${eth(row.sumSlashingPenalties)}`,
        ].join('\n'),
    }),
  );
const counts = barsOf('Slashed validators', ({ slashingCount }) => slashingCount);
const penalties = barsOf('ETH', ({ sumSlashingPenalties }) => plotted(sumSlashingPenalties));

const periodColumns = each((interval): Column<Period>[] => [
  {
    head: 'Begins (UTC)',
    value: (row) => spanDate(interval, dateOf(row)),
    show: (row) => spanName(interval, dateOf(row)),
  },
  countColumn('Slashed', ({ slashingCount }) => slashingCount),
  gweiColumn('Penalties', ({ sumSlashingPenalties }) => sumSlashingPenalties),
  gweiColumn('Balance before', ({ sumBalanceBeforeSlashing }) => sumBalanceBeforeSlashing),
]);

type ByOperator = { id: string; operator: Operator; number: number; of: number; penalties: bigint };

/** Counts slashings by their operators of a class; those without one are left out. */
function grouped(rows: readonly Slashing[], idType: string): ByOperator[] {
  const groups = new Map<string, ByOperator>();
  for (const { operators, slashingPenalties } of rows)
    for (const operator of operators.filter((one) => one.idType === idType)) {
      const { id } = operator;
      const group = groups.get(id) ?? { id, operator, number: 0, of: rows.length, penalties: 0n };
      group.number += 1;
      group.penalties += BigInt(slashingPenalties);
      groups.set(id, group);
    }
  return [...groups.values()].sort((one, other) => other.number - one.number);
}

const operatorColumns = (params: Record<string, string>): Column<ByOperator>[] => [
  {
    head: 'Operator',
    value: ({ operator }) => fullNameOf(operator),
    show: ({ operator }) => (
      <OperatorLink operator={operator} name={fullNameOf(operator)} params={{ tab: 'events', ...params }} />
    ),
  },
  countColumn('Slashed', ({ number }) => number),
  {
    head: 'Share',
    csv: 'Share (0–1)',
    value: ({ number, of }) => number / of,
    show: ({ number, of }) => <Share value={number / of} text={ratio(number / of)} />,
    numeric: true,
  },
  gweiColumn('Penalties', ({ penalties }) => penalties.toString()),
];

function Sums({ data: { whole, slashings } }: { data: Data }) {
  const [all] = whole?.nodes ?? [];
  const number = all?.slashingCount ?? 0;
  const mean = all && (BigInt(all.sumSlashingPenalties) / BigInt(number)).toString();
  return (
    <Tiles>
      <Tile label="Slashed validators">{count(slashings?.totalCount)}</Tile>
      {all && (
        <Tile label="Penalties" unit="ETH" exact={eth(all.sumSlashingPenalties)} note="of all that fit">
          {shortEth(all.sumSlashingPenalties)}
        </Tile>
      )}
      {all && (
        <Tile label="Mean penalty" unit="ETH" exact={eth(mean)} note="for a validator">
          {shortEth(mean)}
        </Tile>
      )}
    </Tiles>
  );
}

/** Requests the page again when slashings are added, because its sums and order are the server's. */
function useAdded(network: Network): Live {
  return useLive<slashingsSubscription>({
    subscription: newSlashings,
    variables: { network },
    dataset: 'slashings',
    revisionOf: ({ slashingAdded }) => slashingAdded?.revision,
    onEvent: ({ slashingAdded }, reload) => {
      if (slashingAdded?.slashings.length || slashingAdded?.omitted) reload();
    },
  });
}

function variables({ network, search }: Place): slashingsQuery['variables'] {
  const operator = operatorOf(search);
  return {
    network,
    where: operator ? { operator } : {},
    ...askedOf(search),
    fromDate: fromDate.read(search) ?? null,
    toDate: toDate.read(search) ?? null,
    orderBy: order.read(search),
    granularity: granularityValues[granularity.read(search)],
    ...pageOf(search, Number(sizes.read(search))),
  };
}

function View({ data, place }: { data: Data; place: Place }) {
  const { network, search } = place;
  const { slashings } = data;
  const { where, fromDate, toDate, orderBy } = variables(place);
  const whole = wholeOf<slashingsWholeQuery, Slashing>(
    wholeQuery,
    { network, where, fromDate, toDate, orderBy },
    (all) => all.slashings,
  );
  const live = useAdded(network);
  const rows = slashings?.nodes ?? [];
  const [from, to] = [fromDate, toDate];
  const byOperator = useMemo(() => operatorColumns({ ...(from && { from }), ...(to && { to }) }), [from, to]);
  const operators = grouped(rows, classOf(classes.read(search)));
  const interval = granularity.read(search);
  const periods = data.slashingHistory?.nodes ?? [];
  const unknown = unknownOperator(search, data.operator);
  const empty = unknown ?? 'No slashing fits.';
  const isWhole = rows.length === slashings?.totalCount;
  return (
    <>
      <Heading title="Slashings" about="Validators that broke the rules of the chain, and what it cost them.">
        <RangeControl of={range} dates days="utc" />
      </Heading>
      <Filters names={['class', 'operator']}>
        <OperatorFilter isUnknown={unknown !== undefined} />
        <Choice param={granularity} label="Periods of the plots" names={granularityNames} />
        <Choice param={sizes} label="Slashings a page" />
      </Filters>
      <Sums data={data} />
      <div className="figures">
        <div className="stack">
          <Figure
            title="Slashings over time"
            note="All slashings that fit, by UTC date of their epoch."
            columns={periodColumns[interval]}
            rows={periods}
            draw={counts[interval]}
            empty={empty}
          />
          <Figure
            title="Penalties over time"
            note="What all slashings that fit cost, by UTC date of their epoch, in ETH."
            columns={periodColumns[interval]}
            rows={periods}
            draw={penalties[interval]}
            empty={empty}
          />
        </div>
        <Figure
          title={isWhole ? 'By operator' : 'By operator, on this page'}
          note={`Of ${isWhole ? 'all slashings that fit' : `the ${count(rows.length)} slashings on this page, not of all ${count(slashings?.totalCount)}`}, by operators of the class chosen above.`}
          columns={byOperator}
          rows={operators}
          empty="None of these validators has an operator of this class."
        />
        <PagedFigure
          title="Slashed validators"
          wide
          note={<LiveNote of={live} rows="slashings" />}
          columns={columns}
          of={slashings}
          whole={whole}
          label="slashings"
          order={order}
          empty={empty}
        />
      </div>
    </>
  );
}

export default page<slashingsQuery>({ query, variables, View });
