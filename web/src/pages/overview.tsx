import { useMemo } from 'react';
import { graphql } from 'react-relay';
import type { overviewQuery } from '../__generated__/overviewQuery.graphql';
import {
  countColumn,
  dateColumn,
  gweiColumn,
  numberColumn,
  percentColumn,
  ratioColumn,
  validatorColumn,
} from '../figures/columns.tsx';
import { Figure } from '../figures/figure.tsx';
import { happeningLegend } from '../figures/happenings.ts';
import { type Period, periodName, periodValue } from '../figures/periods.ts';
import { asPercent, at, barsOver, colors, linesOver } from '../figures/plots.ts';
import type { Column } from '../figures/table.tsx';
import { type Place, page } from '../page.tsx';
import { count, eth, percentage, plotted, ratio, shortCount } from '../parts/format.ts';
import { Heading } from '../parts/heading.tsx';
import { RangeControl } from '../parts/range.tsx';
import { Share } from '../parts/share.tsx';
import { Empty, Notice } from '../states.tsx';
import { calendars, chainDateOf, toDate } from '../url/range.ts';
import { Blocks } from './overview/overview-blocks.tsx';
import { type Day, overviewVariables, range, spansOf, startOfDay } from './overview/overview-days.ts';
import { useMarks } from './overview/overview-marks.ts';
import { NewestDay, Verdict } from './overview/overview-newest.tsx';
import { Largest, Movers } from './overview/overview-operators.tsx';
import { OverviewTiles } from './overview/overview-tiles.tsx';

const query = graphql`
  query overviewQuery(
    $network: Network!
    $utc: Boolean!
    $granularity: Granularity!
    $fromDate: Date
    $toDate: Date
    $periods: Int!
  ) {
    networkOverview(network: $network, window: ONE_DAY) {
      asOf {
        epoch
        time
      }
      clients {
        id
        client
        validatorCount
        ratio
      }
      history(
        utc: $utc
        granularity: $granularity
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
          aprPercentage
          participationRatio
          targetParticipationRatio
          avgValidatorEffectiveness
          validatorCount
          sumEndEpochEffectiveBalance
          missedProposalCount
          missedProposalRatio
          proposedCount
          sumConsensusRewards
          sumExecutionRewards
        }
      }
    }
    largest: operators(network: $network, window: SEVEN_DAYS, idType: POOL, first: 10) {
      nodes {
        id
        ...overview_operator @relay(mask: false)
      }
    }
    gained: operators(
      network: $network
      window: SEVEN_DAYS
      idType: POOL
      orderBy: { field: SUM_END_EPOCH_EFFECTIVE_BALANCE_CHANGE, direction: DESC }
      first: 5
    ) {
      nodes {
        id
        ...overview_operator @relay(mask: false)
      }
    }
    lost: operators(
      network: $network
      window: SEVEN_DAYS
      idType: POOL
      orderBy: { field: SUM_END_EPOCH_EFFECTIVE_BALANCE_CHANGE, direction: ASC }
      first: 5
    ) {
      nodes {
        id
        ...overview_operator @relay(mask: false)
      }
    }
    fallen: operators(
      network: $network
      window: SEVEN_DAYS
      idType: POOL
      where: { minValidators: 100 }
      orderBy: { field: AVG_VALIDATOR_EFFECTIVENESS_CHANGE, direction: ASC }
      first: 3
    ) {
      nodes {
        id
        ...overviewNewest_operator @relay(mask: false)
      }
    }
    slashed: slashingHistory(
      network: $network
      utc: $utc
      granularity: $granularity
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
        slashingCount
      }
    }
    slashings(network: $network, orderBy: { field: EPOCH, direction: DESC }, first: 6) {
      totalCount
      nodes {
        id
        date
        slashingEpoch
        validatorIndex
        slashingPenalties
      }
    }
    blocks(network: $network, first: 10) {
      nodes {
        id
        ...overviewBlocks_block @relay(mask: false)
      }
    }
  }
`;

graphql`
  fragment overview_operator on Operator {
    idType
    operatorId
    displayName
    summary(window: SEVEN_DAYS) {
      validatorCount
      networkPenetration
      avgValidatorEffectiveness
      change(over: SEVEN_DAYS) {
        since
        networkPenetration
        sumEndEpochEffectiveBalance
        validatorCount
      }
    }
  }
`;

