import { useSearchParams } from 'react-router';
import type { operatorQuery } from '../../__generated__/operatorQuery.graphql';
import { countColumn, percentColumn, ratioColumn } from '../../figures/columns.tsx';
import { Figure } from '../../figures/figure.tsx';
import {
  calendarNames,
  calendars,
  fromDate,
  type Period,
  periodName,
  toDate,
} from '../../figures/periods.ts';
import { colors, linesOver, type Series } from '../../figures/plots.ts';
import type { Column } from '../../figures/table.tsx';
import { Choice, Select } from '../../parts/controls.tsx';
import { DateFilter } from '../../parts/filters.tsx';
import { count, momentUtc, percentage, shortCount } from '../../parts/format.ts';
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

/** As variables of the document. */
export function periodsOf(search: URLSearchParams) {
  const by = granularity.read(search);
  const [from = null, to = null] = [fromDate.read(search), toDate.read(search)];
  return {
    granularity: by.toUpperCase() as Uppercase<typeof by>,
    utc: calendars.read(search) === 'utc',
    fromDate: from,
    toDate: to,
    periods: from || to ? MOST_PERIODS : newest[by],
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
  const empty = `No ${by === 'all' ? 'periods' : granularityNames[by].toLowerCase()} of it are stored in this range.`;
  const dayName = calendars.read(search) === 'utc' ? 'UTC days' : 'chain days';
  const cut = operator.attestations?.pageInfo.hasNextPage && (fromDate.read(search) || toDate.read(search));
  return (
    <section aria-labelledby="over-time">
      <header className="section">
        <h2 id="over-time">Over time</h2>
        <search className="filters">
          <Choice param={calendars} label="Calendar" names={calendarNames} />
          <Select param={granularity} label="Granularity" names={granularityNames} />
          <DateFilter zone="" />
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
