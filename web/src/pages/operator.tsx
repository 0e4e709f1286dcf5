import { useMemo } from 'react';
import { graphql } from 'react-relay';
import { Link, useSearchParams } from 'react-router';
import type { operatorQuery } from '../__generated__/operatorQuery.graphql';
import { missing } from '../failure.ts';
import { Figure } from '../figure.tsx';
import { count, decimal, eth, percentage, shortEth } from '../format.ts';
import { idTypeOf, paths, slugOf } from '../links.ts';
import { useHref } from '../network.ts';
import { Comparison } from '../operator-comparison.tsx';
import {
  besideColumns,
  consolidationColumns,
  type Effect,
  effectColumns,
  effectSeries,
  effects,
  linesOf,
  poolShareColumns,
  shareColumns,
  slashingColumns,
  validatorColumns,
  voteColumns,
  voteSeries,
  votes,
} from '../operator-figures.tsx';
import { classNames, longNameOf, stakeShare } from '../operator-parts.tsx';
import { comparedIn } from '../operator-picker.tsx';
import { type Place, page } from '../page.tsx';
import { Choice, Field, Heading, PageLink, Pager, Select, Tile, Tiles } from '../parts.tsx';
import { date, oneOf, pageOf } from '../url-state.ts';
import { windowNames, windowOf, windows } from '../windows.ts';

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
    $first: Int
    $after: String
    $last: Int
    $before: String
    $compare: [ID!]!
    $compares: Boolean!
  ) {
    operator(network: $network, operatorId: $operatorId, idType: $idType, window: $window) {
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
      summary {
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
        clientPercentages {
          client
          ratio
        }
        relayerPercentages {
          relayer
          ratio
        }
      }
      history(last: $days) {
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
      poolShares(first: 200) {
        totalCount
        nodes {
          id
          idType
          operatorId
          displayName
          summary {
            validatorCount
            networkPenetration
            avgValidatorEffectiveness
          }
        }
      }
      validators(first: $first, after: $after, last: $last, before: $before) {
        totalCount
        pageInfo {
          hasNextPage
          hasPreviousPage
          startCursor
          endCursor
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
      slashings(last: 20) {
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
        summary {
          ...operator_summary @relay(mask: false)
        }
        history(last: $days) {
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
type Operator = NonNullable<Data['operator']>;

const PAGE_SIZE = 20;
const DAYS = 90;
const MOST_PERIODS = 400;
/** How many of the newest periods are shown without a range. */
const newest = { hour: 72, day: 90, week: 53, month: 24, quarter: 12, year: 10, all: 1 };

const granularity = oneOf('granularity', ['hour', 'day', 'week', 'month', 'quarter', 'year', 'all'], 'day');
const granularityNames = {
  hour: 'Hours',
  day: 'Days',
  week: 'Weeks',
  month: 'Months',
  quarter: 'Quarters',
  year: 'Years',
  all: 'All in one',
};
const calendar = oneOf('calendar', ['chain', 'utc'], 'chain');
const calendarNames = { chain: 'Chain days', utc: 'UTC days' };
const from = date('from');
const to = date('to');

function variables({ network, search, params }: Place): operatorQuery['variables'] {
  const by = granularity.read(search);
  const [fromDate, toDate] = [from.read(search), to.read(search)];
  const compare = comparedIn(search);
  return {
    network,
    idType: idTypeOf(params.idType),
    operatorId: params.id ?? '',
    window: windowOf(search),
    granularity: by.toUpperCase() as 'DAY',
    utc: calendar.read(search) === 'utc',
    fromDate: fromDate ?? null,
    toDate: toDate ?? null,
    periods: fromDate || toDate ? MOST_PERIODS : newest[by],
    days: DAYS,
    ...pageOf(search, PAGE_SIZE),
    compare,
    compares: compare.length > 0,
  };
}

function Change({ value, text }: { value: number | null | undefined; text: string }) {
  if (value == null) return null;
  return (
    <span className="change" data-way={value > 0 ? 'up' : value < 0 ? 'down' : undefined}>
      {value > 0 ? '▲' : value < 0 ? '▼' : '='} {text} in a week
    </span>
  );
}

function Newest({ operator }: { operator: Operator }) {
  const { summary } = operator;
  if (!summary) return null;
  const { change, networkPenetration: share, sumEndEpochEffectiveBalance: stake } = summary;
  const points = (value: number | null | undefined) => `${decimal(Math.abs(value ?? 0))} points`;
  return (
    <Tiles>
      <Tile
        label="Share of stake"
        note={
          <Change value={change?.networkPenetration} text={points(100 * (change?.networkPenetration ?? 0))} />
        }
      >
        {stakeShare(share)}
      </Tile>
      <Tile label="Stake" unit="ETH" exact={eth(stake)}>
        {shortEth(stake)}
      </Tile>
      <Tile
        label="Validators"
        note={<Change value={change?.validatorCount} text={count(Math.abs(change?.validatorCount ?? 0))} />}
      >
        {count(summary.validatorCount)}
      </Tile>
      <Tile
        label="Effectiveness"
        note={
          <Change
            value={change?.avgValidatorEffectiveness}
            text={points(change?.avgValidatorEffectiveness)}
          />
        }
      >
        {percentage(summary.avgValidatorEffectiveness)}
      </Tile>
      <Tile label="APR" note={<Change value={change?.aprPercentage} text={points(change?.aprPercentage)} />}>
        {percentage(summary.aprPercentage)}
      </Tile>
    </Tiles>
  );
}

/** Tags, and the pool and node operator of a pool share, as links. */
function Labels({ operator: { idType, operatorTags } }: { operator: Operator }) {
  const href = useHref();
  return (
    <span className="chips">
      {operatorTags.map(({ name, operator }) => (
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

const fourWindows = [
  { key: 'oneDay', head: windowNames['1d'] },
  { key: 'sevenDays', head: windowNames['7d'] },
  { key: 'thirtyDays', head: windowNames['30d'] },
  { key: 'allTime', head: windowNames.all },
] as const;
const windowColumns = besideColumns(fourWindows);

function OverTime({ operator }: { operator: Operator }) {
  const [search] = useSearchParams();
  const attestations = operator.attestations?.nodes ?? [];
  const days = operator.effectiveness?.nodes ?? [];
  // Hours, and operators whose figures were imported, have the effectiveness of attestations only.
  const rows: readonly Effect[] = days.length > 0 ? days : attestations;
  const by = granularity.read(search);
  const empty = `No ${by === 'all' ? 'periods' : granularityNames[by].toLowerCase()} of it are stored in this range.`;
  const dayName = calendar.read(search) === 'utc' ? 'UTC days' : 'chain days';
  const cut = operator.attestations?.pageInfo.hasNextPage && (from.read(search) || to.read(search));
  return (
    <section aria-labelledby="over-time">
      <header className="section">
        <h2 id="over-time">Over time</h2>
        <search className="filters">
          <Choice param={calendar} label="Calendar" names={calendarNames} />
          <Select param={granularity} label="Granularity" names={granularityNames} />
          <Field param={from} label="From" type="date" />
          <Field param={to} label="To" type="date" />
        </search>
      </header>
      {cut && <p className="hint">Only the newest {count(MOST_PERIODS)} periods of the range are shown.</p>}
      <div className="figures">
        <Figure
          title="Effectiveness"
          note={`Mean of the validators and of their attestations in percent, by ${dayName}.`}
          columns={effectColumns}
          rows={rows}
          draw={effects}
          series={days.length > 0 ? effectSeries : effectSeries.slice(0, 1)}
          empty={empty}
        />
        <Figure
          title="Missed and wrong votes"
          note={`Attestations of the validators that were missed or voted wrong, by ${dayName}.`}
          columns={voteColumns}
          rows={attestations}
          draw={votes}
          series={voteSeries}
          empty={empty}
        />
      </div>
    </section>
  );
}

const clientColumns = shareColumns('Client');
const relayColumns = shareColumns('Relay');

function Makeup({ operator }: { operator: Operator }) {
  const clients = (operator.summary?.clientPercentages ?? []).map(({ client, ratio }) => ({
    id: client,
    name: client,
    ratio,
  }));
  const relays = (operator.summary?.relayerPercentages ?? []).map(({ relayer, ratio }) => ({
    id: relayer,
    name: relayer,
    ratio,
  }));
  return (
    <div>
      <Figure
        title="Clients"
        note="Consensus clients, by share of the validators."
        columns={clientColumns}
        rows={clients}
        empty="No client of a validator is known."
      />
      <Figure
        title="Relays"
        note="Relays of its blocks, by share of the blocks."
        columns={relayColumns}
        rows={relays}
        empty="No relay of its blocks is known."
      />
    </div>
  );
}

function PoolShares({ operator: { idType, poolShares } }: { operator: Operator }) {
  if (idType !== 'POOL' && idType !== 'NODE_OPERATOR') return null;
  const rows = poolShares?.nodes ?? [];
  return (
    <Figure
      title={idType === 'POOL' ? 'Its node operators' : 'Its shares of pools'}
      note={`${rows.length === poolShares?.totalCount ? 'All' : `The ${count(rows.length)} largest of`} ${count(poolShares?.totalCount)}, by share of the stake of the network.`}
      columns={poolShareColumns(idType === 'POOL', rows[0]?.summary?.networkPenetration ?? 0)}
      rows={rows}
      empty="It has none."
    />
  );
}

function Events({ operator }: { operator: Operator }) {
  const { validators, slashings, consolidations } = operator;
  const slashed = useMemo(() => [...(slashings?.nodes ?? [])].reverse(), [slashings]);
  return (
    <>
      <Figure
        title="Validators"
        note="Those that the index knows, by index."
        columns={validatorColumns}
        rows={validators?.nodes ?? []}
        empty="No validator is known to belong to it."
      >
        {validators && <Pager info={validators.pageInfo} total={validators.totalCount} label="validators" />}
      </Figure>
      <Figure
        title="Slashings"
        note={`The newest of ${count(slashings?.totalCount)}.`}
        columns={slashingColumns}
        rows={slashed}
        empty="None of its validators was slashed."
      />
      <Figure
        title="Consolidations"
        note={`The newest of ${count(consolidations?.totalCount)}, as source or as target.`}
        columns={consolidationColumns}
        rows={consolidations?.nodes ?? []}
        empty="None of its validators was consolidated."
      />
    </>
  );
}

function View({ data, place }: { data: Data; place: Place }) {
  const { operator, compared } = data;
  if (!operator) throw missing(`No operator of this class and network is named ${place.params.id}.`);
  const { idType, operatorId, oneDay, sevenDays, thirtyDays, allTime } = operator;
  const kind = slugOf(idType).replaceAll('-', ' ');
  const listed = slugOf(idType) in classNames;
  const name = longNameOf(operator);
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
        <Choice param={windows} label="Window of the figures" names={windowNames} />
      </Heading>
      <Newest operator={operator} />
      <OverTime operator={operator} />
      <div className="figures">
        <Figure
          title="The four windows"
          note="The same figures in each window."
          columns={windowColumns}
          rows={linesOf({ oneDay, sevenDays, thirtyDays, allTime })}
        />
        <Makeup operator={operator} />
        <PoolShares operator={operator} />
        <Events operator={operator} />
      </div>
      <Comparison operator={operator} others={compared?.nodes ?? []} />
    </>
  );
}

export default page<operatorQuery>({ query, variables, View });
