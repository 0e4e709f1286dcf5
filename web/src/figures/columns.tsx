import { ago, calendarDate, decimal, moment, shift } from '../parts/format.ts';
import { PageLink } from '../parts/page-links.tsx';
import { paths } from '../url/links.ts';
import type { Network } from '../url/network.ts';
import type { Column } from './table.tsx';

const GWEI_DIGITS = 9;
type Given<T> = T | null | undefined;

/** Gwei as ETH with all digits, for CSV. */
export const inEth = (gwei: Given<string>) => (gwei == null ? null : shift(gwei, GWEI_DIGITS));

/** A ratio in percent, without what a float adds to it. */
const inPercent = (value: string | number) => Number((100 * Number(value)).toPrecision(15));

/** Numbers rows from the first of the whole list; `skipped` are before the first of these. */
export const rankColumn = <Row extends object>(
  rows: readonly Row[],
  skipped: number | undefined,
): Column<Row> => {
  const ranks = new Map(rows.map((row, index) => [row, index + 1]));
  return {
    head: '#',
    csv: 'Rank',
    value: (row) => (skipped === undefined ? null : skipped + (ranks.get(row) ?? 0)),
    numeric: true,
    isRank: true,
  };
};

export const gweiColumn = <Row,>(
  head: string,
  of: (row: Row) => Given<string>,
  order?: string,
): Column<Row> => ({
  head: `${head} (ETH)`,
  value: (row) => inEth(of(row)),
  figure: true,
  numeric: true,
  ...(order && { order }),
});

export const countColumn = <Row,>(
  head: string,
  of: (row: Row) => Given<number | string>,
  order?: string,
): Column<Row> => ({
  head,
  value: of,
  figure: true,
  numeric: true,
  ...(order && { order }),
});

/** A column of percentages, such as 99.87. */
export const percentColumn = <Row,>(
  head: string,
  of: (row: Row) => Given<number>,
  order?: string,
): Column<Row> => ({
  head: `${head} (%)`,
  value: of,
  show: (row) => decimal(of(row)),
  figure: true,
  numeric: true,
  ...(order && { order }),
});

/** A column of ratios between 0 and 1, which the table shows in percent. */
export const ratioColumn = <Row,>(
  head: string,
  of: (row: Row) => Given<number>,
  order?: string,
): Column<Row> => ({
  head: `${head} (%)`,
  csv: `${head} (0–1)`,
  value: of,
  show: (row) => decimal(100 * (of(row) ?? 0)),
  figure: inPercent,
  numeric: true,
  ...(order && { order }),
});

export const validatorColumn = <Row,>(
  head: string,
  of: (row: Row) => number,
  {
    order,
    network,
    params,
  }: { order?: string; network?: Network; params?: Readonly<Record<string, string>> } = {},
): Column<Row> => ({
  head,
  value: of,
  show: (row) => (
    <PageLink to={`${paths.validator(of(row))}?${new URLSearchParams(params)}`} {...(network && { network })}>
      {of(row)}
    </PageLink>
  ),
  numeric: true,
  ...(order && { order }),
});

const statuses: Record<string, string> = {
  PENDING: 'pending',
  ACTIVE: 'active',
  EXITING: 'exiting',
  EXITED: 'exited',
};

/** A column with the status of a validator, empty if it is not known. */
export const statusColumn = <Row,>(
  of: (row: Row) => Given<{ readonly status: string; readonly slashed: boolean }>,
): Column<Row> => ({
  head: 'Status',
  value: (row) => {
    const validator = of(row);
    return (
      validator && (validator.slashed ? 'slashed, ' : '') + (statuses[validator.status] ?? validator.status)
    );
  },
});

export const slotColumn = <Row,>(of: (row: Row) => number): Column<Row> => ({
  head: 'Slot',
  value: of,
  show: (row) => <PageLink to={paths.block(of(row))}>{of(row)}</PageLink>,
  numeric: true,
});

/** The number of an epoch has no separators, like that of a slot. */
export const numberColumn = <Row,>(
  head: string,
  of: (row: Row) => Given<number>,
  order?: string,
): Column<Row> => ({ head, value: of, numeric: true, ...(order && { order }) });

export const timeColumn = <Row,>(of: (row: Row) => string): Column<Row> => ({
  head: 'Time (UTC)',
  value: of,
  show: (row) => (
    <time dateTime={of(row)} title={ago(of(row))}>
      {moment(of(row))}
    </time>
  ),
});

export const dateColumn = <Row,>(of: (row: Row) => Given<string>, head = 'Date (UTC)'): Column<Row> => ({
  head,
  value: of,
  show: (row) => calendarDate(of(row)),
});

export type Outcome = 'PROPOSED' | 'MISSED' | 'ORPHANED';
export const outcomes = { PROPOSED: 'proposed', MISSED: 'missed', ORPHANED: 'orphaned' };

export const OutcomeText = ({ outcome }: { outcome: Outcome }) => (
  <span className="outcome" data-outcome={outcome}>
    {outcomes[outcome]}
  </span>
);

export const outcomeColumn = <Row,>(of: (row: Row) => Outcome, head = 'Outcome'): Column<Row> => ({
  head,
  value: of,
  show: (row) => <OutcomeText outcome={of(row)} />,
});
