import { useState } from 'react';
import { graphql } from 'react-relay';
import type { overviewQuery } from '../__generated__/overviewQuery.graphql';
import type { overviewSubscription } from '../__generated__/overviewSubscription.graphql';
import { useLive } from '../api/live.ts';
import {
  gweiColumn,
  inEth,
  numberColumn,
  outcomeColumn,
  ratioColumn,
  slotColumn,
  timeColumn,
  validatorColumn,
} from '../figures/columns.tsx';
import { daysOf, PlotLength } from '../figures/days.tsx';
import { Figure } from '../figures/figure.tsx';
import { asPercent, at, barsOver, colors, linesOver } from '../figures/plots.ts';
import type { Column } from '../figures/table.tsx';
import { type Place, page } from '../page.tsx';
import { Choice } from '../parts/controls.tsx';
import {
  calendarDate,
  count,
  eth,
  percentage,
  plotted,
  ratio,
  shortCount,
  shortEth,
} from '../parts/format.ts';
import { Heading } from '../parts/heading.tsx';
import { LiveNote } from '../parts/live-note.tsx';
import { Share } from '../parts/share.tsx';
import { TileList, type TileProps } from '../parts/tiles.tsx';
import { Notice } from '../states.tsx';
import type { Network } from '../url/network.ts';
import { windowNames, windowOf, windows } from '../url/windows.ts';

const query = graphql`
  query overviewQuery($network: Network!, $window: TimeWindow!, $days: Int!) {
    networkOverview(network: $network, window: $window) {
      validatorCount
      sumEndEpochEffectiveBalance
      participationRatio
      aprPercentage
      avgValidatorEffectiveness
      missedProposalRatio
      missedProposalCount
      proposedCount
      sumConsensusRewards
      sumExecutionRewards
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
      history(orderBy: { field: PERIOD, direction: DESC }, first: $days) {
        nodes {
          id
          date
          aprPercentage
          participationRatio
          targetParticipationRatio
          validatorCount
          sumEndEpochEffectiveBalance
        }
      }
    }
    chainDailyRewards(network: $network, first: $days) {
      nodes {
        id
        date
        sumConsensusRewards
        sumPriorityFees
        sumBaselineMev
      }
    }
    slashings(network: $network, orderBy: { field: EPOCH, direction: DESC }, first: 6) {
      totalCount
      nodes {
        id
        slashingEpoch
        validatorIndex
        slashingPenalties
      }
    }
    blocks(network: $network, first: 10) {
      nodes {
        id
        ...overview_block @relay(mask: false)
      }
    }
  }
`;

graphql`
  fragment overview_block on Block {
    consensusSlot
    blockTimestamp
    consensusOutcome
    validatorIndex
    totalRewards
    relays
  }
`;

const newBlocks = graphql`
  subscription overviewSubscription($network: Network!, $after: Int) {
    blockAdded(network: $network, after: $after) {
      revision
      blocks {
        id
        ...overview_block @relay(mask: false)
      }
    }
  }
`;

type Data = overviewQuery['response'];
type Overview = NonNullable<Data['networkOverview']>;
type Day = NonNullable<Overview['history']>['nodes'][number];
type Rewards = NonNullable<Data['chainDailyRewards']>['nodes'][number];
type Slashing = NonNullable<Data['slashings']>['nodes'][number];
type Block = NonNullable<Data['blocks']>['nodes'][number];
type Client = Overview['clients'][number];

const dayColumns: Column<Day>[] = [
  { head: 'Date (UTC)', value: ({ date }) => date, show: ({ date }) => calendarDate(date) },
  {
    head: 'APR (%)',
    value: ({ aprPercentage }) => aprPercentage,
    show: ({ aprPercentage }) => percentage(aprPercentage),
    numeric: true,
  },
  ratioColumn('Participation', ({ participationRatio }) => participationRatio),
  ratioColumn('Correct target', ({ targetParticipationRatio }) => targetParticipationRatio),
  {
    head: 'Staked (ETH)',
    value: ({ sumEndEpochEffectiveBalance }) => inEth(sumEndEpochEffectiveBalance),
    show: ({ sumEndEpochEffectiveBalance }) => eth(sumEndEpochEffectiveBalance),
    numeric: true,
  },
];

