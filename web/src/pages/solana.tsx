import { useMemo } from 'react';
import { graphql } from 'react-relay';
import type { solanaQuery } from '../__generated__/solanaQuery.graphql';
import type { solanaWholeQuery } from '../__generated__/solanaWholeQuery.graphql';
import { Figure } from '../figures/figure.tsx';
import { PagedFigure } from '../figures/paged-figure.tsx';
import { wholeOf } from '../figures/whole-list.tsx';
import { type Place, page } from '../page.tsx';
import { Choice } from '../parts/controls.tsx';
import { calendarDate, count, shortHex } from '../parts/format.ts';
import { Heading } from '../parts/heading.tsx';
import { RangeControl } from '../parts/range.tsx';
import { TileList } from '../parts/tiles.tsx';
import { Notice } from '../states.tsx';
import { hasHistory, NO_HISTORY, windowNote } from '../url/windows.ts';
import {
  AuthorityLink,
  apy,
  authorityColumnsIn,
  concentration,
  dayColumns,
  gini,
  oneColumns,
  oneStake,
  pointColumns,
  pointsOf,
  stake,
  validatorColumns,
  yields,
} from './solana/solana-figures.tsx';
import { tilesOf } from './solana/solana-tiles.tsx';
import { authority, order, range, typeNames, types, variables } from './solana/solana-variables.ts';

const query = graphql`
  query solanaQuery(
    $window: TimeWindow!
    $days: Int!
    $fromDate: Date
    $toDate: Date
    $hasHistory: Boolean!
    $type: StakeAuthorityType
    $orderBy: StakeAuthorityOrder!
    $first: Int
    $after: String
    $last: Int
    $before: String
    $authority: String!
    $one: Boolean!
  ) {
    solanaNetworkOverview(window: ONE_DAY) {
      activeValidatorCount
      activeValidatorCountDiff
      totalDelegatedStake
      giniCoefficient
      validatorApy
      delegatorApy
      networkEffectiveness
      networkVoteSuccessRate
      networkMissedBlocksRate
      networkVotingLatency
      activeDelegatorStakeAuthorityCount
      activeDelegatorStakeAccountCount
      asOf {
        epoch
        time
      }
      stakeConcentration {
        id
        rank
        delegatedStake
      }
      history(fromDate: $fromDate, toDate: $toDate, orderBy: { field: DATE, direction: ASC }, last: $days) {
        nodes {
          id
          date
          giniCoefficient
          totalDelegatedStake
          validatorApy
          delegatorApy
          activeValidatorCount
          networkMissedBlocksRate
        }
      }
    }
    stakeAuthorities(
      window: $window
      type: $type
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
        ...solana_authority @relay(mask: false)
      }
    }
    stakeAuthority(stakeAuthority: $authority) @include(if: $one) {
      id
      stakeAuthority
      poolName
      history(window: $window, fromDate: $fromDate, toDate: $toDate, orderBy: { field: DATE, direction: ASC }, last: $days) @include(if: $hasHistory) {
        nodes {
          id
          date
          delegatedStake
          networkPenetration
          delegatorApy
          aggregateValidatorEffectiveness
        }
      }
    }
    networkValidators(network: SOLANA, orderBy: { field: VALIDATOR_REWARDS, direction: DESC }, first: 20) {
      totalCount
      nodes {
        id
        date
        validator
        displayName
        validatorRewards
        delegatorRewards
      }
    }
  }
`;

graphql`
  fragment solana_authority on StakeAuthority {
    stakeAuthority
    poolName
    summary(window: $window) {
      delegatedStake
      networkPenetration
      delegatorApy
      validatorDelegates
      blendedVoteCommissionRate
      aggregateValidatorEffectiveness
      change(over: $window) {
        networkPenetration
        delegatedStake
      }
    }
  }
`;

