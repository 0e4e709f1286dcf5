import type { validatorQuery } from './__generated__/validatorQuery.graphql';
import { countColumn, gweiColumn } from './columns.tsx';
import { count, decimal, eth, percentage, plotted, ratio, shortCount } from './format.ts';
import { type Period, periodName, periodValue, startOf } from './periods.ts';
import { barsOver, colors, type Draw, type Interval, linesOver } from './plots.ts';
import type { Column } from './table.tsx';

export type ValidatorData = NonNullable<validatorQuery['response']['validator']>;
type Effectiveness = NonNullable<ValidatorData['effectiveness']>['nodes'][number];
type Attestations = NonNullable<ValidatorData['attestations']>['nodes'][number];
type Rewards = NonNullable<ValidatorData['rewards']>['nodes'][number];

const period: Column<Period> = { head: 'Period', value: periodValue, show: periodName };

const intervals: Interval[] = ['day', 'week', 'month', 'quarter', 'year'];
/** A plot for each length of a period: a plot is drawn anew when its function changes. */
const ofEach = <Row>(draw: (interval: Interval) => Draw<Row>) =>
  Object.fromEntries(intervals.map((interval) => [interval, draw(interval)])) as Record<Interval, Draw<Row>>;

const percentColumn = <Row>(head: string, of: (row: Row) => number | null | undefined): Column<Row> => ({
  head: `${head} (%)`,
  value: of,
  show: (row) => percentage(of(row), 3),
  numeric: true,
});
const ratioColumn = <Row>(head: string, of: (row: Row) => number | null | undefined): Column<Row> => ({
  head: `${head} (0–1)`,
  value: of,
  show: (row) => ratio(of(row)),
  numeric: true,
});

export const effectiveness = linesOver<Effectiveness>({
  date: startOf,
  series: [{ label: 'Effectiveness', color: colors[0], value: (row) => row.avgValidatorEffectiveness }],
  label: 'Effectiveness',
  format: (value) => percentage(value, 1),
  tip: (row) => `${periodName(row)}\n${percentage(row.avgValidatorEffectiveness, 3)}`,
});

export const effectivenessColumns: Column<Effectiveness>[] = [
  period,
  percentColumn('Effectiveness', (row) => row.avgValidatorEffectiveness),
  percentColumn('Attester', (row) => row.avgAttesterEffectiveness),
  percentColumn('Proposer', (row) => row.avgProposerEffectiveness),
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
  barsOver({
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
  period,
  countColumn('Included', (row) => row.totalUniqueAttestations),
  countColumn('Missed', (row) => row.sumMissedAttestations),
  countColumn('Wrong head', (row) => row.sumWrongHeadVotes),
  countColumn('Wrong target', (row) => row.sumWrongTargetVotes),
  countColumn('Late target', (row) => row.sumLateTargetVotes),
  countColumn('Late source', (row) => row.sumLateSourceVotes),
  countColumn('Sync signatures', (row) => row.sumSyncSignatureCount),
  countColumn('Missed sync signatures', (row) => row.sumMissedSyncSignatures),
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
  barsOver({
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
  period,
  gweiColumn('All', (row) => row.sumRewards),
  gweiColumn('Attestations', (row) => row.sumAttestationRewards),
  gweiColumn('Sync committees', (row) => row.sumSyncCommitteeRewards),
  gweiColumn('Proposals', (row) => row.sumProposerRewards),
  gweiColumn('Priority fees', (row) => row.sumPriorityFees),
  gweiColumn('MEV', (row) => row.sumBaselineMev),
  gweiColumn('Balance', (row) => row.sumEndEpochBalance),
];