const dayOf = ({ date }: { readonly date: string | null | undefined }) => at(date ?? '');

const apr = linesOver<Day>({
  date: dayOf,
  series: [{ label: 'APR', color: colors[0], value: ({ aprPercentage }) => aprPercentage ?? null }],
  label: 'APR',
  format: percentage,
  tip: ({ date, aprPercentage }) => `${calendarDate(date)}\n${percentage(aprPercentage)} APR`,
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
      calendarDate(row.date),
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
  tip: ({ date, sumEndEpochEffectiveBalance: gwei }) => `${calendarDate(date)}\n${eth(gwei)}`,
});

const kinds = [
  { label: 'Consensus', color: colors[0], value: (row: Rewards) => plotted(row.sumConsensusRewards) },
  { label: 'Priority fees', color: colors[1], value: (row: Rewards) => plotted(row.sumPriorityFees) },
  { label: 'MEV', color: colors[2], value: (row: Rewards) => plotted(row.sumBaselineMev) },
];

const rewards = barsOver<Rewards>({
  date: dayOf,
  series: kinds,
  label: 'ETH a day',
  format: shortCount,
  tip: (row) =>
    [
      calendarDate(row.date),
      `Consensus ${eth(row.sumConsensusRewards)}`,
      `Priority fees ${eth(row.sumPriorityFees)}`,
      `MEV ${eth(row.sumBaselineMev)}`,
    ].join('\n'),
});

const rewardColumns: Column<Rewards>[] = [
  { head: 'Date (UTC)', value: ({ date }) => date, show: ({ date }) => calendarDate(date) },
  gweiColumn('Consensus', ({ sumConsensusRewards }) => sumConsensusRewards),
  gweiColumn('Priority fees', ({ sumPriorityFees }) => sumPriorityFees),
  gweiColumn('MEV', ({ sumBaselineMev }) => sumBaselineMev),
];

const slashingColumns: Column<Slashing>[] = [
  numberColumn('Epoch', ({ slashingEpoch }) => slashingEpoch),
  validatorColumn('Validator', ({ validatorIndex }) => validatorIndex),
  gweiColumn('Penalties', ({ slashingPenalties }) => slashingPenalties),
];

const blockColumns: Column<Block>[] = [
  slotColumn(({ consensusSlot }) => consensusSlot),
  timeColumn(({ blockTimestamp }) => blockTimestamp),
  outcomeColumn(({ consensusOutcome }) => consensusOutcome),
  validatorColumn('Proposer', ({ validatorIndex }) => validatorIndex),
  gweiColumn('Rewards', ({ totalRewards }) => totalRewards),
  {
    head: 'Relays',
    value: ({ relays }) => relays.join(', '),
    show: ({ relays }) => relays.join(', ') || 'none',
  },
];

const clientColumns: Column<Client>[] = [
  { head: 'Client', value: ({ client }) => client },
  {
    head: 'Validators',
    value: (row) => row.validatorCount,
    show: (row) => count(row.validatorCount),
    numeric: true,
  },
  {
    head: 'Share',
    csv: 'Share (0–1)',
    value: (row) => row.ratio,
    show: (row) => <Share value={row.ratio} text={ratio(row.ratio, 1)} />,
    numeric: true,
  },
];

