import type { consolidationsQuery } from '../../__generated__/consolidationsQuery.graphql';
import {
  countColumn,
  dateColumn,
  gweiColumn,
  numberColumn,
  validatorColumn,
} from '../../figures/columns.tsx';
import {
  asPercent,
  barsOver,
  colors,
  type Draw,
  type Format,
  ofZeros,
  ticksAs,
} from '../../figures/plots.ts';
import { dateOf, spanDate, spanName, spanStart } from '../../figures/spans.ts';
import type { Column } from '../../figures/table.tsx';
import { count, eth, plotted, ratio, shortCount } from '../../parts/format.ts';
import { stakeShare } from '../../parts/operators.tsx';
import { PageLink } from '../../parts/page-links.tsx';
import { Share } from '../../parts/share.tsx';
import { paths } from '../../url/links.ts';
import { oneOf } from '../../url/url-state.ts';
import { windowNames, windowValues, windowWords } from '../../url/windows.ts';

type Data = consolidationsQuery['response'];
export type Capacity = NonNullable<Data['consolidationCapacities']>[number];
type Consolidation = NonNullable<Data['consolidations']>['nodes'][number];
type Pending = NonNullable<Data['pendingConsolidations']>['nodes'][number];
type Total = NonNullable<Data['operatorConsolidations']>['nodes'][number];
type Period = NonNullable<Data['consolidationHistory']>['nodes'][number];
type Part = NonNullable<Data['operatorConsolidationCapacities']>['nodes'][number];
type Named = { readonly idType: string; readonly operatorId: string };

/** The window of the capacity, which the chain counts by windows only. */
export const windows = oneOf('window', ['1d', '7d', '30d', 'all'], '1d');
export const windowOf = (search: URLSearchParams) => windowValues[windows.read(search)];
const shortWindows = Object.fromEntries(
  windows.values.map((value) => [windowValues[value], windowNames[value]]),
) as Record<Capacity['window'], string>;

export const wordsOf = (window: Capacity['window']) =>
  windowWords[windows.values.find((value) => windowValues[value] === window) ?? 'all'];

const operatorColumn = <Row,>(head: string, of: (row: Row) => readonly Named[]): Column<Row> => ({
  head,
  value: (row) =>
    of(row)
      .map(({ operatorId }) => operatorId)
      .join(', '),
  show: (row) =>
    of(row).length === 0
      ? '–'
      : of(row).map(({ idType, operatorId }, index) => (
          <span key={operatorId}>
            {index > 0 && ', '}
            <PageLink to={paths.operator(idType, operatorId)}>{operatorId}</PageLink>
          </span>
        )),
});

/** A share is empty when there was no capacity. */
const shareColumn = <Row,>(
  head: string,
  of: (row: Row) => number | null | undefined,
  most = 1,
): Column<Row> => ({
  head,
  csv: `${head} (0–1)`,
  value: of,
  show: (row) => {
    const share = of(row);
    return share == null ? '–' : <Share value={share} of={most} text={stakeShare(share)} />;
  },
  numeric: true,
});

export const capacityColumns: Column<Capacity>[] = [
  { head: 'Window', value: ({ window }) => window, show: ({ window }) => shortWindows[window] },
  shareColumn('Used', ({ capacityFilled }) => capacityFilled),
  gweiColumn('Moved', ({ consolidatedBalance }) => consolidatedBalance),
  gweiColumn('Capacity', ({ capacity }) => capacity),
  countColumn('Number', ({ consolidationCount }) => consolidationCount),
];

const named = (entities: readonly Named[]) =>
  entities.filter(({ idType }) => idType === 'NODE_OPERATOR' || idType === 'POOL');

export const columns: Column<Consolidation>[] = [
  dateColumn(({ date }) => date),
  numberColumn('Epoch', ({ epoch }) => epoch, 'EPOCH'),
  validatorColumn('From', ({ sourceValidatorIndex }) => sourceValidatorIndex),
  operatorColumn('Operators', ({ sourceEntities }) => named(sourceEntities)),
  validatorColumn('To', ({ targetValidatorIndex }) => targetValidatorIndex),
  operatorColumn('Operators of the target', ({ targetEntities }) => named(targetEntities)),
  gweiColumn('Moved', ({ consolidatedBalance }) => consolidatedBalance, 'CONSOLIDATED_BALANCE'),
];

