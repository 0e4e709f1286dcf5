import type { PlotOptions } from '@observablehq/plot';
import { ratio } from '../parts/format.ts';

export type PlotLibrary = typeof import('./plot-library.ts');
/** Where rows are on the axis of time, for pointers that plots share and for zooming. */
export type Time<Row> = {
  /** Where the period of a row begins. */
  date: (row: Row) => Date;
  /** From there to its position in the plot, in ms. */
  offset: number;
};
/** Makes the options of a plot; `width` is that of the figure in pixels. */
export type Draw<Row> = ((plot: PlotLibrary, rows: readonly Row[], width: number) => PlotOptions) & {
  time?: Time<Row>;
};

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
  /** Label of the y axis, with its unit. */
  label: string;
  format?: Format;
  /** What the pointer shows, a figure a line. */
  tip: (row: Row) => string;
  /** Smallest y; without it lines begin near their least value, and bars at 0. */
  from?: number;
};

const ticksOf = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(navigator.languages as string[], { month: 'short', timeZone: 'UTC', ...options });
const hour = { of: ticksOf({ day: 'numeric', hour: '2-digit', minute: '2-digit' }), pixels: 120 };
const day = { of: ticksOf({ day: 'numeric' }), pixels: 80 };
const date = { of: ticksOf({ day: 'numeric', year: 'numeric' }), pixels: 120 };
const month = { of: ticksOf({ year: 'numeric' }), pixels: 90 };
const DAY_MS = 86_400_000;

/** How the times of an axis are written, and how many pixels each takes. */
function ticksFor(times: readonly number[]) {
  const range = (times.at(-1) ?? 0) - (times[0] ?? 0);
  if (range > 400 * DAY_MS) return month;
  if (range > 180 * DAY_MS) return date;
  return range < 7 * DAY_MS && range < (times.length - 1) * DAY_MS ? hour : day;
}

/** The first and the last time, and as many between as have room, equally many rows apart. */
function spread(times: readonly number[], most: number): readonly number[] {
  const last = times.length - 1;
  const step = Math.ceil(last / Math.max(1, most - 1));
  return times.filter((_, index) => index === last || (index % step === 0 && last - index >= 0.8 * step));
}

const PIXELS_A_LEVEL = 50;
/** Left of a plot, for the labels of its y axis. */
export const MARGIN = 48;

/** The number of ticks of a y axis. Whole values get none between whole numbers. */
function levelsOf(values: readonly number[]): number {
  const most = Math.floor(260 / PIXELS_A_LEVEL);
  const range = Math.max(...values) - Math.min(...values);
  return values.every(Number.isInteger) ? Math.max(1, Math.min(most, range)) : most;
}

const PIXELS_A_SIGN = 6.5;

/** Left of a plot, for the longest label of its y axis. */
function marginFor(values: readonly number[], levels: number, format: Format | undefined): number {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  if (!format || !Number.isFinite(most - least)) return MARGIN;
  const step = (most - least) / Math.max(1, levels);
  const signs = Math.max(...[least, most].map((end) => ticksAs(format)(end, 0, [0, step]).length));
  return Math.max(MARGIN, 14 + Math.ceil(PIXELS_A_SIGN * signs));
}

/** `values` are those that the y axis must show. */
function axes<Row>(
  { date: of, label, format }: Over<Row>,
  rows: readonly Row[],
  width: number,
  values: readonly number[],
): PlotOptions {
  const times = [...new Set(rows.map((row) => of(row).getTime()))].sort((one, other) => one - other);
  const ticks = ticksFor(times);
  const levels = levelsOf(values);
  const marginLeft = marginFor(values, levels, format);
  return {
    marginTop: 28, // the name of the axis stands above its highest value
    marginLeft,
    marginRight: ticks.pixels / 3,
    x: {
      type: 'utc',
      label: null,
      ticks: spread(times, Math.floor((width - marginLeft) / ticks.pixels)),
      tickFormat: (at: Date | number) => ticks.of.format(at),
    },
    y: {
      label,
      grid: true,
      nice: true,
      ticks: levels,
      ...(format && { tickFormat: ticksAs(format) }),
    },
  };
}

/** Options of an axis of bars: without them, bars would fill the plot if all values are 0. */
export const ofZeros = (values: readonly (number | null)[]) =>
  values.every((value) => !value) ? { domain: [0, 1], ticks: 1 } : {};

/** Up to so many points have dots, because a line of one point is invisible. */
const FEW = 8;