const tilesOf = (of: Overview): TileProps[] => [
  {
    label: 'Staked',
    unit: 'ETH',
    exact: eth(of.sumEndEpochEffectiveBalance),
    children: shortEth(of.sumEndEpochEffectiveBalance),
  },
  { label: 'Active validators', children: count(of.validatorCount) },
  { label: 'Participation', note: 'of due attestations', children: ratio(of.participationRatio) },
  { label: 'APR', note: 'both layers', children: percentage(of.aprPercentage) },
  {
    label: 'Effectiveness',
    note: 'mean of validators',
    children: percentage(of.avgValidatorEffectiveness),
  },
  {
    label: 'Missed blocks',
    note: `${count(of.missedProposalCount)} missed, ${count(of.proposedCount)} proposed`,
    children: ratio(of.missedProposalRatio),
  },
  {
    label: 'Consensus rewards',
    unit: 'ETH',
    exact: eth(of.sumConsensusRewards),
    children: shortEth(of.sumConsensusRewards),
  },
  {
    label: 'Execution rewards',
    unit: 'ETH',
    exact: eth(of.sumExecutionRewards),
    note: 'fees and MEV',
    children: shortEth(of.sumExecutionRewards),
  },
];

const SHOWN = 10;

/** The newest blocks, with those that come while the page is open. */
function Blocks({ network, blocks }: { network: Network; blocks: readonly Block[] }) {
  const [added, setAdded] = useState<readonly Block[]>([]);
  const live = useLive<overviewSubscription>({
    subscription: newBlocks,
    variables: { network },
    dataset: 'blocks',
    revisionOf: ({ blockAdded }) => blockAdded?.revision,
    onEvent: ({ blockAdded }) => setAdded((before) => newestOf([...(blockAdded?.blocks ?? []), ...before])),
  });
  return (
    <Figure
      title="Newest blocks"
      note={<LiveNote of={live} rows="blocks" />}
      columns={blockColumns}
      rows={newestOf([...added, ...blocks])}
      empty="No block of this network is stored."
    />
  );
}

/** One row for each id, the newest slot first. */
const newestOf = (blocks: readonly Block[]) =>
  [...new Map(blocks.toReversed().map((block) => [block.id, block])).values()]
    .sort((one, other) => other.consensusSlot - one.consensusSlot)
    .slice(0, SHOWN);

function View({ data, place }: { data: Data; place: Place }) {
  const { networkOverview: overview, chainDailyRewards, slashings, blocks } = data;
  const choices = (
    <>
      <div className="labelled">
        <span aria-hidden="true">Figures</span>
        <Choice param={windows} label="Window of the figures" names={windowNames} />
      </div>
      <div className="labelled">
        <span aria-hidden="true">Plots</span>
        <PlotLength />
      </div>
    </>
  );
  if (!overview)
    return (
      <Notice kind="empty" title="No day of this network is stored">
        <p>Choose another network above, or import its data.</p>
      </Notice>
    );
  const history = overview.history?.nodes ?? [];
  return (
    <>
      <Heading title="Overview" asOf={overview.asOf}>
        {choices}
      </Heading>
      <TileList tiles={tilesOf(overview)} />
      <div className="figures">
        <Figure
          title="APR"
          note="Rewards of a year in percent of the effective balance, by day."
          columns={dayColumns}
          rows={history}
          draw={apr}
        />
        <Figure
          title="Participation"
          note="Share of due attestations that were included, and that had the correct target, by day."
          columns={dayColumns}
          rows={history.filter(({ participationRatio }) => participationRatio != null)}
          draw={participation}
          series={votes}
          empty="No day of all validators of this network is stored."
        />
        <Figure
          title="Staked"
          note="Effective balance of active validators, in ETH, by day."
          columns={dayColumns}
          rows={history}
          draw={staked}
        />
        <Figure
          title="Daily rewards"
          note="What all validators earned in each chain day, in ETH."
          columns={rewardColumns}
          rows={chainDailyRewards?.nodes ?? []}
          draw={rewards}
          series={kinds}
        />
        <Blocks key={place.network} network={place.network} blocks={blocks?.nodes ?? []} />
        <Figure
          title="Newest slashings"
          note={`${count(slashings?.totalCount)} validators were slashed so far.`}
          columns={slashingColumns}
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
    </>
  );
}

export default page<overviewQuery>({
  query,
  variables: ({ network, search }) => ({
    network,
    window: windowOf(search),
    days: daysOf(search),
  }),
  View,
});
