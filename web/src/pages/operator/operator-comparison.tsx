import { useMemo } from 'react';
import { useSearchParams } from 'react-router';
import type { operatorQuery } from '../../__generated__/operatorQuery.graphql';
import { Figure } from '../../figures/figure.tsx';
import { asPercent, at, colors, linesOver, type Series } from '../../figures/plots.ts';
import type { Column } from '../../figures/table.tsx';
import { Choice, SearchLink } from '../../parts/controls.tsx';
import { calendarDate, percentage, shortCount } from '../../parts/format.ts';
import { longNameOf, nameOf, stakeShare } from '../../parts/operators.tsx';
import { oneOf } from '../../url/url-state.ts';
import { hasHistory, NO_HISTORY } from '../../url/windows.ts';
import { operatorRanges } from './operator-periods.ts';
import { compared, comparedIn, OperatorPicker } from './operator-picker.tsx';
import { besideColumns, linesOf } from './operator-windows.ts';

type Operator = Pick<
  NonNullable<operatorQuery['response']['operator']>,
  'id' | 'idType' | 'operatorId' | 'displayName' | 'history'
> & { readonly summary: NonNullable<operatorQuery['response']['compared']>['nodes'][number]['summary'] };
type Day = NonNullable<Operator['history']>['nodes'][number];
/** The figure of each operator on a date, in their order. */
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
    of: (day: Day) => day.avgValidatorEffectiveness,
    show: (value: number | null) => percentage(value),
    axis: percentage,
    unit: '%',
  },
  share: { of: (day: Day) => day.networkPenetration ?? null, show: stakeShare, axis: asPercent, unit: '0–1' },
  apr: {
    of: (day: Day) => day.aprPercentage ?? null,
    show: (value: number | null) => percentage(value),
    axis: percentage,
    unit: '%',
  },
  validators: {
    of: (day: Day) => day.validatorCount,
    show: (value: number | null) => shortCount(value),
    axis: shortCount,
    unit: 'validators',
  },
};

function besideEachOther(operators: readonly Operator[], of: (day: Day) => number | null): Beside[] {
  const rows = new Map<string, Beside>();
  for (const [index, { history }] of operators.entries())
    for (const day of history?.nodes ?? []) {
      const row = rows.get(day.date) ?? { id: day.date, date: day.date, values: operators.map(() => null) };
      row.values[index] = of(day);
      rows.set(day.date, row);
    }
  return [...rows.values()].sort((a, b) => (a.date < b.date ? -1 : 1));
}

/** The operator beside up to three others: by day, and all figures of the window. */
export function Comparison({ operator, others }: { operator: Operator; others: readonly Operator[] }) {
  const [search] = useSearchParams();
  const chosen = measure.read(search);
  const { rows, columns, draw, series } = useMemo(() => {
    const operators = [operator, ...others];
    const { of, show, axis, unit } = measures[chosen];
    const series = operators.map(
      (one, index): Series<Beside> => ({
        label: longNameOf(one),
        color: colors[index] ?? colors[5],
        value: ({ values }) => values[index] ?? null,
      }),
    );
    const columns: Column<Beside>[] = [
      { head: 'Date (UTC)', value: ({ date }) => date, show: ({ date }) => calendarDate(date) },
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
    return { rows: besideEachOther(operators, of), columns, draw, series };
  }, [operator, others, chosen]);
  const heads = [operator, ...others].map((one) => ({ key: one.id, head: longNameOf(one) }));
  const summaries = Object.fromEntries([operator, ...others].map(({ id, summary }) => [id, summary]));
  return (
    <section aria-labelledby="comparison">
      <header className="section">
        <h2 id="comparison">Compared</h2>
        <div className="filters">
          {others.map((other) => (
            <SearchLink
              key={other.id}
              className="chip"
              make={(given) =>
                compared(
                  given,
                  comparedIn(given).filter((id) => id !== other.id),
                )
              }
              aria-label={`Remove ${longNameOf(other)} from the comparison`}
            >
              {nameOf(other)} ✕
            </SearchLink>
          ))}
          <OperatorPicker own={operator.id} />
          <Choice param={measure} label="Figure" names={measureNames} />
        </div>
      </header>
      <div className="figures">
        <Figure
          title={`${measureNames[chosen]} by day`}
          parts={[operator, ...others].map(({ history }) => history)}
          note="The figure of the window, as it was on each day."
          columns={columns}
          rows={rows}
          draw={draw}
          series={series}
          empty={hasHistory(search, operatorRanges) ? 'No history of these operators is stored.' : NO_HISTORY}
        />
        <Figure
          title="Side by side"
          note="Figures of the window that is chosen above."
          columns={besideColumns(heads)}
          rows={linesOf(summaries)}
        />
      </div>
    </section>
  );
}
