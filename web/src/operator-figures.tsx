import type { operatorQuery } from './__generated__/operatorQuery.graphql';
import {
  calendarDate,
  count,
  decimal,
  eth,
  moment,
  momentUtc,
  percentage,
  ratio,
  shift,
  shortCount,
  shortHex,
} from './format.ts';
import { paths } from './links.ts';
import { longNameOf, nameOf, OperatorLink, stakeShare } from './operator-parts.tsx';
import { PageLink, Share } from './parts.tsx';
import { colors, type Draw, linesOver, type Series } from './plots.ts';
import type { Column } from './table.tsx';

type Operator = NonNullable<operatorQuery['response']['operator']>;
type Summary = NonNullable<Operator['oneDay']>;
export type Votes = NonNullable<Operator['attestations']>['nodes'][number];
export type Effect = Pick<Votes, Exclude<keyof Period, 'hour'>> & {
  readonly id: string;
  readonly avgAttesterEffectiveness: number;
  readonly avgValidatorEffectiveness?: number;
  readonly avgUptime?: number;
};
type Period = {
  readonly date?: string | null | undefined;
  readonly startDate?: string | null | undefined;
  readonly endDate?: string | null | undefined;
  readonly startTimestamp: string;
  readonly endTimestamp: string;
};
type PoolShare = NonNullable<Operator['poolShares']>['nodes'][number];
type Validator = NonNullable<Operator['validators']>['nodes'][number];
type Slashing = NonNullable<Operator['slashings']>['nodes'][number];
type Consolidation = NonNullable<Operator['consolidations']>['nodes'][number];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const isHour = ({ startTimestamp, endTimestamp }: Period) =>
  Date.parse(endTimestamp) - Date.parse(startTimestamp) < 2 * HOUR_MS;

/** A day by its date, hours by their beginning, longer periods by both ends. */
function periodText(period: Period): string {
  if (isHour(period)) return momentUtc(period.startTimestamp);
  const { date, startDate, endDate } = period;
  if (!startDate || !endDate) return calendarDate(date);
  return `${calendarDate(startDate)} – ${calendarDate(endDate)}`;
}

const periodColumns: Column<Period>[] = [
  {
    head: 'Period',
    csv: 'Begins (UTC)',
    value: ({ startTimestamp }) => startTimestamp,
    show: (period) => (
      <span title={`${momentUtc(period.startTimestamp)} to ${momentUtc(period.endTimestamp)}`}>
        {periodText(period)}
      </span>
    ),
  },
];

