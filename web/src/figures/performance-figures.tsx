import { graphql } from 'react-relay';
import type { performanceFigures_attestations$data } from '../__generated__/performanceFigures_attestations.graphql';
import type { performanceFigures_effectiveness$data } from '../__generated__/performanceFigures_effectiveness.graphql';
import type { performanceFigures_proposals$data } from '../__generated__/performanceFigures_proposals.graphql';
import { count, decimal, momentUtc, percentage, ratio, shortCount } from '../parts/format.ts';
import { measured } from '../parts/operators.tsx';
import { total } from '../parts/sums.ts';
import { Tile, Tiles } from '../parts/tiles.tsx';
import { countColumn, percentColumn, ratioColumn } from './columns.tsx';
import { Figure } from './figure.tsx';
import { happeningLegend, type TabBetween, useHappenings } from './happenings.ts';
import { MOST_PERIODS, type Period, periodName } from './periods.ts';
import { barsOver, colors, type Interval, linesOver, type Series } from './plots.ts';
import type { Column } from './table.tsx';

graphql`
  fragment performanceFigures_effectiveness on EffectivenessRecord {
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
`;

graphql`
  fragment performanceFigures_attestations on AttestationRecord {
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
`;

graphql`
  fragment performanceFigures_proposals on ProposalRecord {
    id
    date
    startDate
    endDate
    startTimestamp
    endTimestamp
    proposerDutyCount
    proposedCount
    missedProposalCount
  }
`;

type Unmasked<T> = Omit<T, ' $fragmentType'>;
type Votes = Unmasked<performanceFigures_attestations$data>;
type Proposals = Unmasked<performanceFigures_proposals$data>;
type Timed = Period & { readonly startTimestamp: string; readonly endTimestamp: string };
type Effect = Timed & {
  readonly id: string;
  readonly avgAttesterEffectiveness: number;
  readonly avgValidatorEffectiveness?: number;
  readonly avgUptime?: number;
};
type List<Row> = { readonly nodes: readonly Row[] } | null | undefined;

/** An operator or a set. */
type Of = {
  readonly summary?:
    | {
        readonly validatorCount?: number;
        readonly avgValidatorEffectiveness: number;
        readonly avgUptime?: number | null | undefined;
        readonly avgInclusionDelay?: number | null | undefined;
      }
    | null
    | undefined;
  readonly effectiveness?: List<Unmasked<performanceFigures_effectiveness$data>>;
  readonly attestations?:
    | (NonNullable<List<Votes>> & { readonly pageInfo: { readonly hasNextPage: boolean } })
    | null
    | undefined;
  readonly proposals?: List<Proposals>;
  readonly marked?: Parameters<typeof useHappenings>[0]['slashings'];
};

const beginOf = ({ startTimestamp }: Timed) => new Date(startTimestamp);

const period: Column<Timed> = {
  head: 'Period',
  csv: 'Begins (UTC)',
  value: ({ startTimestamp }) => startTimestamp,
  show: (one) => (
    <span title={`${momentUtc(one.startTimestamp)} to ${momentUtc(one.endTimestamp)}`}>
      {periodName(one)}
    </span>
  ),
};

const effectSeries: Series<Effect>[] = [
  { label: 'Attestations', color: colors[2], value: (row) => row.avgAttesterEffectiveness },
  { label: 'Validators', color: colors[0], value: (row) => row.avgValidatorEffectiveness ?? null },
];

const effects = linesOver<Effect>({
  date: beginOf,
  series: effectSeries,
  label: 'Effectiveness',
  format: percentage,
  tip: (row) =>
    [
      periodName(row),
      `Attestations ${percentage(row.avgAttesterEffectiveness)}`,
      ...(row.avgValidatorEffectiveness === undefined
        ? []
        : [`Validators ${percentage(row.avgValidatorEffectiveness)}`]),
    ].join('\n'),
});

const effectColumns: Column<Effect>[] = [
  period,
  percentColumn('Validators', (row) => row.avgValidatorEffectiveness),
  percentColumn('Attestations', (row) => row.avgAttesterEffectiveness),
  ratioColumn('Uptime', (row) => row.avgUptime),
];

const voteSeries: Series<Votes>[] = [
  { label: 'Missed', color: colors[4], value: (row) => Number(row.sumMissedAttestations) },
  { label: 'Wrong head', color: colors[1], value: (row) => Number(row.sumWrongHeadVotes) },
  { label: 'Wrong target', color: colors[3], value: (row) => Number(row.sumWrongTargetVotes) },
];

const votes = linesOver<Votes>({
  date: beginOf,
  series: voteSeries,
  label: 'Votes',
  format: shortCount,
  from: 0,
  tip: (row) =>
    [
      periodName(row),
      `${count(row.sumMissedAttestations)} missed`,
      `${count(row.sumWrongHeadVotes)} with a wrong head`,
      `${count(row.sumWrongTargetVotes)} with a wrong target`,
      `${count(row.totalUniqueAttestations)} included`,
    ].join('\n'),
});

