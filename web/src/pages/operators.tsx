import { useMemo } from 'react';
import { graphql } from 'react-relay';
import { useSearchParams } from 'react-router';
import type { operatorsQuery } from '../__generated__/operatorsQuery.graphql';
import type { operatorsWholeQuery } from '../__generated__/operatorsWholeQuery.graphql';
import { Figure } from '../figures/figure.tsx';
import { PagedFigure } from '../figures/paged-figure.tsx';
import { wholeOf } from '../figures/whole-list.tsx';
import { type Place, page } from '../page.tsx';
import { ChangeLink, Choice, Field, Select } from '../parts/controls.tsx';
import { Heading } from '../parts/heading.tsx';
import { classNames } from '../parts/operators.tsx';
import { RangeControl } from '../parts/range.tsx';
import { hasPage, paths } from '../url/links.ts';
import { chainDate } from '../url/range.ts';
import { useHref } from '../url/use-network.ts';
import { hasHistory, rangeOf, windowOf, windows } from '../url/windows.ts';
import { columnsWith, type Data, largeColumns, mostOf, type Row } from './operators/operators-columns.tsx';
import { dots, type Large, treemap } from './operators/operators-pictures.ts';
import { restText } from './operators/operators-rest.ts';
import {
  classes,
  DRAWN,
  filters,
  hasNames,
  least,
  name,
  order,
  poolTypeNames,
  poolTypes,
  tag,
  variables,
} from './operators/operators-variables.ts';

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
    $hasRest: Boolean!
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
          missedProposalCount @include(if: $hasRest)
          proposerDutyCount @include(if: $hasRest)
        }
      }
    }
    networkOverview(network: $network, window: $window) @include(if: $hasRest) {
      endEpoch
      validatorCount
      missedProposalCount
      proposedCount
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
      change(over: $window) {
        networkPenetration
        sumEndEpochEffectiveBalance
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
  const href = useHref();
  const window = windowOf(place.search, windows);
  const rows = operators?.nodes ?? [];
  const nodes = largest?.nodes;
  const drawn = useMemo(
    () =>
      (nodes ?? []).slice(0, DRAWN).map((node): Large => {
        const path = paths.operator(node.idType, node.operatorId);
        return { ...node, href: hasPage(path) ? href(path, rangeOf(window)) : undefined };
      }),
    [nodes, href, window],
  );
  const most = mostOf(nodes);
  const hasTrend = hasHistory(place.search, windows);
  const title = classNames[classes.read(place.search)];
  const columns = useMemo(() => columnsWith(most, window), [most, window]);
  const large = useMemo(() => largeColumns(most, window), [most, window]);
  const { network, idType, poolType, where, orderBy } = variables(place);
  const whole = wholeOf<operatorsWholeQuery, Row>(
    wholeQuery,
    { network, window, idType, poolType, where, orderBy },
    (all) => all.operators,
  );
  const empty = 'No operator matches. Change the filters, the class, or the network.';
  const asOf = rows[0]?.summary?.asOf;
  return (
    <>
      <Heading title="Operators" asOf={asOf}>
        <RangeControl of={windows} lastDay={chainDate(asOf)} />
      </Heading>
      <Filters />
      <div className="split">
        <PagedFigure
          title={title}
          note={
            <>
              Figures of operators are stored for these four ranges.{' '}
              {hasTrend
                ? 'Changes are of the stake, and in percentage points of its share of all stake; trends are the effectiveness, by day.'
                : 'All time has no changes and no trend by day.'}{' '}
              {restText(data, idType)}
            </>
          }
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
            columns={large}
            rows={drawn}
            draw={treemap}
            empty={empty}
          />
          <Figure
            title="Effectiveness against size"
            note={`The ${DRAWN} largest of the list; areas are shares of stake. Click one to open it.`}
            columns={large}
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
