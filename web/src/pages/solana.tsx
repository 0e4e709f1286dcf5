import { graphql } from 'react-relay';
import { Link, useSearchParams } from 'react-router';
import type { solanaQuery } from '../__generated__/solanaQuery.graphql';
import { dateColumn } from '../columns.tsx';
import { Figure } from '../figure.tsx';
import { amount, calendarDate, count, decimal, ratio, shortCount, shortHex } from '../format.ts';
import { type Place, page } from '../page.tsx';
import { Choice, Heading, Pager, Share, Tile, Tiles } from '../parts.tsx';
import { at, colors, type Draw, linesOver } from '../plots.ts';
import { Notice } from '../states.tsx';
import type { Column } from '../table.tsx';
import { changed, oneOf, orderBy, pageOf, text } from '../url-state.ts';
import { windowNames, windowOf, windows } from '../windows.ts';

const query = graphql`
  query solanaQuery(
    $window: TimeWindow!
    $days: Int!
    $type: StakeAuthorityType
    $orderBy: StakeAuthorityOrder!
    $largest: Int!
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
      history(last: $days) {
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
        hasNextPage
        hasPreviousPage
        startCursor
        endCursor
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
    largest: stakeAuthorities(
      window: $window
      orderBy: { field: DELEGATED_STAKE, direction: DESC }
      first: $largest
    ) {
      totalCount
      nodes {
        id
        stakeAuthority
        poolName
        summary(window: $window) {
          delegatedStake
          networkPenetration
        }
      }
    }
    stakeAuthority(stakeAuthority: $authority) @include(if: $one) {
      id
      stakeAuthority
      poolName
      history(window: $window, last: $days) {
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
type Overview = NonNullable<Data['solanaNetworkOverview']>;
type Day = NonNullable<Overview['history']>['nodes'][number];
type Authority = NonNullable<Data['stakeAuthorities']>['nodes'][number];
type Large = NonNullable<Data['largest']>['nodes'][number];
type Authoritative = NonNullable<NonNullable<Data['stakeAuthority']>['history']>['nodes'][number];
type Validator = NonNullable<Data['networkValidators']>['nodes'][number];

const days = oneOf('days', ['30', '90', '180'], '90');
const dayNames = { '30': '30 days', '90': '90 days', '180': '180 days' };
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
const LARGEST = 200;

const dayOf = ({ date }: Day) => at(date);
const float = <Row,>(
  head: string,
  of: (row: Row) => number | undefined,
  field?: string,
  digits = 2,
): Column<Row> => ({
  head,
  value: of,
  show: (row) => ratio(of(row), digits),
  numeric: true,
  ...(field && { order: field }),
});
const sol = <Row,>(head: string, of: (row: Row) => string | undefined, field?: string): Column<Row> => ({
  head: `${head} (SOL)`,
  value: of,
  show: (row) => amount(of(row), 'SOL'),
  numeric: true,
  ...(field && { order: field }),
});

const dayColumns: Column<Day>[] = [
  dateColumn(({ date }) => date),
  {
    head: 'Gini coefficient (0–1)',
    value: (row) => row.giniCoefficient,
    show: (row) => decimal(row.giniCoefficient, 4),
    numeric: true,
  },
  sol('Delegated stake', ({ totalDelegatedStake }) => totalDelegatedStake),
  float('Validator APY (0–1)', ({ validatorApy }) => validatorApy),
  float('Delegator APY (0–1)', ({ delegatorApy }) => delegatorApy),
  float('Missed blocks (0–1)', ({ networkMissedBlocksRate }) => networkMissedBlocksRate),
  {
    head: 'Validators',
    value: (row) => row.activeValidatorCount,
    show: (row) => count(row.activeValidatorCount),
    numeric: true,
  },
];

const gini = linesOver<Day>({
  date: dayOf,
  series: [{ label: 'Gini', color: colors[3], value: ({ giniCoefficient }) => giniCoefficient }],
  label: 'Gini coefficient',
  format: (value) => decimal(value, 3),
  tip: (row) => `${calendarDate(row.date)}\n${decimal(row.giniCoefficient, 4)}`,
});

const stake = linesOver<Day>({
  date: dayOf,
  series: [
    { label: 'Stake', color: colors[2], value: ({ totalDelegatedStake }) => Number(totalDelegatedStake) },
  ],
  label: 'SOL',
  format: shortCount,
  tip: (row) => `${calendarDate(row.date)}\n${amount(row.totalDelegatedStake, 'SOL')}`,
});

const yields = [
  { label: 'Validators', color: colors[0], value: ({ validatorApy }: Day) => validatorApy },
  { label: 'Delegators', color: colors[1], value: ({ delegatorApy }: Day) => delegatorApy },
];
const apy = linesOver<Day>({
  date: dayOf,
  series: yields,
  label: 'APY',
  format: (value) => ratio(value, 1),
  tip: (row) =>
    `${calendarDate(row.date)}\nValidators ${ratio(row.validatorApy)}\nDelegators ${ratio(row.delegatorApy)}`,
});

type Point = { id: string; place: number; name: string; share: number; cumulative: number };

/** Shares of stake of the largest authorities, added up; the rest of the network is beyond the last of them. */
function accumulate(authorities: readonly Large[]): Point[] {
  let cumulative = 0;
  return authorities.map(({ id, stakeAuthority, poolName, summary }, index) => {
    const share = summary?.networkPenetration ?? 0;
    cumulative += share;
    return { id, place: index + 1, name: poolName ?? stakeAuthority, share, cumulative };
  });
}

const pointColumns: Column<Point>[] = [
  { head: 'Place', value: ({ place }) => place, numeric: true },
  { head: 'Stake authority', value: ({ name }) => name, show: ({ name }) => shortName(name) },
  float('Share of stake (0–1)', ({ share }) => share, undefined, 3),
  float('With all larger ones (0–1)', ({ cumulative }) => cumulative, undefined, 2),
];

const shortName = (name: string) => (name.includes(' ') ? name : <code title={name}>{shortHex(name)}</code>);

const concentration: Draw<Point> = (plot, rows) => {
  const tip = (row: Point) =>
    `${count(row.place)} largest\n${ratio(row.cumulative)} of the stake\n${row.name.slice(0, 24)}`;
  return {
    marginTop: 32,
    marginBottom: 44,
    x: { label: 'Largest stake authorities', ticks: 6 },
    y: {
      label: 'Share of stake',
      grid: true,
      domain: [0, 1],
      tickFormat: (value: number) => ratio(value, 0),
    },
    marks: [
      plot.ruleY([1 / 3, 1 / 2], { stroke: 'currentColor', strokeOpacity: 0.4, strokeDasharray: '4 4' }),
      plot.areaY(rows, { x: 'place', y: 'cumulative', fill: colors[3], fillOpacity: 0.15 }),
      plot.lineY(rows, { x: 'place', y: 'cumulative', stroke: colors[3], strokeWidth: 2 }),
      plot.dot(rows, plot.pointerX({ x: 'place', y: 'cumulative', fill: colors[3], r: 3 })),
      plot.tip(rows, plot.pointerX({ x: 'place', y: 'cumulative', title: tip, lineHeight: 1.3 })),
    ],
  };
};

function AuthorityLink({ authority: address, children }: { authority?: string; children: string }) {
  const [search] = useSearchParams();
  return (
    <Link to={`?${changed(search, { authority: address })}`} title={address}>
      {children}
    </Link>
  );
}

const oneColumns: Column<Authoritative>[] = [
  dateColumn(({ date }) => date),
  sol('Stake', ({ delegatedStake }) => delegatedStake),
  float('Share of stake (0–1)', ({ networkPenetration }) => networkPenetration, undefined, 3),
  float('Delegator APY (0–1)', ({ delegatorApy }) => delegatorApy),
  float('Effectiveness (0–1)', (row) => row.aggregateValidatorEffectiveness),
];

const oneStake = linesOver<Authoritative>({
  date: ({ date }) => at(date),
  series: [{ label: 'Stake', color: colors[0], value: ({ delegatedStake }) => Number(delegatedStake) }],
  label: 'SOL',
  format: shortCount,
  tip: (row) => `${calendarDate(row.date)}\n${amount(row.delegatedStake, 'SOL')}`,
});

const authorityColumns: Column<Authority>[] = [
  {
    head: 'Stake authority',
    value: ({ stakeAuthority, poolName }) => poolName ?? stakeAuthority,
    show: ({ stakeAuthority, poolName }) => (
      <AuthorityLink authority={stakeAuthority}>{poolName ?? shortHex(stakeAuthority)}</AuthorityLink>
    ),
    order: 'POOL_NAME',
  },
  sol('Stake', ({ summary }) => summary?.delegatedStake, 'DELEGATED_STAKE'),
  {
    head: 'Share of stake (0–1)',
    value: ({ summary }) => summary?.networkPenetration,
    show: ({ summary }) =>
      summary && (
        <Share value={summary.networkPenetration} of={0.06} text={ratio(summary.networkPenetration, 2)} />
      ),
    numeric: true,
    order: 'NETWORK_PENETRATION',
  },
  float('Delegator APY (0–1)', ({ summary }) => summary?.delegatorApy, 'DELEGATOR_APY'),
  float(
    'Commission (0–1)',
    ({ summary }) => summary?.blendedVoteCommissionRate,
    'BLENDED_VOTE_COMMISSION_RATE',
  ),
  float('Effectiveness (0–1)', ({ summary }) => summary?.aggregateValidatorEffectiveness),
  {
    head: 'Validators',
    value: ({ summary }) => summary?.validatorDelegates,
    show: ({ summary }) => count(summary?.validatorDelegates),
    numeric: true,
    order: 'VALIDATOR_DELEGATES',
  },
];

const validatorColumns: Column<Validator>[] = [
  {
    head: 'Validator',
    value: ({ validator }) => validator,
    show: ({ validator, displayName }) => <span title={validator}>{displayName ?? shortHex(validator)}</span>,
  },
  sol('Validator rewards', ({ validatorRewards }) => validatorRewards),
  sol('Delegator rewards', ({ delegatorRewards }) => delegatorRewards),
];

function Figures({ overview }: { overview: Overview }) {
  const change = overview.activeValidatorCountDiff;
  return (
    <Tiles>
      <Tile label="Delegated stake" unit="SOL" exact={amount(overview.totalDelegatedStake, 'SOL')}>
        {shortCount(overview.totalDelegatedStake)}
      </Tile>
      <Tile
        label="Active validators"
        note={`${change > 0 ? '+' : ''}${count(change)} since the window before`}
      >
        {count(overview.activeValidatorCount)}
      </Tile>
      <Tile label="Gini coefficient" note="0 is equal, 1 is all with one">
        {decimal(overview.giniCoefficient, 3)}
      </Tile>
      <Tile label="Validator APY" note={`delegators ${ratio(overview.delegatorApy)}`}>
        {ratio(overview.validatorApy)}
      </Tile>
      <Tile label="Effectiveness" note="weighted by stake">
        {ratio(overview.networkEffectiveness)}
      </Tile>
      <Tile label="Votes" note="slots with a successful vote">
        {ratio(overview.networkVoteSuccessRate)}
      </Tile>
      <Tile label="Missed blocks" note="of leader slots">
        {ratio(overview.networkMissedBlocksRate)}
      </Tile>
      <Tile
        label="Stake authorities"
        note={`${count(overview.activeDelegatorStakeAccountCount)} stake accounts`}
      >
        {count(overview.activeDelegatorStakeAuthorityCount)}
      </Tile>
    </Tiles>
  );
}

function View({ data, place }: { data: Data; place: Place }) {
  const chosen = authority.read(place.search);
  const one = data.stakeAuthority;
  const { solanaNetworkOverview: overview, stakeAuthorities, largest, networkValidators } = data;
  if (!overview)
    return (
      <Notice kind="empty" title="No figures of Solana are stored">
        <p>Choose another window, or import them.</p>
      </Notice>
    );
  const history = overview.history?.nodes ?? [];
  const points = accumulate(largest?.nodes ?? []);
  const day = networkValidators?.nodes[0]?.date;
  return (
    <>
      <Heading title="Solana" asOf={overview.asOf}>
        <Choice param={windows} label="Window of the figures" names={windowNames} />
        <Choice param={days} label="Length of the plots" names={dayNames} />
      </Heading>
      <Figures overview={overview} />
      <div className="figures">
        <Figure
          title="Concentration of stake"
          note={`Share of all stake that the ${count(points.length)} largest of ${count(largest?.totalCount)} stake authorities have together. The lines are at a third and a half.`}
          columns={pointColumns}
          rows={points}
          draw={concentration}
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
            empty="No day of this stake authority is stored."
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
    days: Number(days.read(search)),
    type: typeValues[types.read(search)],
    orderBy: order.read(search),
    largest: LARGEST,
    authority: authority.read(search),
    one: authority.read(search) !== '',
    ...pageOf(search, PAGE_SIZE),
  }),
  View,
});
