import { lazy } from 'react';
import { graphql } from 'react-relay';
import { Link, useSearchParams } from 'react-router';
import type { operatorQuery } from '../__generated__/operatorQuery.graphql';
import { missing } from '../api/failure.ts';
import { granularities, granularityNames as rewardGranularityNames } from '../figures/periods.ts';
import { type Place, page } from '../page.tsx';
import { Select } from '../parts/controls.tsx';
import { Heading } from '../parts/heading.tsx';
import { classNames, labelsOf, longNameOf } from '../parts/operators.tsx';
import { PageLink } from '../parts/page-links.tsx';
import { RangeControl } from '../parts/range.tsx';
import { type Tab, Tabs, tabs } from '../parts/tabs.tsx';
import { paths, slugOf } from '../url/links.ts';
import { calendars, chainDate } from '../url/range.ts';
import { useHref } from '../url/use-network.ts';
import { entityRanges, eventRange, rangeOf, windowNote, windowOf } from '../url/windows.ts';
import { granularity, granularityNames, withoutHours } from './operator/operator-periods.ts';
import { variables } from './operator/operator-variables.ts';

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
    $slashedFirst: Int
    $slashedAfter: String
    $slashedLast: Int
    $slashedBefore: String
    $missedFirst: Int
    $missedAfter: String
    $missedLast: Int
    $missedBefore: String
    $movesFirst: Int
    $movesAfter: String
    $movesLast: Int
    $movesBefore: String
    $slashings: SlashingWhere
    $missed: BlockWhere
    $onSummary: Boolean!
    $onPerformance: Boolean!
    $onRewards: Boolean!
    $onValidators: Boolean!
    $hasEvents: Boolean!
    $isOverTime: Boolean!
    $onEvents: Boolean!
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
      summary(window: $window) {
        ...operatorWindows_summary @relay(mask: false)
        asOf {
          epoch
          time
        }
      }
      ...operatorSummary_operator @relay(mask: false)
      ...operatorShares_operator @relay(mask: false)
      ...operatorPerformance_operator @relay(mask: false)
      ...operatorRewards_operator @relay(mask: false)
      ...operatorValidators_operator @relay(mask: false)
      ...operatorEvents_operator @relay(mask: false)
    }
    slashings(
      network: $network
      where: $slashings
      fromDate: $fromDate
      toDate: $toDate
      first: $slashedFirst
      after: $slashedAfter
      last: $slashedLast
      before: $slashedBefore
    ) @include(if: $hasEvents) {
      totalCount
      pageInfo {
        ...pager_pageInfo @relay(mask: false)
      }
      nodes {
        ...slashingFigure_slashing @relay(mask: false)
      }
    }
    missed: blocks(
      network: $network
      where: $missed
      fromDate: $fromDate
      toDate: $toDate
      first: $missedFirst
      after: $missedAfter
      last: $missedLast
      before: $missedBefore
    ) @include(if: $hasEvents) {
      totalCount
      storedFrom
      pageInfo {
        ...pager_pageInfo @relay(mask: false)
      }
      nodes {
        id
        consensusSlot
        blockTimestamp
        validatorIndex
        missedConsensusRewards
      }
    }
  }
`;

type Data = operatorQuery['response'];

/** The files of the tabs. */
const files = {
  summary: () => import('./operator/operator-summary.tsx'),
  performance: () => import('./operator/operator-performance.tsx'),
  rewards: () => import('./operator/operator-rewards.tsx'),
  validators: () => import('./operator/operator-validators.tsx'),
  events: () => import('./operator/operator-events.tsx'),
};
const Summary = lazy(async () => ({ default: (await files.summary()).Summary }));
const Performance = lazy(async () => ({ default: (await files.performance()).OperatorPerformance }));
const Rewards = lazy(async () => ({ default: (await files.rewards()).OperatorRewards }));
const Validators = lazy(async () => ({ default: (await files.validators()).Validators }));
const Events = lazy(async () => ({ default: (await files.events()).Events }));

/** The range of the tab; validators have none, and events no windows. */
function TabRange({ tab, newest }: { tab: Tab; newest: string | undefined }) {
  const [search] = useSearchParams();
  if (tab === 'validators') return null;
  if (tab === 'events') return <RangeControl of={eventRange} dates days="utc" />;
  const isOfWindow = tab === 'summary';
  return (
    <>
      <RangeControl
        of={entityRanges}
        dates
        calendar={!isOfWindow}
        lastDay={isOfWindow || calendars.read(search) === 'chain' ? newest : undefined}
      />
      {tab === 'performance' && <Select param={granularity} label="Granularity" names={granularityNames} />}
      {tab === 'rewards' && (
        <Select param={granularities} label="Granularity" names={rewardGranularityNames} />
      )}
    </>
  );
}

/** Tags, and the pool and node operator of a pool share, as links. */
function Labels({ operator: { idType, operatorTags } }: { operator: NonNullable<Data['operator']> }) {
  const href = useHref();
  return (
    <span className="chips">
      {labelsOf(idType, operatorTags).map(({ name, operator }) => (
        <Link
          key={name}
          className="chip"
          to={
            operator
              ? href(paths.operator(operator.idType, operator.operatorId))
              : href('/explore/operators', { class: slugOf(idType), tag: name })
          }
        >
          {name}
        </Link>
      ))}
    </span>
  );
}

function View({ data, place }: { data: Data; place: Place }) {
  const href = useHref();
  const { operator } = data;
  if (!operator) throw missing(`No operator of this class and network is named ${place.params.id}.`);
  const { idType, operatorId } = operator;
  const kind = slugOf(idType).replaceAll('-', ' ');
  const listed = slugOf(idType) in classNames;
  const name = longNameOf(operator);
  const note = windowNote(place.search, entityRanges);
  const tab = tabs.read(place.search);
  const ofWindow = rangeOf(windowOf(place.search, entityRanges));
  return (
    <>
      <Heading
        title={name}
        about={
          <>
            <PageLink
              to={
                listed
                  ? `/explore/operators?${new URLSearchParams({ class: slugOf(idType), ...ofWindow })}`
                  : ''
              }
            >
              {kind}
            </PageLink>
            {name !== operatorId && ` ${operatorId}`} <Labels operator={operator} />
          </>
        }
        asOf={operator.summary?.asOf}
        actions={
          <Link className="button" to={href('/explore/compare', { id: operator.id, ...ofWindow })}>
            Compare
          </Link>
        }
      >
        <TabRange tab={tab} newest={chainDate(operator.summary?.asOf)} />
      </Heading>
      <Tabs
        label="Parts of the operator"
        also={(to, given) => (to === 'rewards' ? withoutHours(given) : {})}
      />
      {tab === 'summary' && <Summary operator={operator} note={note} />}
      {tab === 'performance' && <Performance operator={operator} />}
      {tab === 'rewards' && <Rewards operator={operator} />}
      {tab === 'validators' && <Validators operator={operator} />}
      {tab === 'events' && <Events data={data} operator={operator} />}
    </>
  );
}

export default page<operatorQuery>({
  query,
  variables,
  files: ({ search }) => files[tabs.read(search)](),
  View,
});