/** Lines over time: straight from point to point, since nothing is known between them. */
export function linesOver<Row>(over: Over<Row>): Draw<Row> {
  const draw: Draw<Row> = (plot, rows, width) => {
    const { date: x, series, tip, from } = over;
    const [first] = series;
    const values = rows.flatMap((row) => series.flatMap(({ value }) => value(row) ?? []));
    const options = axes(over, rows, width, from === 0 ? [0, ...values] : values);
    return {
      ...options,
      y: { ...options.y, zero: from === 0 },
      marks: [
        ...series.map(({ value, color }) => plot.lineY(rows, { x, y: value, stroke: color, strokeWidth: 2 })),
        ...series.map(({ value, color }) => {
          const dots = { x, y: value, fill: color, r: 3 };
          return plot.dot(rows, rows.length <= FEW ? dots : plot.pointerX(dots));
        }),
        plot.ruleX(rows, plot.pointerX({ x, stroke: 'currentColor', strokeOpacity: 0.3 })),
        plot.tip(rows, plot.pointerX({ x, y: first?.value, title: tip, lineHeight: 1.3 })),
      ],
    };
  };
  return Object.assign(draw, { time: { date: over.date, offset: 0 } });
}

export type Interval = 'day' | 'week' | 'month' | 'quarter' | 'year';
const HALF_DAY_MS = 43_200_000;
const halfDays = { day: 1, week: 7, month: 30, quarter: 91, year: 365 };

/** Bars over time, an interval each, whose parts are stacked. */
export function barsOver<Row>(over: Over<Row> & { interval?: Interval }): Draw<Row> {
  const { date, series, tip, interval = 'day' } = over;
  const offset = halfDays[interval] * HALF_DAY_MS;
  const draw: Draw<Row> = (plot, rows, width) => {
    const parts = rows.flatMap((row) =>
      series.map(({ value, color }) => ({ at: date(row), value: value(row) ?? 0, color })),
    );
    const total = (row: Row) => series.reduce((sum, { value }) => sum + (value(row) ?? 0), 0);
    const middle = (row: Row) => new Date(date(row).getTime() + offset);
    const times = rows.map((row) => date(row).getTime());
    const bars = (Math.max(...times) - Math.min(...times)) / (2 * offset) + 1;
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
        plot.ruleX(rows, plot.pointerX({ x: middle, stroke: 'currentColor', strokeOpacity: 0.3 })),
        plot.tip(rows, plot.pointerX({ x: middle, y: total, title: tip, lineHeight: 1.3 })),
      ],
    };
  };
  return Object.assign(draw, { time: { date, offset } });
}

export type PlotOverTime = {
  drawn: ReturnType<PlotLibrary['plot']>;
  time: Time<unknown>;
  rows: readonly unknown[];
};
/** The plots over time that are shown, by their frames. */
export const plotsOverTime = new Map<HTMLElement, PlotOverTime>();

/** Something that happened on a UTC date, which plots over time mark. */
export type Happening = {
  date: string;
  /** What happened, for the pointer and screen readers. */
  text: string;
  /** The page with more about it. */
  to: string;
};

/** A line through the plot at each period in which something happened, with a link at its top. */
export function withHappenings<Row>(
  options: PlotOptions,
  plot: PlotLibrary,
  { date: of, offset }: Time<Row>,
  rows: readonly Row[],
  happenings: readonly Happening[],
): PlotOptions {
  const times = rows.map((row) => of(row).getTime()).sort((one, other) => one - other);
  const marked = new Map<number, { x: Date; to: string; texts: string[] }>();
  for (const { date, text, to } of happenings) {
    const begin = times.findLast((time) => time < at(date).getTime() + DAY_MS);
    if (begin === undefined) continue;
    const one = marked.get(begin) ?? { x: new Date(begin + offset), to, texts: [] };
    one.texts.push(text);
    marked.set(begin, one);
  }
  const shown = [...marked.values()];
  const title = ({ texts }: { texts: string[] }) => texts.join('\n');
  return {
    ...options,
    marginTop: 28,
    marks: [
      ...(options.marks ?? []),
      plot.ruleX(shown, { x: 'x', stroke: 'currentColor', strokeDasharray: '2,3', strokeOpacity: 0.6 }),
      plot.dot(shown, {
        x: 'x',
        frameAnchor: 'top',
        dy: -6,
        symbol: 'triangle',
        rotate: 180,
        r: 5,
        fill: 'var(--text)', // a link has a colour of its own
        href: 'to',
        ariaLabel: title,
        title,
      }),
    ],
  };
}

/** A UTC date as the position in a plot. */
export const at = (date: string) => new Date(`${date}T00:00:00Z`);
