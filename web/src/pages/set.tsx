import { graphql } from 'react-relay';
import { Link } from 'react-router';
import type { setQuery } from '../__generated__/setQuery.graphql';
import { missing } from '../api/failure.ts';
import { granularities, granularityNames, periodRanges, periodsOf } from '../figures/periods.ts';
import { page } from '../page.tsx';
import { Choice } from '../parts/controls.tsx';
import { momentUtc } from '../parts/format.ts';
import { Heading } from '../parts/heading.tsx';
import { RangeControl } from '../parts/range.tsx';
import { SetProgress } from '../parts/set-progress.tsx';
import { paths } from '../url/links.ts';
import { pageOf } from '../url/url-state.ts';
import { useHref } from '../url/use-network.ts';
import { Delete, Rename } from './set/set-actions.tsx';
import { SetFigures } from './set/set-figures.tsx';
import { Members, Paste } from './set/set-members.tsx';

const query = graphql`
  query setQuery(
    $setId: ID!
    $granularity: Granularity!
    $utc: Boolean!
    $fromDate: Date
    $toDate: Date
    $periods: Int!
    $first: Int
    $after: String
    $last: Int
    $before: String
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
      summary(window: THIRTY_DAYS) {
        networkPenetration
        ...makeup_summary @relay(mask: false)
      }
      rewards(
        granularity: $granularity
        utc: $utc
        fromDate: $fromDate
        toDate: $toDate
        orderBy: { field: PERIOD, direction: ASC }
        last: $periods
      ) {
        nodes {
          ...recordFigures_rewards @relay(mask: false)
          endTimestamp
          endEpoch
          validatorCount
        }
      }
      effectiveness(
        granularity: $granularity
        utc: $utc
        fromDate: $fromDate
        toDate: $toDate
        orderBy: { field: PERIOD, direction: ASC }
        last: $periods
      ) {
        nodes {
          ...recordFigures_effectiveness @relay(mask: false)
        }
      }
      attestations(
        granularity: $granularity
        utc: $utc
        fromDate: $fromDate
        toDate: $toDate
        orderBy: { field: PERIOD, direction: ASC }
        last: $periods
      ) {
        nodes {
          ...recordFigures_attestations @relay(mask: false)
        }
      }
      proposals(
        granularity: $granularity
        utc: $utc
        fromDate: $fromDate
        toDate: $toDate
        orderBy: { field: PERIOD, direction: ASC }
        last: $periods
      ) {
        nodes {
          id
          date
          startDate
          endDate
          proposedCount
          missedProposalCount
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
          addedAt
        }
      }
    }
  }
`;

type Data = setQuery['response'];

const PAGE_SIZE = 50;

const reportParams = (time: string | undefined): Record<string, string> =>
  time ? { month: time.slice(0, 7) } : {};

function View({ data }: { data: Data }) {
  const { privateSet: set } = data;
  const href = useHref(set?.network);
  if (!set) throw missing('Your account has no set with this id.');
  const lastRow = set.rewards?.nodes.at(-1);
  const asOf = lastRow && { epoch: lastRow.endEpoch, time: lastRow.endTimestamp };
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
        asOf={asOf}
      >
        <RangeControl of={periodRanges} dates calendar />
        <Choice param={granularities} label="Length of a period" names={granularityNames} />
        <Link className="button" to={href(paths.report(set.setId), reportParams(lastRow?.endTimestamp))}>
          A month's report
        </Link>
        <Rename key={set.name} set={set} />
        <Delete set={set} />
      </Heading>
      <SetProgress of={set.progress} />
      <SetFigures set={set} />
      <div className="beside">
        <Members set={set} />
        <Paste setId={set.setId} />
      </div>
    </>
  );
}

export default page<setQuery>({
  query,
  variables: ({ params, search }) => {
    const { last, ...periods } = periodsOf(search);
    return { setId: params.setId ?? '', periods: last, ...periods, ...pageOf(search, PAGE_SIZE) };
  },
  View,
});
