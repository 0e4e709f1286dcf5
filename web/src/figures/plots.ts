import type { PlotOptions } from '@observablehq/plot';
import { ratio } from '../parts/format.ts';

export type PlotLibrary = typeof import('./plot-library.ts');
/** Makes the options of a plot; `width` is that of the figure in pixels. */
export type Draw<Row> = (plot: PlotLibrary, rows: readonly Row[], width: number) => PlotOptions;

/** A line, or a part of each bar. `value` is only a position: a float is exact enough. */
export type Series<Row> = { label: string; color: string; value: (row: Row) => number | null };

/** Colours that stay apart in both themes and for the colour-blind. */
export const colors = [1, 2, 3, 4, 5, 6].map((number) => `var(--series-${number})`) as [
  string,
  string,
  string,
  string,
  string,
  string,
];

/** Writes a value with the digits down to `place`: 2 is hundredths, 0 ones, -3 thousands. */
export type Format = (value: number, place: number) => string;

/** Writes the ticks of an axis with as many digits as their step needs. */
export const ticksAs =
  (format: Format) =>
  (value: number, _index: number, [first = 0, second = first]: readonly number[] = []): string => {
    const step = Math.abs(second - first) || 0.01;
    return format(value, -Math.floor(Math.log10(step) + 1e-6)); // 0.3 - 0.2 is a bit less than 0.1
  };

/** For values between 0 and 1 that are written in percent. */
export const asPercent: Format = (value, place) => ratio(value, place - 2);

type Over<Row> = {
  date: (row: Row) => Date;
  series: Series<Row>[];
  /** Of the y axis, with its unit. */
  label: string;
  format?: Format;
  /** What the pointer shows, a figure a line. */
  tip: (row: Row) => string;
  /** Smallest y; without it lines begin near their least value, and bars at 0. */
  from?: number;
};

const ticksOf = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(navigator.languages as string[], { month: 'short', timeZone: 'UTC', ...options });
const hour = ticksOf({ day: 'numeric', hour: '2-digit', minute: '2-digit' });
const [day, month] = [ticksOf({ day: 'numeric' }), ticksOf({ year: 'numeric' })];
const DAY_MS = 86_400_000;

/** How the times of an axis are written. */
function ticksFor(times: readonly number[]) {
  const range = Math.max(...times) - Math.min(...times);
  if (range > 400 * DAY_MS) return month;
  return range < 7 * DAY_MS && range < (times.length - 1) * DAY_MS ? hour : day;
}

const PIXELS_A_TICK = 110;
const PIXELS_A_LEVEL = 50;

/** The number of ticks of a y axis. Whole values get none between whole numbers. */
function levelsOf(values: readonly number[]): number {
  const most = Math.floor(260 / PIXELS_A_LEVEL);
  const range = Math.max(...values) - Math.min(...values);
  return values.every(Number.isInteger) ? Math.max(1, Math.min(most, range)) : most;
}

/** `values` are those that the y axis must show. */
function axes<Row>(
  { date, label, format }: Over<Row>,
  rows: readonly Row[],
  width: number,
  values: readonly number[],
): PlotOptions {
  const times = [...new Set(rows.map((row) => date(row).getTime()))];
  const ticks = ticksFor(times);
  const most = Math.floor(width / PIXELS_A_TICK);
  return {
    x: {
      type: 'utc',
      label: null,
      ticks: times.length <= most ? times : most,
      tickFormat: (at: Date) => ticks.format(at),
    },
    y: {
      label,
      grid: true,
      nice: true,
      ticks: levelsOf(values),
      ...(format && { tickFormat: ticksAs(format) }),
    },
  };
}

/** Options of an axis of bars, which would fill the plot if all values are 0. */
export const ofZeros = (values: readonly (number | null)[]) =>
  values.every((value) => !value) ? { domain: [0, 1], ticks: 1 } : {};

/** Up to so many points have dots, because a line of one point is invisible. */
const FEW = 8;

/** Lines over time. */
export const linesOver =
  <Row>(over: Over<Row>): Draw<Row> =>
  (plot, rows, width) => {
    const { date: x, series, tip, from } = over;
    const [first] = series;
    const values = rows.flatMap((row) => series.flatMap(({ value }) => value(row) ?? []));
    const options = axes(over, rows, width, from === 0 ? [0, ...values] : values);
    return {
      ...options,
      y: { ...options.y, zero: from === 0 },
      marks: [
        ...series.map(({ value, color }) =>
          plot.lineY(rows, { x, y: value, stroke: color, strokeWidth: 2, curve: 'monotone-x' }),
        ),
        ...series.map(({ value, color }) => {
          const dots = { x, y: value, fill: color, r: 3 };
          return plot.dot(rows, rows.length <= FEW ? dots : plot.pointerX(dots));
        }),
        plot.ruleX(rows, plot.pointerX({ x, stroke: 'currentColor', strokeOpacity: 0.3 })),
        plot.tip(rows, plot.pointerX({ x, y: first?.value, title: tip, lineHeight: 1.3 })),
      ],
    };
  };

export type Interval = 'day' | 'week' | 'month' | 'quarter' | 'year';
const HALF_DAY_MS = 43_200_000;
const halfDays = { day: 1, week: 7, month: 30, quarter: 91, year: 365 };

/** Bars over time, an interval each, whose parts are stacked. */
export const barsOver =
  <Row>(over: Over<Row> & { interval?: Interval }): Draw<Row> =>
  (plot, rows, width) => {
    const { date, series, tip, interval = 'day' } = over;
    const parts = rows.flatMap((row) =>
      series.map(({ value, color }) => ({ at: date(row), value: value(row) ?? 0, color })),
    );
    const total = (row: Row) => series.reduce((sum, { value }) => sum + (value(row) ?? 0), 0);
    const middle = (row: Row) => new Date(date(row).getTime() + halfDays[interval] * HALF_DAY_MS);
    const times = rows.map((row) => date(row).getTime());
    const bars = (Math.max(...times) - Math.min(...times)) / (2 * halfDays[interval] * HALF_DAY_MS) + 1;
    const options = axes(over, rows, width, [0, ...rows.map(total)]);
    return {
      ...options,
      y: { ...options.y, ...ofZeros(parts.map(({ value }) => value)) },
      marks: [
        plot.rectY(parts, {
          x: 'at',
          y: 'value',
          fill: 'color',
          interval: interval === 'week' ? 'monday' : interval,
          inset: width / bars > 3 ? 0.5 : 0, // narrower bars would vanish
        }),
        plot.ruleY([0], { stroke: 'currentColor', strokeOpacity: 0.4 }),
        plot.tip(rows, plot.pointerX({ x: middle, y: total, title: tip, lineHeight: 1.3 })),
      ],
    };
  };

/** A UTC date as the position in a plot. */
export const at = (date: string) => new Date(`${date}T00:00:00Z`);
