import { lazy } from 'react';
import { graphql } from 'react-relay';
import { Link } from 'react-router';
import type { setQuery } from '../__generated__/setQuery.graphql';
import { missing } from '../api/failure.ts';
import { granularities, granularityNames, periodsOf } from '../figures/periods.ts';
import { type Place, page } from '../page.tsx';
import { Select } from '../parts/controls.tsx';
import { momentUtc } from '../parts/format.ts';
import { Heading } from '../parts/heading.tsx';
import { RangeControl } from '../parts/range.tsx';
import { SetProgress } from '../parts/set-progress.tsx';
import { type Tab, Tabs, tabs } from '../parts/tabs.tsx';
import { paths } from '../url/links.ts';
import { setCalendars } from '../url/range.ts';
import { listOf, pageOf } from '../url/url-state.ts';
import { useHref } from '../url/use-network.ts';
import { entityRanges, eventRange, rangeOf, windowOf } from '../url/windows.ts';
import { Delete, Rename } from './set/set-actions.tsx';

const query = graphql`
  query setQuery(
    $setId: ID!
    $window: TimeWindow!
    $granularity: Granularity!
    $utc: Boolean!
    $fromDate: Date
    $toDate: Date
    $periods: Int!
    $first: Int
    $after: String
    $last: Int
    $before: String
    $slashedFirst: Int
    $slashedAfter: String
    $slashedLast: Int
    $slashedBefore: String
    $movesFirst: Int
    $movesAfter: String
    $movesLast: Int
    $movesBefore: String
    $onSummary: Boolean!
    $onPerformance: Boolean!
    $onValidators: Boolean!
    $onEvents: Boolean!
    $hasEffectiveness: Boolean!
    $hasRewards: Boolean!
    $isOverTime: Boolean!
  ) {
    privateSet(setId: $setId) {
      id
      setId
      name
      network
      createdAt
      createdBy
      progress {
        completeFrom
        share
      }
      summary(window: $window) {
        ...operatorWindows_summary @relay(mask: false)
      }
      newest: rewards(utc: $utc, first: 1) {
        nodes {
          id
          date
          endEpoch
          endTimestamp
        }
      }
      ...setSummary_set @relay(mask: false)
      ...setPerformance_set @relay(mask: false)
      ...setRewards_set @relay(mask: false)
      ...setMembers_set @relay(mask: false)
      ...setEvents_set @relay(mask: false)
    }
  }
`;

type Data = setQuery['response'];

const PAGE_SIZE = 50;
const EVENTS = 20;

/** The files of the tabs. */
const files = {
  summary: () => import('./set/set-summary.tsx'),
  performance: () => import('./set/set-performance.tsx'),
  rewards: () => import('./set/set-rewards.tsx'),
  validators: () => import('./set/set-members.tsx'),
  events: () => import('./set/set-events.tsx'),
};
const Summary = lazy(async () => ({ default: (await files.summary()).Summary }));
const Performance = lazy(async () => ({ default: (await files.performance()).SetPerformance }));
const Rewards = lazy(async () => ({ default: (await files.rewards()).SetRewards }));
const Members = lazy(async () => ({ default: (await files.validators()).Members }));
const Events = lazy(async () => ({ default: (await files.events()).Events }));

function variables({ params, search }: Place): setQuery['variables'] {
  const tab = tabs.read(search);
  const isOf = (...of: Tab[]) => of.includes(tab);
  return {
    setId: params.setId ?? '',
    window: windowOf(search, entityRanges),
    ...periodsOf(search, entityRanges, granularities.read(search), setCalendars),
    ...pageOf(search, PAGE_SIZE),
    ...listOf(search, EVENTS, 'slashed'),
    ...listOf(search, EVENTS, 'moves'),
    onSummary: isOf('summary'),
    onPerformance: isOf('performance'),
    onValidators: isOf('validators'),
    onEvents: isOf('events'),
    hasEffectiveness: isOf('summary', 'performance'),
    hasRewards: isOf('summary', 'rewards'),
    isOverTime: isOf('performance', 'rewards'),
  };
}

/** The range of the tab; validators have none, and events no windows. */
function TabRange({ tab, newest }: { tab: Tab; newest: string | null | undefined }) {
  if (tab === 'validators') return null;
  if (tab === 'events') return <RangeControl of={eventRange} dates calendar={setCalendars} />;
  return (
    <>
      <RangeControl of={entityRanges} dates calendar={setCalendars} lastDay={newest} />
      <Select param={granularities} label="Granularity" names={granularityNames} />
    </>
  );
}

/** Parameters of the report: the newest month with days, in the calendar of the page. */
function reportParams(search: URLSearchParams, newest: string | null | undefined): Record<string, string> {
  const calendar = setCalendars.write(setCalendars.read(search));
  return { ...(newest && { month: newest.slice(0, 7) }), ...(calendar && { calendar }) };
}

function View({ data, place: { search } }: { data: Data; place: Place }) {
  const { privateSet: set } = data;
  const href = useHref(set?.network);
  if (!set) throw missing('Your account has no set with this id.');
  const tab = tabs.read(search);
  const [day] = set.newest?.nodes ?? [];
  return (
    <>
      <Heading
        title={set.name}
        about={
          <>
            <Link to={href('/explore/sets')}>My sets</Link> · {set.network.toLowerCase()} · made{' '}
            {momentUtc(set.createdAt)} by the token {set.createdBy}
          </>
        }
        asOf={day && { epoch: day.endEpoch, time: day.endTimestamp }}
        actions={
          <>
            <Link className="button" to={href(paths.report(set.setId), reportParams(search, day?.date))}>
              A month's report
            </Link>
            <Link
              className="button"
              to={href('/explore/compare', { id: set.id, ...rangeOf(windowOf(search, entityRanges)) })}
            >
              Compare
            </Link>
            {tab === 'validators' && (
              <>
                <Rename key={set.name} set={set} />
                <Delete set={set} />
              </>
            )}
          </>
        }
      >
        <TabRange tab={tab} newest={day?.date} />
      </Heading>
      <SetProgress of={set.progress} />
      <Tabs label="Parts of the set" />
      {tab === 'summary' && <Summary set={set} />}
      {tab === 'performance' && <Performance set={set} />}
      {tab === 'rewards' && <Rewards set={set} />}
      {tab === 'validators' && <Members set={set} />}
      {tab === 'events' && <Events set={set} />}
    </>
  );
}

export default page<setQuery>({
  query,
  variables,
  files: ({ search }) => files[tabs.read(search)](),
  View,
});