export const pendingColumns: Column<Pending>[] = [
  countColumn('Place', ({ position }) => position + 1),
  numberColumn('Expected in epoch', ({ expectedEpoch }) => expectedEpoch),
  validatorColumn('From', ({ sourceValidatorIndex }) => sourceValidatorIndex),
  validatorColumn('To', ({ targetValidatorIndex }) => targetValidatorIndex),
  gweiColumn('Would move', ({ amount }) => amount),
];

export const totalColumns: Column<Total>[] = [
  operatorColumn('Operator', (row) => [row]),
  gweiColumn('Moved', ({ consolidatedBalance }) => consolidatedBalance),
  countColumn('Number', ({ consolidationCount }) => consolidationCount),
  countColumn('Sources', ({ sourceValidatorCount }) => sourceValidatorCount),
  countColumn('Targets', ({ targetValidatorCount }) => targetValidatorCount),
  dateColumn(({ startDate }) => startDate, 'First (UTC)'),
  dateColumn(({ endDate }) => endDate, 'Last (UTC)'),
];

export const partColumns = (largest: number): Column<Part>[] => [
  operatorColumn('Operator', (row) => [row]),
  shareColumn('Of the capacity', ({ capacityShare }) => capacityShare, largest),
  gweiColumn('Moved', ({ consolidatedBalance }) => consolidatedBalance),
  countColumn('Number', ({ consolidationCount }) => consolidationCount),
];

const granularityValues = { day: 'DAY', week: 'WEEK', month: 'MONTH', quarter: 'QUARTER' } as const;
export type Length = keyof typeof granularityValues;
export const granularity = oneOf('granularity', ['day', 'week', 'month', 'quarter'], 'week');
export const granularityNames = { day: 'Days', week: 'Weeks', month: 'Months', quarter: 'Quarters' };
export const granularityOf = (search: URLSearchParams) => granularityValues[granularity.read(search)];

/** Plots and columns are constants, so that a plot is drawn again only when its rows change. */
const each = <T,>(make: (interval: Length) => T) =>
  Object.fromEntries(granularity.values.map((name) => [name, make(name)])) as Record<Length, T>;

const tipOf = (interval: Length) => (row: Period) =>
  [
    spanName(interval, dateOf(row)),
    `${eth(row.consolidatedBalance)} moved`,
    `${count(row.consolidationCount)} consolidations`,
    `${ratio(row.capacityFilled)} of the capacity`,
  ].join('\n');

const barsOf = (label: string, color: string, of: (row: Period) => number | null, format: Format) =>
  each((interval) =>
    barsOver<Period>({
      date: (row) => spanStart(interval, dateOf(row)),
      series: [{ label, color, value: of }],
      label,
      interval,
      format,
      tip: tipOf(interval),
    }),
  );
export const moved = barsOf(
  'ETH',
  colors[0],
  ({ consolidatedBalance }) => plotted(consolidatedBalance),
  shortCount,
);
export const filled = barsOf(
  'Share of the capacity',
  colors[2],
  ({ capacityFilled }) => capacityFilled ?? null,
  asPercent,
);

export const periodColumns = each((interval): Column<Period>[] => [
  {
    head: 'Begins (UTC)',
    value: (row) => spanDate(interval, dateOf(row)),
    show: (row) => spanName(interval, dateOf(row)),
  },
  gweiColumn('Moved', ({ consolidatedBalance }) => consolidatedBalance),
  countColumn('Number', ({ consolidationCount }) => consolidationCount),
  gweiColumn('Capacity', ({ capacity }) => capacity),
  shareColumn('Used', ({ capacityFilled }) => capacityFilled),
]);

/** The share of the capacity that each window used. */
export const used: Draw<Capacity> = (plot, rows, width) => ({
  height: 40 * rows.length + 48,
  marginLeft: 64,
  marginRight: 56,
  x: {
    label: null,
    grid: true,
    nice: true,
    ticks: Math.floor(width / 110),
    tickFormat: ticksAs(asPercent),
    ...ofZeros(rows.map(({ capacityFilled }) => capacityFilled ?? 0)),
  },
  y: {
    label: null,
    domain: rows.map(({ window }) => window),
    tickFormat: (name: Capacity['window']) => shortWindows[name],
  },
  marks: [
    plot.barX(rows, {
      y: 'window',
      x: ({ capacityFilled }) => capacityFilled ?? 0,
      fill: colors[0],
      inset: 3,
    }),
    plot.text(rows, {
      y: 'window',
      x: ({ capacityFilled }) => capacityFilled ?? 0,
      text: ({ capacityFilled }) => ratio(capacityFilled),
      textAnchor: 'start',
      dx: 6,
      fill: 'currentColor',
    }),
  ],
});
