import { useSearchParams } from 'react-router';
import type { operatorQuery } from '../../__generated__/operatorQuery.graphql';
import { countColumn, percentColumn, ratioColumn } from '../../figures/columns.tsx';
import { Figure } from '../../figures/figure.tsx';
import { type Period, periodName } from '../../figures/periods.ts';
import { colors, linesOver, type Series } from '../../figures/plots.ts';
import type { Column } from '../../figures/table.tsx';
import { Select } from '../../parts/controls.tsx';
import { count, momentUtc, percentage, shortCount } from '../../parts/format.ts';
import { calendars, daysOf, fromDate, ranges, toDate } from '../../url/range.ts';
import { oneOf } from '../../url/url-state.ts';

type Operator = NonNullable<operatorQuery['response']['operator']>;
type Votes = NonNullable<Operator['attestations']>['nodes'][number];
type Timed = Period & { readonly startTimestamp: string; readonly endTimestamp: string };
type Effect = Timed & {
  readonly id: string;
  readonly avgAttesterEffectiveness: number;
  readonly avgValidatorEffectiveness?: number;
  readonly avgUptime?: number;
};

const MOST_PERIODS = 1_000;

/** Of its plots; its other figures are stored for windows. */
export const operatorRanges = ranges(['1d', '7d', '30d', '90d', '1y', 'all'], '30d');
const granularity = oneOf('granularity', ['hour', 'day', 'week', 'month', 'quarter', 'year'], 'day');
const granularityNames = {
  hour: 'Hours',
  day: 'Days',
  week: 'Weeks',
  month: 'Months',
  quarter: 'Quarters',
  year: 'Years',
};
const daysIn = { hour: 1 / 24, day: 1, week: 7, month: 28, quarter: 90, year: 365 };

/** As variables of the document. */
export function periodsOf(search: URLSearchParams) {
  const by = granularity.read(search);
  const days = daysOf(operatorRanges, search) ?? Number.POSITIVE_INFINITY;
  return {
    granularity: by.toUpperCase() as Uppercase<typeof by>,
    utc: calendars.read(search) === 'utc',
    fromDate: fromDate.read(search) ?? null,
    toDate: toDate.read(search) ?? null,
    periods: Math.min(MOST_PERIODS, Math.ceil(days / daysIn[by])),
  };
}

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
      `of ${count(row.totalUniqueAttestations)} duties`,
    ].join('\n'),
});

const voteColumns: Column<Votes>[] = [
  period,
  countColumn('Missed', (row) => row.sumMissedAttestations),
  countColumn('Wrong head', (row) => row.sumWrongHeadVotes),
  countColumn('Wrong target', (row) => row.sumWrongTargetVotes),
  countColumn('Late source', (row) => row.sumLateSourceVotes),
  countColumn('Late target', (row) => row.sumLateTargetVotes),
  countColumn('Duties', (row) => row.totalUniqueAttestations),
];

/** Effectiveness and votes of an operator, by any granularity in both calendars. */
export function OverTime({ operator }: { operator: Operator }) {
  const [search] = useSearchParams();
  const attestations = operator.attestations?.nodes ?? [];
  const days = operator.effectiveness?.nodes ?? [];
  // Hours, and operators whose figures were imported, have the effectiveness of attestations only.
  const rows: readonly Effect[] = days.length > 0 ? days : attestations;
  const by = granularity.read(search);
  const empty = `No ${granularityNames[by].toLowerCase()} of it are stored in this range.`;
  const dayName = calendars.read(search) === 'utc' ? 'UTC days' : 'chain days';
  const cut = operator.attestations?.pageInfo.hasNextPage && attestations.length === MOST_PERIODS;
  return (
    <section aria-labelledby="over-time">
      <header className="section">
        <h2 id="over-time">Over time</h2>
        <Select param={granularity} label="Granularity" names={granularityNames} />
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
