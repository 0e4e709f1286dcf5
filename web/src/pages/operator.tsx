import { graphql } from 'react-relay';
import type { operatorQuery } from '../__generated__/operatorQuery.graphql';
import { missing } from '../api/failure.ts';
import { Makeup } from '../figures/makeup.tsx';
import { type Place, page } from '../page.tsx';
import { Heading } from '../parts/heading.tsx';
import { classNames, longNameOf } from '../parts/operators.tsx';
import { PageLink } from '../parts/page-links.tsx';
import { RangeControl } from '../parts/range.tsx';
import { idTypeOf, slugOf } from '../url/links.ts';
import { listOf, pageOf } from '../url/url-state.ts';
import { hasHistory, windowNote, windowOf } from '../url/windows.ts';
import { Comparison } from './operator/operator-comparison.tsx';
import { Events, PoolShares, SHARES } from './operator/operator-lists.tsx';
import { OverTime, operatorRanges, periodsOf } from './operator/operator-over-time.tsx';
import { comparedIn } from './operator/operator-picker.tsx';
import { FourWindows, Labels, Newest } from './operator/operator-summary.tsx';

const query = graphql`
  query operatorQuery(
    $network: Network!
    $idType: OperatorIdType!
    $operatorId: String!
    $window: TimeWindow!
    $granularity: Granularity!
    $utc: Boolean!
    $fromDate: Date
    $toDate: Date
    $periods: Int!
    $days: Int!
    $hasHistory: Boolean!
    $first: Int
    $after: String
    $last: Int
    $before: String
    $sharesFirst: Int
    $sharesAfter: String
    $sharesLast: Int
    $sharesBefore: String
    $compare: [ID!]!
    $compares: Boolean!
  ) {
    operator(network: $network, operatorId: $operatorId, idType: $idType) {
      id
      idType
      operatorId
      displayName
      operatorTags {
        name
        operator {
          id
          idType
          operatorId
          displayName
        }
      }
      oneDay: summary(window: ONE_DAY) {
        ...operator_summary @relay(mask: false)
      }
      sevenDays: summary(window: SEVEN_DAYS) {
        ...operator_summary @relay(mask: false)
      }
      thirtyDays: summary(window: THIRTY_DAYS) {
        ...operator_summary @relay(mask: false)
      }
      allTime: summary(window: ALL) {
        ...operator_summary @relay(mask: false)
      }
      summary(window: $window) {
        ...operator_summary @relay(mask: false)
        asOf {
          epoch
          time
        }
        change(over: SEVEN_DAYS) {
          since
          networkPenetration
          avgValidatorEffectiveness
          aprPercentage
          validatorCount
        }
        ...makeup_summary @relay(mask: false)
      }
      history(window: $window, orderBy: { field: DATE, direction: ASC }, last: $days) @include(if: $hasHistory) {
        ...operator_history @relay(mask: false)
      }
      effectiveness(
        granularity: $granularity
        utc: $utc
        fromDate: $fromDate
        toDate: $toDate
        orderBy: { field: PERIOD, direction: DESC }
        first: $periods
      ) {
        nodes {
          id
          date
          startDate
          endDate
          startTimestamp
          endTimestamp
          avgValidatorEffectiveness
          avgAttesterEffectiveness
          avgUptime
        }
      }
      attestations(
        granularity: $granularity
        utc: $utc
        fromDate: $fromDate
        toDate: $toDate
        orderBy: { field: PERIOD, direction: DESC }
        first: $periods
      ) {
        pageInfo {
          hasNextPage
        }
        nodes {
          id
          date
          startDate
          endDate
          startTimestamp
          endTimestamp
          avgAttesterEffectiveness
          sumMissedAttestations
          sumWrongHeadVotes
          sumWrongTargetVotes
          sumLateSourceVotes
          sumLateTargetVotes
          totalUniqueAttestations
        }
      }
      poolShares(
        window: $window
        first: $sharesFirst
        after: $sharesAfter
        last: $sharesLast
        before: $sharesBefore
      ) {
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
      validators(first: $first, after: $after, last: $last, before: $before) {
        totalCount
        pageInfo {
          ...pager_pageInfo @relay(mask: false)
        }
        nodes {
          id
          validatorIndex
          validatorPubkey
          status
          slashed
          activationEpoch
          exitEpoch
        }
      }
      slashings(orderBy: { field: EPOCH, direction: DESC }, first: 20) {
        totalCount
        nodes {
          id
          date
          slashingEpoch
          validatorIndex
          slashingPenalties
        }
      }
      consolidations(orderBy: { field: EPOCH, direction: DESC }, first: 20) {
        totalCount
        nodes {
          id
          timestamp
          sourceValidatorIndex
          targetValidatorIndex
          consolidatedBalance
        }
      }
    }
    compared: operators(network: $network, window: $window, ids: $compare) @include(if: $compares) {
      nodes {
        id
        idType
        operatorId
        displayName
        summary(window: $window) {
          ...operator_summary @relay(mask: false)
        }
        history(window: $window, orderBy: { field: DATE, direction: ASC }, last: $days) @include(if: $hasHistory) {
          ...operator_history @relay(mask: false)
        }
      }
    }
  }
`;

graphql`
  fragment operator_summary on OperatorSummary {
    validatorCount
    networkPenetration
    sumEndEpochEffectiveBalance
    avgValidatorEffectiveness
    aprPercentage
    avgUptime
    avgCorrectness
    avgInclusionDelay
  }
`;

graphql`
  fragment operator_history on OperatorHistoryConnection {
    nodes {
      id
      date
      avgValidatorEffectiveness
      aprPercentage
      networkPenetration
      validatorCount
    }
  }
`;

type Data = operatorQuery['response'];

const PAGE_SIZE = 20;
const DAYS = 90;

function variables({ network, search, params }: Place): operatorQuery['variables'] {
  const compare = comparedIn(search);
  return {
    network,
    idType: idTypeOf(params.idType),
    operatorId: params.id ?? '',
    window: windowOf(search, operatorRanges),
    ...periodsOf(search),
    days: DAYS,
    hasHistory: hasHistory(search, operatorRanges),
    ...pageOf(search, PAGE_SIZE),
    ...listOf(search, PAGE_SIZE, SHARES),
    compare,
    compares: compare.length > 0,
  };
}

function View({ data, place }: { data: Data; place: Place }) {
  const { operator, compared } = data;
  if (!operator) throw missing(`No operator of this class and network is named ${place.params.id}.`);
  const { idType, operatorId } = operator;
  const kind = slugOf(idType).replaceAll('-', ' ');
  const listed = slugOf(idType) in classNames;
  const name = longNameOf(operator);
  const note = windowNote(place.search, operatorRanges);
  return (
    <>
      <Heading
        title={name}
        about={
          <>
            <PageLink to={listed ? `/explore/operators?class=${slugOf(idType)}` : ''}>{kind}</PageLink>
            {name !== operatorId && ` ${operatorId}`} <Labels operator={operator} />
          </>
        }
        asOf={operator.summary?.asOf}
      >
        <RangeControl of={operatorRanges} dates calendar />
      </Heading>
      <Newest operator={operator} />
      {note && <p className="hint">The figures above, and those of its node operators, are {note}.</p>}
      <OverTime operator={operator} />
      <div className="figures">
        <FourWindows operator={operator} />
        <Makeup summary={operator.summary} />
        <PoolShares operator={operator} />
        <Events operator={operator} />
      </div>
      <Comparison operator={operator} others={compared?.nodes ?? []} />
    </>
  );
}

export default page<operatorQuery>({ query, variables, View });