const voteColumns: Column<Votes>[] = [
  period,
  countColumn('Missed', (row) => row.sumMissedAttestations),
  countColumn('Wrong head', (row) => row.sumWrongHeadVotes),
  countColumn('Wrong target', (row) => row.sumWrongTargetVotes),
  countColumn('Late source', (row) => row.sumLateSourceVotes),
  countColumn('Late target', (row) => row.sumLateTargetVotes),
  countColumn('Included', (row) => row.totalUniqueAttestations),
];

const outcomes: Series<Proposals>[] = [
  { label: 'Proposed', color: colors[2], value: (row) => Number(row.proposedCount) },
  { label: 'Missed', color: colors[4], value: (row) => Number(row.missedProposalCount) },
];

const proposalsBy = (interval: Interval) =>
  barsOver<Proposals>({
    date: beginOf,
    series: outcomes,
    label: 'Blocks',
    interval,
    format: shortCount,
    tip: (row) =>
      [
        periodName(row),
        `${count(row.proposedCount)} proposed`,
        `${count(row.missedProposalCount)} missed`,
      ].join('\n'),
  });
const proposals = {
  hour: proposalsBy('day'),
  day: proposalsBy('day'),
  week: proposalsBy('week'),
  month: proposalsBy('month'),
  quarter: proposalsBy('quarter'),
  year: proposalsBy('year'),
};

const proposalColumns: Column<Proposals>[] = [
  period,
  countColumn('Proposed', (row) => row.proposedCount),
  countColumn('Missed', (row) => row.missedProposalCount),
  countColumn('Duties', (row) => row.proposerDutyCount),
];

function PerformanceTiles({ of, mean }: { of: Of; mean: string }) {
  const { summary, attestations, proposals: blocks } = of;
  const duties = attestations?.nodes ?? [];
  const missed = total(duties, (row) => row.sumMissedAttestations);
  const due = BigInt(missed) + BigInt(total(duties, (row) => row.totalUniqueAttestations));
  return (
    <Tiles>
      <Tile label="Effectiveness" note={mean}>
        {percentage(measured(summary, summary?.avgValidatorEffectiveness))}
      </Tile>
      <Tile label="Uptime" note={mean}>
        {ratio(measured(summary, summary?.avgUptime))}
      </Tile>
      <Tile label="Inclusion delay" unit="slots" note={mean}>
        {decimal(summary?.avgInclusionDelay, 3)}
      </Tile>
      <Tile label="Missed attestations" note={`of ${count(due)} due`}>
        {count(missed)}
      </Tile>
      <Tile
        label="Missed blocks"
        note={`of ${count(total(blocks?.nodes ?? [], (row) => row.proposerDutyCount))} due`}
      >
        {count(total(blocks?.nodes ?? [], (row) => row.missedProposalCount))}
      </Tile>
    </Tiles>
  );
}

/** Effectiveness, votes and blocks of the validators of an operator or a set, by any granularity in both calendars. */
export function Performance(props: {
  of: Of;
  by: keyof typeof proposals;
  /** The window of the figures that are stored for windows, in words. */
  window: string;
  to: TabBetween;
  /** The REST path of the same periods. */
  rest: (of: 'effectiveness' | 'attestations' | 'proposals') => string | undefined;
}) {
  const { of, by, window, to, rest } = props;
  const attestations = of.attestations?.nodes ?? [];
  const days = of.effectiveness?.nodes ?? [];
  // Hours, and operators whose figures were imported, have the effectiveness of attestations only.
  const rows: readonly Effect[] = days.length > 0 ? days : attestations;
  const happenings = useHappenings({ slashings: of.marked, votes: of.attestations }, to, rows);
  const marks = happeningLegend(happenings, true);
  const empty = `No ${by}s of it are stored in this range.`;
  const cut = of.attestations?.pageInfo.hasNextPage && attestations.length === MOST_PERIODS;
  return (
    <>
      <PerformanceTiles of={of} mean={`mean, ${window.toLowerCase()}`} />
      {cut && <p className="hint">Only the newest {count(MOST_PERIODS)} periods of the range are shown.</p>}
      <div className="figures">
        <Figure
          title="Effectiveness"
          wide
          rest={days.length > 0 ? rest('effectiveness') : undefined}
          note="Mean of the validators and of their attestations, in percent."
          columns={effectColumns}
          rows={rows}
          draw={effects}
          series={[...(days.length > 0 ? effectSeries : effectSeries.slice(0, 1)), ...marks]}
          happenings={happenings}
          empty={empty}
        />
        <Figure
          title="Missed and wrong votes"
          rest={rest('attestations')}
          note="Attestations of the validators that were missed or voted wrong."
          columns={voteColumns}
          rows={attestations}
          draw={votes}
          series={[...voteSeries, ...marks]}
          happenings={happenings}
          empty={empty}
        />
        <Figure
          title="Blocks"
          rest={rest('proposals')}
          note="Blocks that the validators were to propose."
          columns={proposalColumns}
          rows={of.proposals?.nodes ?? []}
          draw={proposals[by]}
          series={outcomes}
          empty={empty}
        />
      </div>
    </>
  );
}