type Data = overviewQuery['response'];
type Overview = NonNullable<Data['networkOverview']>;
type Slashing = NonNullable<Data['slashings']>['nodes'][number];
type Client = Overview['clients'][number];

type Calendar = (typeof calendars.values)[number];
/** By the calendar of the page: plots and columns are constants. */
const inEach = <T,>(make: (calendar: Calendar) => T): Record<Calendar, T> => ({
  chain: make('chain'),
  utc: make('utc'),
});

const dayColumn = (calendar: Calendar): Column<Period> => ({
  head: calendar === 'utc' ? 'Period (UTC)' : 'Period (chain days)',
  value: periodValue,
  show: periodName,
});

const dayColumns = inEach((calendar): Column<Day>[] => [
  dayColumn(calendar),
  percentColumn('APR', ({ aprPercentage }) => aprPercentage),
  ratioColumn('Participation', ({ participationRatio }) => participationRatio),
  ratioColumn('Correct target', ({ targetParticipationRatio }) => targetParticipationRatio),
  percentColumn('Effectiveness', ({ avgValidatorEffectiveness }) => avgValidatorEffectiveness),
  gweiColumn('Staked', ({ sumEndEpochEffectiveBalance }) => sumEndEpochEffectiveBalance),
  countColumn('Validators', ({ validatorCount }) => validatorCount),
]);

const dayOf = (row: Day) => at(startOfDay(row));

const apr = linesOver<Day>({
  date: dayOf,
  series: [{ label: 'APR', color: colors[0], value: ({ aprPercentage }) => aprPercentage ?? null }],
  label: 'APR',
  format: percentage,
  tip: (row) => `${periodName(row)}\n${percentage(row.aprPercentage)} APR`,
});

const votes = [
  { label: 'Included', color: colors[0], value: (row: Day) => row.participationRatio ?? null },
  {
    label: 'With the correct target',
    color: colors[1],
    value: (row: Day) => row.targetParticipationRatio ?? null,
  },
];
const participation = linesOver<Day>({
  date: dayOf,
  series: votes,
  label: 'Share of due attestations',
  format: asPercent,
  tip: (row) =>
    [
      periodName(row),
      `Included ${ratio(row.participationRatio)}`,
      `With the correct target ${ratio(row.targetParticipationRatio)}`,
    ].join('\n'),
});

const staked = linesOver<Day>({
  date: dayOf,
  series: [
    {
      label: 'Staked',
      color: colors[2],
      value: ({ sumEndEpochEffectiveBalance }) => plotted(sumEndEpochEffectiveBalance),
    },
  ],
  label: 'ETH',
  format: shortCount,
  tip: (row) => `${periodName(row)}\n${eth(row.sumEndEpochEffectiveBalance)}`,
});

const kinds = [
  { label: 'Consensus', color: colors[0], value: (row: Day) => plotted(row.sumConsensusRewards) },
  { label: 'Fees and MEV', color: colors[1], value: (row: Day) => plotted(row.sumExecutionRewards) },
];

const rewardsBy = (interval: 'day' | 'week') =>
  barsOver<Day>({
    date: dayOf,
    series: kinds,
    label: `ETH a ${interval}`,
    interval,
    format: shortCount,
    tip: (row) =>
      [
        periodName(row),
        `Consensus ${eth(row.sumConsensusRewards)}`,
        `Fees and MEV ${eth(row.sumExecutionRewards)}`,
      ].join('\n'),
  });
const rewards = { day: rewardsBy('day'), week: rewardsBy('week') };

const rewardColumns = inEach((calendar): Column<Day>[] => [
  dayColumn(calendar),
  gweiColumn('Consensus', ({ sumConsensusRewards }) => sumConsensusRewards),
  gweiColumn('Fees and MEV', ({ sumExecutionRewards }) => sumExecutionRewards),
]);

/** In the days of the page, so that a slashing has one date on it. */
const slashingColumns = (calendar: Calendar, asOf: Overview['asOf']): Column<Slashing>[] => [
  calendar === 'chain' && asOf?.epoch != null
    ? dateColumn(
        ({ slashingEpoch }) => chainDateOf(slashingEpoch, { ...asOf, epoch: asOf.epoch as number }),
        'Chain day',
      )
    : dateColumn(({ date }) => date),
  numberColumn('Epoch', ({ slashingEpoch }) => slashingEpoch),
  validatorColumn('Validator', ({ validatorIndex }) => validatorIndex),
  gweiColumn('Penalties', ({ slashingPenalties }) => slashingPenalties),
];

