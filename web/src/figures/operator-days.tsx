import { useMemo } from 'react';
import { graphql } from 'react-relay';
import { useSearchParams } from 'react-router';
import type { operatorDays_history$data } from '../__generated__/operatorDays_history.graphql';
import { Select } from '../parts/controls.tsx';
import { calendarDate, percentage, shortCount } from '../parts/format.ts';
import { stakeShare } from '../parts/operators.tsx';
import type { RangeName, Ranges } from '../url/range.ts';
import { oneOf } from '../url/url-state.ts';
import { hasHistory, NO_HISTORY } from '../url/windows.ts';
import { Figure } from './figure.tsx';
import { asPercent, at, colors, linesOver, type Series } from './plots.ts';
import type { Column } from './table.tsx';

graphql`
  fragment operatorDays_history on OperatorHistoryConnection {
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

export type HistoryDay = operatorDays_history$data['nodes'][number];
/** An operator, or a set. */
type Shown = {
  readonly name: string;
  readonly history: { readonly nodes: readonly HistoryDay[] } | null | undefined;
};
/** The figure of each of them on a date, in their order. */
type Beside = { id: string; date: string; values: (number | null)[] };

const measure = oneOf('measure', ['effectiveness', 'share', 'apr', 'validators'], 'effectiveness');
const measureNames = {
  effectiveness: 'Effectiveness',
  share: 'Share of stake',
  apr: 'APR',
  validators: 'Validators',
};
const measures = {
  effectiveness: {
    of: (day: HistoryDay) => day.avgValidatorEffectiveness,
    show: (value: number | null) => percentage(value),
    axis: percentage,
    unit: '%',
  },
  share: {
    of: (day: HistoryDay) => day.networkPenetration ?? null,
    show: stakeShare,
    axis: asPercent,
    unit: '0–1',
  },
  apr: {
    of: (day: HistoryDay) => day.aprPercentage ?? null,
    show: (value: number | null) => percentage(value),
    axis: percentage,
    unit: '%',
  },
  validators: {
    of: (day: HistoryDay) => day.validatorCount,
    show: (value: number | null) => shortCount(value),
    axis: shortCount,
    unit: 'validators',
  },
};

function besideEachOther(shown: readonly Shown[], of: (day: HistoryDay) => number | null): Beside[] {
  const rows = new Map<string, Beside>();
  for (const [index, { history }] of shown.entries())
    for (const day of history?.nodes ?? []) {
      const row = rows.get(day.date) ?? { id: day.date, date: day.date, values: shown.map(() => null) };
      row.values[index] = of(day);
      rows.set(day.date, row);
    }
  return [...rows.values()].sort((a, b) => (a.date < b.date ? -1 : 1));
}

/** One figure of up to six operators and sets, by day; which one, the reader chooses. */
export function OperatorDays<T extends RangeName>(props: { of: readonly Shown[]; ranges: Ranges<T> }) {
  const { of: shown, ranges } = props;
  const [search] = useSearchParams();
  const chosen = measure.read(search);
  const { rows, columns, draw, series } = useMemo(() => {
    const { of, show, axis, unit } = measures[chosen];
    const series = shown.map(
      ({ name }, index): Series<Beside> => ({
        label: name,
        color: colors[index] ?? colors[5],
        value: ({ values }) => values[index] ?? null,
      }),
    );
    const columns: Column<Beside>[] = [
      { head: 'Chain day', value: ({ date }) => date, show: ({ date }) => calendarDate(date) },
      ...series.map(
        ({ label, value }): Column<Beside> => ({
          head: label,
          csv: `${label} (${unit})`,
          value,
          show: (row) => show(value(row)),
          numeric: true,
        }),
      ),
    ];
    const draw = linesOver<Beside>({
      date: ({ date }) => at(date),
      series,
      label: measureNames[chosen],
      format: axis,
      tip: (row) =>
        [calendarDate(row.date), ...series.map(({ label, value }) => `${label} ${show(value(row))}`)].join(
          '\n',
        ),
    });
    return { rows: besideEachOther(shown, of), columns, draw, series };
  }, [shown, chosen]);
  return (
    <Figure
      title={`${measureNames[chosen]} by day`}
      wide
      note="The figure of the window, as it was on each day."
      parts={shown.map(({ history }) => history)}
      columns={columns}
      rows={rows}
      draw={draw}
      series={shown.length > 1 ? series : undefined}
      controls={<Select param={measure} label="Figure" names={measureNames} />}
      empty={hasHistory(search, ranges) ? 'No history is stored.' : NO_HISTORY}
    />
  );
}