const tick = (options: Intl.DateTimeFormatOptions) => {
  const format = new Intl.DateTimeFormat(navigator.languages as string[], { timeZone: 'UTC', ...options });
  return (at: Date) => format.format(at);
};
const ticks = {
  hours: tick({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' }),
  days: tick({ day: 'numeric', month: 'short' }),
  months: tick({ month: 'short', year: 'numeric' }),
};

/** Lines over periods of any length. */
function over<Row extends Period>(options: {
  series: Series<Row>[];
  label: string;
  format: (value: number) => string;
  tip: (row: Row) => string;
  from?: number;
}): Draw<Row> {
  const draw = linesOver<Row>({ ...options, date: ({ startTimestamp }) => new Date(startTimestamp) });
  return (plot, rows, width) => {
    const times = rows.map(({ startTimestamp }) => Date.parse(startTimestamp));
    const days = (Math.max(...times) - Math.min(...times)) / DAY_MS;
    const tickFormat = days < 7 ? ticks.hours : days < 300 ? ticks.days : ticks.months;
    const drawn = draw(plot, rows, width);
    return { ...drawn, x: { ...drawn.x, ticks: Math.floor(width / 110), tickFormat } };
  };
}

export const effectSeries: Series<Effect>[] = [
  { label: 'Attestations', color: colors[2], value: (row) => row.avgAttesterEffectiveness },
  { label: 'Validators', color: colors[0], value: (row) => row.avgValidatorEffectiveness ?? null },
];

export const effects = over<Effect>({
  series: effectSeries,
  label: 'Effectiveness',
  format: (value) => percentage(value, 1),
  tip: (row) =>
    [
      periodText(row),
      `Attestations ${percentage(row.avgAttesterEffectiveness)}`,
      ...(row.avgValidatorEffectiveness === undefined
        ? []
        : [`Validators ${percentage(row.avgValidatorEffectiveness)}`]),
    ].join('\n'),
});

const percent = <Row,>(head: string, of: (row: Row) => number | null | undefined): Column<Row> => ({
  head,
  csv: `${head} (%)`,
  value: of,
  show: (row) => percentage(of(row)),
  numeric: true,
});
const whole = <Row,>(
  head: string,
  of: (row: Row) => number | string | null | undefined,
  csv = head,
): Column<Row> => ({ head, csv, value: of, show: (row) => count(of(row)), numeric: true });
const gwei = <Row,>(head: string, of: (row: Row) => string | null | undefined): Column<Row> => ({
  head,
  csv: `${head} (ETH)`,
  value: (row) => {
    const amount = of(row);
    return amount == null ? null : shift(amount, 9);
  },
  show: (row) => eth(of(row)),
  numeric: true,
});

export const effectColumns: Column<Effect>[] = [
  ...periodColumns,
  percent('Validators', (row) => row.avgValidatorEffectiveness),
  percent('Attestations', (row) => row.avgAttesterEffectiveness),
  {
    head: 'Uptime',
    csv: 'Uptime (0–1)',
    value: (row) => row.avgUptime,
    show: (row) => ratio(row.avgUptime),
    numeric: true,
  },
];

export const voteSeries: Series<Votes>[] = [
  { label: 'Missed', color: colors[4], value: (row) => Number(row.sumMissedAttestations) },
  { label: 'Wrong head', color: colors[1], value: (row) => Number(row.sumWrongHeadVotes) },
  { label: 'Wrong target', color: colors[3], value: (row) => Number(row.sumWrongTargetVotes) },
];

export const votes = over<Votes>({
  series: voteSeries,
  label: 'Votes',
  format: shortCount,
  from: 0,
  tip: (row) =>
    [
      periodText(row),
      `${count(row.sumMissedAttestations)} missed`,
      `${count(row.sumWrongHeadVotes)} with a wrong head`,
      `${count(row.sumWrongTargetVotes)} with a wrong target`,
      `of ${count(row.totalUniqueAttestations)} duties`,
    ].join('\n'),
});

export const voteColumns: Column<Votes>[] = [
  ...periodColumns,
  whole('Missed', (row) => row.sumMissedAttestations),
  whole('Wrong head', (row) => row.sumWrongHeadVotes),
  whole('Wrong target', (row) => row.sumWrongTargetVotes),
  whole('Late source', (row) => row.sumLateSourceVotes),
  whole('Late target', (row) => row.sumLateTargetVotes),
  whole('Duties', (row) => row.totalUniqueAttestations),
];

export type Part = { name: string; ratio: number };
export const shareColumns = (head: string): Column<Part>[] => [
  { head, value: ({ name }) => name },
  {
    head: 'Share',
    csv: 'Share (0–1)',
    value: (row) => row.ratio,
    show: (row) => <Share value={row.ratio} text={ratio(row.ratio, 1)} />,
    numeric: true,
  },
];

export const poolShareColumns = (inPool: boolean, most: number): Column<PoolShare>[] => [
  {
    head: inPool ? 'Node operator' : 'Pool share',
    value: ({ operatorId }) => operatorId,
    show: (row) => <OperatorLink operator={row} name={inPool ? nameOf(row) : longNameOf(row)} />,
  },
  {
    head: 'Share of stake',
    csv: 'Share of stake (0–1)',
    value: ({ summary }) => summary?.networkPenetration,
    show: ({ summary }) => (
      <Share
        value={summary?.networkPenetration ?? 0}
        of={most || 1}
        text={stakeShare(summary?.networkPenetration)}
      />
    ),
    numeric: true,
  },
  whole('Validators', ({ summary }) => summary?.validatorCount),
  percent('Effectiveness', ({ summary }) => summary?.avgValidatorEffectiveness),
];

const validatorLink = (index: number) => <PageLink to={paths.validator(index)}>{index}</PageLink>;
const statuses: Record<string, string> = {
  PENDING: 'pending',
  ACTIVE: 'active',
  EXITING: 'exiting',
  EXITED: 'exited',
};

export const validatorColumns: Column<Validator>[] = [
  {
    head: 'Index',
    value: (row) => row.validatorIndex,
    show: (row) => validatorLink(row.validatorIndex),
    numeric: true,
  },
  {
    head: 'Public key',
    value: (row) => row.validatorPubkey,
    show: (row) => <code title={row.validatorPubkey}>{shortHex(row.validatorPubkey)}</code>,
  },
  {
    head: 'Status',
    value: (row) => (row.slashed ? 'slashed, ' : '') + (statuses[row.status] ?? row.status),
  },
  whole('Activation epoch', (row) => row.activationEpoch),
  whole('Exit epoch', (row) => row.exitEpoch),
];

export const slashingColumns: Column<Slashing>[] = [
  { head: 'Date (UTC)', value: ({ date }) => date, show: ({ date }) => calendarDate(date) },
  whole('Epoch', (row) => row.slashingEpoch),
  {
    head: 'Validator',
    value: (row) => row.validatorIndex,
    show: (row) => validatorLink(row.validatorIndex),
    numeric: true,
  },
  gwei('Penalties', (row) => row.slashingPenalties),
];

export const consolidationColumns: Column<Consolidation>[] = [
  {
    head: 'Time (UTC)',
    value: ({ timestamp }) => timestamp,
    show: ({ timestamp }) => <time dateTime={timestamp}>{moment(timestamp)}</time>,
  },
  {
    head: 'Source',
    value: (row) => row.sourceValidatorIndex,
    show: (row) => validatorLink(row.sourceValidatorIndex),
    numeric: true,
  },
  {
    head: 'Target',
    value: (row) => row.targetValidatorIndex,
    show: (row) => validatorLink(row.targetValidatorIndex),
    numeric: true,
  },
  gwei('Balance', (row) => row.consolidatedBalance),
];

type Line = {
  name: string;
  unit: string;
  exact: (summary: Summary) => string | number | null | undefined;
  show: (summary: Summary) => string;
};

const lines: Line[] = [
  { name: 'Validators', unit: '', exact: (of) => of.validatorCount, show: (of) => count(of.validatorCount) },
  {
    name: 'Share of stake',
    unit: ' (0–1)',
    exact: (of) => of.networkPenetration,
    show: (of) => stakeShare(of.networkPenetration),
  },
  {
    name: 'Stake',
    unit: ' (ETH)',
    exact: (of) => of.sumEndEpochEffectiveBalance && shift(of.sumEndEpochEffectiveBalance, 9),
    show: (of) => eth(of.sumEndEpochEffectiveBalance),
  },
  {
    name: 'Effectiveness',
    unit: ' (%)',
    exact: (of) => of.avgValidatorEffectiveness,
    show: (of) => percentage(of.avgValidatorEffectiveness),
  },
  { name: 'APR', unit: ' (%)', exact: (of) => of.aprPercentage, show: (of) => percentage(of.aprPercentage) },
  { name: 'Uptime', unit: ' (0–1)', exact: (of) => of.avgUptime, show: (of) => ratio(of.avgUptime) },
  {
    name: 'Correctness',
    unit: ' (0–1)',
    exact: (of) => of.avgCorrectness,
    show: (of) => ratio(of.avgCorrectness),
  },
  {
    name: 'Inclusion delay',
    unit: ' (slots)',
    exact: (of) => of.avgInclusionDelay,
    show: (of) => (of.avgInclusionDelay == null ? '–' : `${decimal(of.avgInclusionDelay, 3)} slots`),
  },
];

type Given = Summary | null | undefined;
export type WindowLine = Line & { id: string; summaries: Record<string, Given> };

/** The figures of a summary, a row each, to stand beside those of others. */
export const linesOf = (summaries: Record<string, Given>): WindowLine[] =>
  lines.map((line) => ({ ...line, id: line.name, summaries }));

export const besideColumns = (names: readonly { key: string; head: string }[]): Column<WindowLine>[] => [
  { head: 'Figure', value: ({ name, unit }) => name + unit, show: ({ name }) => name },
  ...names.map(
    ({ key, head }): Column<WindowLine> => ({
      head,
      value: ({ summaries, exact }) => summaries[key] && exact(summaries[key]),
      show: ({ summaries, show }) => (summaries[key] ? show(summaries[key]) : '–'),
      numeric: true,
    }),
  ),
];
