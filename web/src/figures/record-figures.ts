import { graphql } from 'react-relay';
import type { recordFigures_attestations$data } from '../__generated__/recordFigures_attestations.graphql';
import type { recordFigures_effectiveness$data } from '../__generated__/recordFigures_effectiveness.graphql';
import type { recordFigures_rewards$data } from '../__generated__/recordFigures_rewards.graphql';
import { count, decimal, eth, percentage, plotted, shortCount } from '../parts/format.ts';
import { countColumn, gweiColumn, percentColumn, ratioColumn } from './columns.tsx';
import { type Period, periodName, periodValue, startOf } from './periods.ts';
import { barsOver, colors, type Draw, type Interval, linesOver } from './plots.ts';
import type { Column } from './table.tsx';

graphql`
  fragment recordFigures_effectiveness on EffectivenessRecord {
    id
    date
    startDate
    endDate
    avgValidatorEffectiveness
    avgUptime
    avgCorrectness
    avgInclusionDelay
  }
`;

graphql`
  fragment recordFigures_attestations on AttestationRecord {
    id
    date
    startDate
    endDate
    totalUniqueAttestations
    sumMissedAttestations
    sumWrongHeadVotes
    sumWrongTargetVotes
  }
`;

graphql`
  fragment recordFigures_rewards on RewardRecord {
    id
    date
    startDate
    endDate
    sumRewards
    sumAttestationRewards
    sumSyncCommitteeRewards
    sumProposerRewards
    sumPriorityFees
    sumBaselineMev
    sumEndEpochBalance
  }
`;

type Unmasked<T> = Omit<T, ' $fragmentType'>;
type Effectiveness = Unmasked<recordFigures_effectiveness$data>;
type Attestations = Unmasked<recordFigures_attestations$data>;
type Rewards = Unmasked<recordFigures_rewards$data>;

export const periodColumn: Column<Period> = { head: 'Period', value: periodValue, show: periodName };

const intervals: Interval[] = ['day', 'week', 'month', 'quarter', 'year'];
/** A plot for each length of a period: a plot is drawn again when its function changes. */
const ofEach = <Row>(draw: (interval: Interval) => Draw<Row>) =>
  Object.fromEntries(intervals.map((interval) => [interval, draw(interval)])) as Record<Interval, Draw<Row>>;

export const effectiveness = linesOver<Effectiveness>({
  date: startOf,
  series: [{ label: 'Effectiveness', color: colors[0], value: (row) => row.avgValidatorEffectiveness }],
  label: 'Effectiveness',
  format: percentage,
  tip: (row) => `${periodName(row)}\n${percentage(row.avgValidatorEffectiveness)}`,
});

/** Columns of effectiveness; `own` are columns of the page, put after the first figure. */
export const effectivenessColumns = <Row extends Effectiveness>(own: Column<Row>[] = []): Column<Row>[] => [
  periodColumn,
  percentColumn('Effectiveness', (row) => row.avgValidatorEffectiveness),
  ...own,
  ratioColumn('Uptime', (row) => row.avgUptime),
  ratioColumn('Correct votes', (row) => row.avgCorrectness),
  {
    head: 'Inclusion delay (slots)',
    value: (row) => row.avgInclusionDelay,
    show: (row) => decimal(row.avgInclusionDelay, 3),
    numeric: true,
  },
];

export const faults = [
  { label: 'Missed', color: colors[4], value: (row: Attestations) => Number(row.sumMissedAttestations) },
  { label: 'Wrong head', color: colors[1], value: (row: Attestations) => Number(row.sumWrongHeadVotes) },
  { label: 'Wrong target', color: colors[3], value: (row: Attestations) => Number(row.sumWrongTargetVotes) },
];

export const attestations = ofEach<Attestations>((interval) =>
  barsOver<Attestations>({
    date: startOf,
    series: faults,
    label: 'Attestations',
    interval,
    format: shortCount,
    tip: (row) =>
      [
        periodName(row),
        `Missed ${count(row.sumMissedAttestations)}`,
        `Wrong head ${count(row.sumWrongHeadVotes)}`,
        `Wrong target ${count(row.sumWrongTargetVotes)}`,
        `Included ${count(row.totalUniqueAttestations)}`,
      ].join('\n'),
  }),
);

export const attestationColumns: Column<Attestations>[] = [
  periodColumn,
  countColumn('Included', (row) => row.totalUniqueAttestations),
  countColumn('Missed', (row) => row.sumMissedAttestations),
  countColumn('Wrong head', (row) => row.sumWrongHeadVotes),
  countColumn('Wrong target', (row) => row.sumWrongTargetVotes),
];

export const rewardKinds = [
  { label: 'Attestations', color: colors[0], value: (row: Rewards) => plotted(row.sumAttestationRewards) },
  {
    label: 'Sync committees',
    color: colors[2],
    value: (row: Rewards) => plotted(row.sumSyncCommitteeRewards),
  },
  { label: 'Proposals', color: colors[3], value: (row: Rewards) => plotted(row.sumProposerRewards) },
  { label: 'Priority fees', color: colors[1], value: (row: Rewards) => plotted(row.sumPriorityFees) },
  { label: 'MEV', color: colors[4], value: (row: Rewards) => plotted(row.sumBaselineMev) },
];

export const rewards = ofEach<Rewards>((interval) =>
  barsOver<Rewards>({
    date: startOf,
    series: rewardKinds,
    label: 'ETH',
    interval,
    format: shortCount,
    tip: (row) =>
      [
        periodName(row),
        `All ${eth(row.sumRewards)}`,
        `Attestations ${eth(row.sumAttestationRewards)}`,
        `Sync committees ${eth(row.sumSyncCommitteeRewards)}`,
        `Proposals ${eth(row.sumProposerRewards)}`,
        `Priority fees ${eth(row.sumPriorityFees)}`,
        `MEV ${eth(row.sumBaselineMev)}`,
      ].join('\n'),
  }),
);

export const rewardColumns: Column<Rewards>[] = [
  periodColumn,
  gweiColumn('All', (row) => row.sumRewards),
  gweiColumn('Attestations', (row) => row.sumAttestationRewards),
  gweiColumn('Sync committees', (row) => row.sumSyncCommitteeRewards),
  gweiColumn('Proposals', (row) => row.sumProposerRewards),
  gweiColumn('Priority fees', (row) => row.sumPriorityFees),
  gweiColumn('MEV', (row) => row.sumBaselineMev),
  gweiColumn('Balance at the end', (row) => row.sumEndEpochBalance),
];