const wholeQuery = graphql`
  query solanaWholeQuery(
    $window: TimeWindow!
    $type: StakeAuthorityType
    $orderBy: StakeAuthorityOrder!
    $first: Int!
    $after: String
  ) {
    stakeAuthorities(window: $window, type: $type, orderBy: $orderBy, first: $first, after: $after) {
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        id
        ...solana_authority @relay(mask: false)
      }
    }
  }
`;

type Data = solanaQuery['response'];
type Authority = NonNullable<Data['stakeAuthorities']>['nodes'][number];

function View({ data, place }: { data: Data; place: Place }) {
  const chosen = authority.read(place.search);
  const one = data.stakeAuthority;
  const { solanaNetworkOverview: overview, stakeAuthorities, networkValidators } = data;
  const points = useMemo(() => (overview ? pointsOf(overview) : []), [overview]);
  if (!overview)
    return (
      <Notice kind="empty" title="No figures of Solana are stored">
        <p>Choose another window, or import them.</p>
      </Notice>
    );
  const history = overview.history?.nodes ?? [];
  const day = networkValidators?.nodes[0]?.date;
  const note = windowNote(place.search, range);
  const { window, type = null, orderBy } = variables(place);
  const whole = wholeOf<solanaWholeQuery, Authority>(
    wholeQuery,
    { window, type, orderBy },
    (all) => all.stakeAuthorities,
  );
  return (
    <>
      <Heading title="Solana" asOf={overview.asOf} by="epoch">
        <RangeControl of={range} dates days="utc" lastDay={overview.asOf?.time.slice(0, 10)} />
      </Heading>
      <TileList tiles={tilesOf(overview, history)} />
      <div className="figures">
        <Figure
          title="Concentration of stake"
          note={`Share that the largest of ${count(points.at(-1)?.rank)} stored stake authorities have of all delegated stake. The lines are at a third and a half.`}
          columns={pointColumns}
          parts={[overview.stakeConcentration, 'solanaNetworkOverview.totalDelegatedStake']}
          rows={points}
          draw={concentration}
          empty="No stake authority of this window is stored."
        />
        <Figure
          title="Gini coefficient"
          note="Inequality of stake among validators, from 0 (equal) to 1, by day."
          columns={dayColumns}
          rows={history}
          draw={gini}
        />
        <Figure
          title="Delegated stake"
          note="Stake delegated to validators, in SOL, by day."
          columns={dayColumns}
          rows={history}
          draw={stake}
        />
        <Figure
          title="Yields"
          note="Yearly yield of validators and of delegators, by day."
          columns={dayColumns}
          rows={history}
          draw={apy}
          series={yields}
        />
        {chosen && (
          <Figure
            wide
            title={`Stake of ${one?.poolName ?? shortHex(chosen)}`}
            note={
              <>
                What this stake authority delegates, in SOL, by day. <code>{chosen}</code>
              </>
            }
            columns={oneColumns}
            rows={one?.history?.nodes ?? []}
            draw={oneStake}
            controls={<AuthorityLink>All stake authorities</AuthorityLink>}
            empty={hasHistory(place.search, range) ? 'No day of this stake authority is stored.' : NO_HISTORY}
          />
        )}
        <PagedFigure
          wide
          title="Stake authorities"
          note={`Who decides where stake is delegated${note ? `. Figures of stake authorities are ${note}` : ''}.`}
          columns={authorityColumnsIn[window]}
          of={stakeAuthorities}
          whole={whole}
          isRanked
          label="stake authorities"
          order={order}
          controls={<Choice param={types} label="Type" names={typeNames} />}
          empty="No stake authority has this type."
        />
        <Figure
          wide
          title="Largest validators"
          note={`By what they earned on ${calendarDate(day)} (UTC).`}
          columns={validatorColumns}
          rows={networkValidators?.nodes ?? []}
          empty="No rewards of validators are stored."
        />
      </div>
    </>
  );
}

export default page<solanaQuery>({ query, variables, View });
