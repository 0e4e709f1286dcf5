import { useMemo } from 'react';
import { graphql } from 'react-relay';
import { useSearchParams } from 'react-router';
import type { operatorsQuery } from '../__generated__/operatorsQuery.graphql';
import type { operatorsWholeQuery } from '../__generated__/operatorsWholeQuery.graphql';
import { countColumn, gweiColumn, percentColumn } from '../figures/columns.tsx';
import { Figure } from '../figures/figure.tsx';
import { PagedFigure } from '../figures/paged-figure.tsx';
import type { Column } from '../figures/table.tsx';
import { wholeOf } from '../figures/whole-list.tsx';
import { type Place, page } from '../page.tsx';
import { PointChange } from '../parts/change.tsx';
import { ChangeLink, Choice, Field, Select } from '../parts/controls.tsx';
import { count } from '../parts/format.ts';
import { Heading } from '../parts/heading.tsx';
import { classNames, nameOf, OperatorLink, stakeShare, Tags } from '../parts/operators.tsx';
import { RangeControl } from '../parts/range.tsx';
import { Share } from '../parts/share.tsx';
import { Spark } from '../parts/spark.tsx';
import { hasPage, idTypeOf, paths } from '../url/links.ts';
import { integer, oneOf, orderBy, pageOf, text } from '../url/url-state.ts';
import { useHref } from '../url/use-network.ts';
import { hasHistory, windowOf, windows } from '../url/windows.ts';
import { dots, type Large, shareOf, treemap } from './operators/operators-pictures.ts';

const query = graphql`
  query operatorsQuery(
    $network: Network!
    $window: TimeWindow!
    $idType: OperatorIdType!
    $poolType: PoolType!
    $where: OperatorWhere
    $orderBy: OperatorOrder!
    $first: Int
    $after: String
    $last: Int
    $before: String
    $days: Int!
    $hasHistory: Boolean!
    $drawn: Int!
  ) {
    operators(
      network: $network
      window: $window
      idType: $idType
      poolType: $poolType
      where: $where
      orderBy: $orderBy
      first: $first
      after: $after
      last: $last
      before: $before
    ) {
      totalCount
      pageInfo {
        ...pager_pageInfo @relay(mask: false)
      }
      nodes {
        id
        ...operators_row @relay(mask: false)
        history(window: $window, orderBy: { field: DATE, direction: ASC }, last: $days) @include(if: $hasHistory) {
          nodes {
            id
            date
            avgValidatorEffectiveness
          }
        }
      }
    }
    largest: operators(
      network: $network
      window: $window
      idType: $idType
      poolType: $poolType
      where: $where
      orderBy: { field: NETWORK_PENETRATION, direction: DESC }
      first: $drawn
    ) {
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

graphql`
  fragment operators_row on Operator {
    idType
    operatorId
    displayName
    operatorTags {
      name
    }
    summary(window: $window) {
      validatorCount
      networkPenetration
      avgValidatorEffectiveness
      aprPercentage
      sumEndEpochEffectiveBalance
      missedProposalCount
      proposerDutyCount
      change(over: SEVEN_DAYS) {
        since
        networkPenetration
      }
      asOf {
        epoch
        time
      }
    }
  }
`;

const wholeQuery = graphql`
  query operatorsWholeQuery(
    $network: Network!
    $window: TimeWindow!
    $idType: OperatorIdType!
    $poolType: PoolType!
    $where: OperatorWhere
    $orderBy: OperatorOrder!
    $first: Int!
    $after: String
  ) {
    operators(
      network: $network
      window: $window
      idType: $idType
      poolType: $poolType
      where: $where
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
        ...operators_row @relay(mask: false)
      }
    }
  }
