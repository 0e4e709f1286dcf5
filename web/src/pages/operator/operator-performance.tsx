import { graphql } from 'react-relay';
import { useSearchParams } from 'react-router';
import type { operatorQuery } from '../../__generated__/operatorQuery.graphql';
import { countColumn, percentColumn, ratioColumn } from '../../figures/columns.tsx';
import { Figure } from '../../figures/figure.tsx';
import { type Period, periodName, restQuery } from '../../figures/periods.ts';
import { barsOver, colors, type Interval, linesOver, type Series } from '../../figures/plots.ts';
import type { Column } from '../../figures/table.tsx';
import { count, decimal, momentUtc, percentage, ratio, shortCount } from '../../parts/format.ts';
import { total } from '../../parts/sums.ts';
import { Tile, Tiles } from '../../parts/tiles.tsx';
import { restTypeOf } from '../../url/links.ts';
import { calendars } from '../../url/range.ts';
import { windowNameOf } from '../../url/windows.ts';
import { happeningLegend, useHappenings } from './operator-happenings.ts';
import {
  granularity,
  granularityNames,
  MOST_PERIODS,
  operatorRanges,
  periodsOf,
} from './operator-periods.ts';

graphql`
  fragment operatorPerformance_operator on Operator {
    effectiveness(
      granularity: $granularity
      utc: $utc
      fromDate: $fromDate
      toDate: $toDate
      orderBy: { field: PERIOD, direction: DESC }
      first: $periods
    ) @include(if: $onPerformance) {
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
    ) @include(if: $onPerformance) {
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
    proposals(
      granularity: $granularity
      utc: $utc
      fromDate: $fromDate
      toDate: $toDate
      orderBy: { field: PERIOD, direction: DESC }
      first: $periods
    ) @include(if: $onPerformance) {
      nodes {
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
    }
  }
`;

type Operator = NonNullable<operatorQuery['response']['operator']>;
type Votes = NonNullable<Operator['attestations']>['nodes'][number];
type Proposals = NonNullable<Operator['proposals']>['nodes'][number];
type Timed = Period & { readonly startTimestamp: string; readonly endTimestamp: string };
type Effect = Timed & {
  readonly id: string;
  readonly avgAttesterEffectiveness: number;
  readonly avgValidatorEffectiveness?: number;
  readonly avgUptime?: number;
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

function PerformanceTiles({ operator: { summary, attestations, proposals } }: { operator: Operator }) {
  const [duties, blocks] = [attestations?.nodes ?? [], proposals?.nodes ?? []];
  const mean = `mean, ${windowNameOf(useSearchParams()[0], operatorRanges).toLowerCase()}`;
  const missed = total(duties, (row) => row.sumMissedAttestations);
  const missedBlocks = total(blocks, (row) => row.missedProposalCount);
  return (
    <Tiles>
      <Tile label="Effectiveness" note={mean}>
        {percentage(summary?.avgValidatorEffectiveness)}
      </Tile>
      <Tile label="Uptime" note={mean}>
        {ratio(summary?.avgUptime)}
      </Tile>
      <Tile label="Inclusion delay" unit="slots" note={mean}>
        {decimal(summary?.avgInclusionDelay, 3)}
      </Tile>
      <Tile
        label="Missed attestations"
        note={`of ${count(BigInt(missed) + BigInt(total(duties, (row) => row.totalUniqueAttestations)))} due`}
      >
        {count(missed)}
      </Tile>
      <Tile label="Missed blocks" note={`of ${count(total(blocks, (row) => row.proposerDutyCount))} due`}>
        {count(missedBlocks)}
      </Tile>
    </Tiles>
  );
}

/** Effectiveness, votes and blocks of an operator, by any granularity in both calendars. */
export function Performance({ operator }: { operator: Operator }) {
  const [search] = useSearchParams();
  const attestations = operator.attestations?.nodes ?? [];
  const days = operator.effectiveness?.nodes ?? [];
  // Hours, and operators whose figures were imported, have the effectiveness of attestations only.
  const rows: readonly Effect[] = days.length > 0 ? days : attestations;
  const happenings = useHappenings(operator, rows);
  const { periods: last, ...range } = periodsOf(search);
  const query = new URLSearchParams({ entityType: restTypeOf(operator.idType) });
  const rest = `/v1/eth/entities/${encodeURIComponent(operator.operatorId)}/attestations?${query}&${restQuery({ ...range, last })}`;
  const marks = happeningLegend(happenings, true);
  const by = granularity.read(search);
  const empty = `No ${granularityNames[by].toLowerCase()} of it are stored in this range.`;
  const dayName = calendars.read(search) === 'utc' ? 'UTC days' : 'chain days';
  const cut = operator.attestations?.pageInfo.hasNextPage && attestations.length === MOST_PERIODS;
  return (
    <>
      <PerformanceTiles operator={operator} />
      {cut && <p className="hint">Only the newest {count(MOST_PERIODS)} periods of the range are shown.</p>}
      <div className="figures">
        <Figure
          title="Effectiveness"
          wide
          note={`Mean of the validators and of their attestations in percent, by ${dayName}.`}
          columns={effectColumns}
          rows={rows}
          draw={effects}
          series={[...(days.length > 0 ? effectSeries : effectSeries.slice(0, 1)), ...marks]}
          happenings={happenings}
          empty={empty}
        />
        <Figure
          title="Missed and wrong votes"
          rest={rest}
          note={`Attestations of the validators that were missed or voted wrong, by ${dayName}.`}
          columns={voteColumns}
          rows={attestations}
          draw={votes}
          series={[...voteSeries, ...marks]}
          happenings={happenings}
          empty={empty}
        />
        <Figure
          title="Blocks"
          note={`Blocks that the validators were to propose, by ${dayName}.`}
          columns={proposalColumns}
          rows={operator.proposals?.nodes ?? []}
          draw={proposals[by]}
          series={outcomes}
          empty={empty}
        />
      </div>
    </>
  );
}
