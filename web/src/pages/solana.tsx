import { graphql } from 'react-relay';
import type { solanaQuery } from '../__generated__/solanaQuery.graphql';
import { daysOf, PlotLength } from '../figures/days.tsx';
import { Figure } from '../figures/figure.tsx';
import { type Place, page } from '../page.tsx';
import { Choice } from '../parts/controls.tsx';
import { calendarDate, count, shortHex } from '../parts/format.ts';
import { Heading } from '../parts/heading.tsx';
import { Pager } from '../parts/pager.tsx';
import { TileList } from '../parts/tiles.tsx';
import { Notice } from '../states.tsx';
import { oneOf, orderBy, pageOf, text } from '../url/url-state.ts';
import { hasHistory, NO_HISTORY, windowNames, windowOf, windows } from '../url/windows.ts';
import {
  AuthorityLink,
  apy,
  authorityColumns,
  concentration,
  dayColumns,
  gini,
  oneColumns,
  oneStake,
  pointColumns,
  stake,
  tilesOf,
  validatorColumns,
  yields,
} from './solana/solana-figures.tsx';

const query = graphql`
  query solanaQuery(
    $window: TimeWindow!
    $days: Int!
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
    solanaNetworkOverview(window: $window) {
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
        ratio
      }
      history(orderBy: { field: DATE, direction: ASC }, last: $days) {
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
        stakeAuthority
        poolName
        summary(window: $window) {
          delegatedStake
          networkPenetration
          delegatorApy
          validatorDelegates
          blendedVoteCommissionRate
          aggregateValidatorEffectiveness
        }
      }
    }
    stakeAuthority(stakeAuthority: $authority) @include(if: $one) {
      id
      stakeAuthority
      poolName
      history(window: $window, orderBy: { field: DATE, direction: ASC }, last: $days) @include(if: $hasHistory) {
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

type Data = solanaQuery['response'];

const types = oneOf('type', ['all', 'pool', 'individual'], 'all');
const typeNames = { all: 'All', pool: 'Pools', individual: 'Individuals' };
const typeValues = { all: null, pool: 'POOL', individual: 'INDIVIDUAL' } as const;
const order = orderBy(
  [
    'DELEGATED_STAKE',
    'NETWORK_PENETRATION',
    'DELEGATOR_APY',
    'VALIDATOR_DELEGATES',
    'BLENDED_VOTE_COMMISSION_RATE',
    'POOL_NAME',
  ],
  'DELEGATED_STAKE',
);
const authority = text('authority');
const PAGE_SIZE = 20;

function View({ data, place }: { data: Data; place: Place }) {
  const chosen = authority.read(place.search);
  const one = data.stakeAuthority;
  const { solanaNetworkOverview: overview, stakeAuthorities, networkValidators } = data;
  if (!overview)
    return (
      <Notice kind="empty" title="No figures of Solana are stored">
        <p>Choose another window, or import them.</p>
      </Notice>
    );
  const history = overview.history?.nodes ?? [];
  const points = overview.stakeConcentration;
  const day = networkValidators?.nodes[0]?.date;
  return (
    <>
      <Heading title="Solana" asOf={overview.asOf}>
        <Choice param={windows} label="Window of the figures" names={windowNames} />
        <PlotLength />
      </Heading>
      <TileList tiles={tilesOf(overview)} />
      <div className="figures">
        <Figure
          title="Concentration of stake"
          note={`Share of the stake that the largest of all ${count(points.at(-1)?.rank)} stake authorities have together. The lines are at a third and a half.`}
          columns={pointColumns}
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
            empty={hasHistory(place.search) ? 'No day of this stake authority is stored.' : NO_HISTORY}
          />
        )}
        <Figure
          wide
          title="Stake authorities"
          note="Who decides where stake is delegated."
          columns={authorityColumns}
          rows={stakeAuthorities?.nodes ?? []}
          order={order}
          controls={<Choice param={types} label="Type" names={typeNames} />}
          empty="No stake authority has this type."
        >
          {stakeAuthorities && (
            <Pager
              info={stakeAuthorities.pageInfo}
              total={stakeAuthorities.totalCount}
              label="stake authorities"
            />
          )}
        </Figure>
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

export default page<solanaQuery>({
  query,
  variables: ({ search }) => ({
    window: windowOf(search),
    days: daysOf(search),
    hasHistory: hasHistory(search),
    type: typeValues[types.read(search)],
    orderBy: order.read(search),
    authority: authority.read(search),
    one: authority.read(search) !== '',
    ...pageOf(search, PAGE_SIZE),
  }),
  View,
});