const clientColumns: Column<Client>[] = [
  { head: 'Client', value: ({ client }) => client },
  countColumn('Validators', (row) => row.validatorCount),
  {
    head: 'Share',
    csv: 'Share (0–1)',
    value: (row) => row.ratio,
    show: (row) => <Share value={row.ratio} text={ratio(row.ratio)} />,
    numeric: true,
  },
];

function View({ data, place }: { data: Data; place: Place }) {
  const { networkOverview: overview, slashed, slashings, blocks } = data;
  const history = overview?.history;
  const spans = useMemo(() => spansOf(history?.nodes ?? [], place.search), [history, place.search]);
  const marks = useMarks(spans.shown, slashed?.nodes, place.search);
  const calendar = calendars.read(place.search);
  const asOf = overview?.asOf;
  const slashingsColumns = useMemo(() => slashingColumns(calendar, asOf ?? null), [calendar, asOf]);
  if (!overview)
    return (
      <Notice kind="empty" title="No day of this network is stored">
        <p>Choose another network beside, or import its data.</p>
      </Notice>
    );
  const { shown, isByDay } = spans;
  const by = isByDay ? 'day' : 'week';
  const last = shown.at(-1);
  const isNewest = isByDay && toDate.read(place.search) === undefined;
  const slashedOn = slashed?.nodes.find(({ date }) => date === last?.date)?.slashingCount ?? 0;
  const empty = 'No day of this range is stored.';
  const newest = {
    days: history?.nodes ?? [],
    slashed: slashedOn,
    fallen: data.fallen?.nodes ?? [],
    asOf,
    search: place.search,
  };
  return (
    <>
      <Heading
        title="Overview"
        verdict={isNewest && <Verdict {...newest} />}
        about={isNewest && <NewestDay {...newest} />}
        asOf={asOf}
      >
        <RangeControl of={range} dates calendar lastDay={isByDay ? history?.nodes[0]?.date : undefined} />
      </Heading>
      {shown.length === 0 && <Empty>{empty}</Empty>}
      <OverviewTiles spans={spans} />
      <div className="figures">
        <Largest operators={data.largest} />
        <Movers gained={data.gained} lost={data.lost} />
        <Figure
          title="Staked"
          note={`Effective balance of active validators, in ETH, by ${by}.`}
          columns={dayColumns[calendar]}
          rows={shown}
          draw={staked}
          empty={empty}
        />
        <Figure
          title="APR"
          note={`Rewards of a year in percent of the effective balance, by ${by}.`}
          columns={dayColumns[calendar]}
          rows={shown}
          draw={apr}
          empty={empty}
        />
        <Figure
          title="Participation"
          parts={[overview.history]}
          note={`Share of due attestations that were included, and that had the correct target, by ${by}.`}
          columns={dayColumns[calendar]}
          rows={shown.filter(({ participationRatio }) => participationRatio != null)}
          draw={participation}
          series={[...votes, ...happeningLegend(marks.all, true)]}
          happenings={marks.all}
          empty="No day of all validators of this network is stored."
        />
        <Figure
          title="Rewards"
          note={`What all validators earned, in ETH, by ${by}.`}
          columns={rewardColumns[calendar]}
          rows={shown}
          draw={rewards[by]}
          series={[...kinds, ...happeningLegend(marks.onBars, false)]}
          happenings={marks.onBars}
          empty={empty}
        />
        <Blocks key={place.network} network={place.network} blocks={blocks?.nodes ?? []} />
        <div className="stack">
          <Figure
            title="Newest slashings"
            note={`${count(slashings?.totalCount)} validators were slashed so far.`}
            columns={slashingsColumns}
            rows={slashings?.nodes ?? []}
            empty="No validator of this network was slashed."
          />
          <Figure
            title="Consensus clients"
            note="Active validators whose client is known."
            columns={clientColumns}
            rows={overview.clients}
            empty="No client of a validator is known."
          />
        </div>
      </div>
    </>
  );
}

export default page<overviewQuery>({
  query,
  variables: ({ search }) => overviewVariables(search),
  View,
});