`;

type Data = operatorsQuery['response'];
type OfPage = NonNullable<Data['operators']>['nodes'][number];
/** Rows of the whole list have no history. */
type Row = Omit<OfPage, 'history'> & Partial<Pick<OfPage, 'history'>>;

const PAGE_SIZE = 20;
const TREND_DAYS = 30;
const DRAWN = 40;

const classes = oneOf(
  'class',
  ['pool', 'node-operator', 'pool-share', 'deposit-address', 'withdrawal-address'],
  'pool',
);
const poolTypes = oneOf('type', ['all', 'lst', 'cex'], 'all');
const poolTypeNames = { all: 'All', lst: 'Liquid staking', cex: 'Exchanges' };
const name = text('name');
const tag = text('tag');
const least = integer('min');
const filters = [name, tag, least, poolTypes];
const order = orderBy(
  [
    'NETWORK_PENETRATION',
    'NETWORK_PENETRATION_CHANGE',
    'VALIDATOR_COUNT',
    'AVG_VALIDATOR_EFFECTIVENESS',
    'MISSED_PROPOSAL_COUNT',
    'APR_PERCENTAGE',
    'OPERATOR_ID',
  ],
  'NETWORK_PENETRATION',
);

/** The server has no search by name among addresses. */
const hasNames = (slug: string) => !slug.endsWith('address');

function variables({ network, search }: Place): operatorsQuery['variables'] {
  const slug = classes.read(search);
  const where = {
    ...(hasNames(slug) && name.read(search) !== '' && { name: name.read(search) }),
    ...(tag.read(search) !== '' && { tags: [tag.read(search)] }),
    ...(least.read(search) !== undefined && { minValidators: least.read(search) }),
  };
  return {
    network,
    window: windowOf(search, windows),
    idType: idTypeOf(slug),
    poolType: slug === 'pool' ? (poolTypes.read(search).toUpperCase() as 'ALL') : 'ALL',
    where: Object.keys(where).length > 0 ? where : null,
    orderBy: order.read(search),
    ...pageOf(search, PAGE_SIZE),
    days: TREND_DAYS,
    hasHistory: hasHistory(search, windows),
    drawn: DRAWN,
  };
}

const trendOf = (row: Row) =>
  row.history?.nodes.map(({ avgValidatorEffectiveness }) => avgValidatorEffectiveness) ?? [];

const shareColumn = <R extends Pick<Large, 'summary'>>(largest: number): Column<R> => ({
  head: 'Share of stake',
  csv: 'Share of stake (0–1)',
  value: ({ summary }) => summary?.networkPenetration,
  show: ({ summary }) => (
    <Share
      value={summary?.networkPenetration ?? 0}
      of={largest || 1}
      text={stakeShare(summary?.networkPenetration)}
    />
  ),
  numeric: true,
  order: 'NETWORK_PENETRATION',
});

const validatorsColumn = countColumn<Pick<Large, 'summary'>>(
  'Validators',
  ({ summary }) => summary?.validatorCount,
  'VALIDATOR_COUNT',
);

const effectivenessColumn = percentColumn<Pick<Large, 'summary'>>(
  'Effectiveness',
  ({ summary }) => summary?.avgValidatorEffectiveness,
  'AVG_VALIDATOR_EFFECTIVENESS',
);

const changeOf = ({ summary }: Row) => {
  const by = summary?.change?.networkPenetration;
  return by == null ? null : Number((100 * by).toPrecision(15));
};

/** The server orders by the change of the window of the list. */
const changeColumn = (window: string): Column<Row> => ({
  head: '± 7 d (pp)',
  csv: 'Change of the share in 7 days (percentage points)',
  value: changeOf,
  show: (row) => <PointChange value={changeOf(row)} good="up" digits={3} />,
  numeric: true,
  ...(window === 'SEVEN_DAYS' && { order: 'NETWORK_PENETRATION_CHANGE' }),
});

const trendColumn: Column<Row> = {
  head: `${TREND_DAYS} days`,
  csv: `Effectiveness of ${TREND_DAYS} days (%), oldest first`,
  value: (row) => trendOf(row).join(' '),
  show: (row) => (
    <Spark values={trendOf(row)} label={`Effectiveness of ${nameOf(row)} in ${TREND_DAYS} days`} />
  ),
  isOfPage: true,
};

const missedColumn: Column<Row> = {
  ...countColumn<Row>(
    'Missed blocks',
    ({ summary }) => summary?.missedProposalCount,
    'MISSED_PROPOSAL_COUNT',
  ),
  show: ({ summary }) => (
    <span title={`of ${count(summary?.proposerDutyCount)} due`}>{count(summary?.missedProposalCount)}</span>
  ),
};

const labelsOf = ({ operatorTags }: Row) => operatorTags.map(({ name }) => name);

const columnsWith = (largest: number, window: string): Column<Row>[] => [
  {
    head: 'Operator',
    value: ({ operatorId }) => operatorId,
    show: (row) => <OperatorLink operator={row} />,
    order: 'OPERATOR_ID',
  },
  shareColumn(largest),
  changeColumn(window),
  validatorsColumn,
  effectivenessColumn,
  ...(window === 'ALL' ? [] : [trendColumn]),
  missedColumn,
  percentColumn('APR', ({ summary }) => summary?.aprPercentage, 'APR_PERCENTAGE'),
  gweiColumn('Stake', ({ summary }) => summary?.sumEndEpochEffectiveBalance),
  {
    head: 'Labels',
    value: (row) => labelsOf(row).join(', '),
    show: (row) => <Tags names={labelsOf(row)} />,
  },
];

const largeColumns = (largest: number): Column<Large>[] => [
  { head: 'Operator', value: ({ operatorId }) => operatorId, show: (row) => <OperatorLink operator={row} /> },
  shareColumn(largest),
  validatorsColumn,
  effectivenessColumn,
];

function Filters() {
  const [search] = useSearchParams();
  const slug = classes.read(search);
  const set = filters.some((one) => search.has(one.name));
  const none = Object.fromEntries(filters.map((one) => [one.name, undefined]));
  return (
    <search className="filters">
      <Select param={classes} label="Class" names={classNames} />
      {slug === 'pool' && <Choice param={poolTypes} label="Type of pool" names={poolTypeNames} />}
      {hasNames(slug) && <Field param={name} label="Name" type="search" />}
      <Field param={tag} label="Tag" type="search" />
      <Field param={least} label="Validators, at least" type="number" />
      {set && <ChangeLink changes={none}>Remove filters</ChangeLink>}
    </search>
  );
}

function View({ data, place }: { data: Data; place: Place }) {
  const { operators, largest } = data;
  const suffix = useHref()('');
  const rows = operators?.nodes ?? [];
  const nodes = largest?.nodes;
  const drawn = useMemo(
    () =>
      (nodes ?? []).map((node): Large => {
        const path = paths.operator(node.idType, node.operatorId);
        return { ...node, href: hasPage(path) ? path + suffix : undefined };
      }),
    [nodes, suffix],
  );
  const most = Math.max(0, ...drawn.map(shareOf));
  const hasTrend = hasHistory(place.search, windows);
  const title = classNames[classes.read(place.search)];
  const window = windowOf(place.search, windows);
  const columns = useMemo(() => columnsWith(most, window), [most, window]);
  const { network, idType, poolType, where, orderBy } = variables(place);
  const whole = wholeOf<operatorsWholeQuery, Row>(
    wholeQuery,
    { network, window, idType, poolType, where, orderBy },
    (all) => all.operators,
  );
  const empty = 'No operator matches. Change the filters, the class, or the network.';
  return (
    <>
      <Heading title="Operators" asOf={rows[0]?.summary?.asOf}>
        <RangeControl of={windows} />
      </Heading>
      <Filters />
      <div className="split">
        <PagedFigure
          title={title}
          note={`Figures of operators are stored for these four ranges. Shares are of the effective balance of all active validators, their changes in percentage points; ${
            hasTrend ? 'trends are the effectiveness, by day' : 'all time has no change and no trend by day'
          }.`}
          columns={columns}
          of={operators}
          whole={whole}
          isRanked
          label="operators"
          order={order}
          empty={empty}
        />
        <div>
          <Figure
            title="Share of stake"
            note={`The ${DRAWN} largest of the list, as parts of the stake of the network.`}
            columns={largeColumns(most)}
            rows={drawn}
            draw={treemap}
            empty={empty}
          />
          <Figure
            title="Effectiveness against size"
            note={`The ${DRAWN} largest of the list; areas are shares of stake. Click one to open it.`}
            columns={largeColumns(most)}
            rows={drawn}
            draw={dots}
            empty={empty}
          />
        </div>
      </div>
    </>
  );
}

export default page<operatorsQuery>({ query, variables, View });
