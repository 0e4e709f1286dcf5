import { ago, calendarDate, count, ethNumber, moment, percentage, ratio, shift } from '../parts/format.ts';
import { PageLink } from '../parts/page-links.tsx';
import { paths } from '../url/links.ts';
import type { Column } from './table.tsx';

const GWEI_DIGITS = 9;
type Given<T> = T | null | undefined;

/** Gwei as ETH with all digits, for CSV. */
export const inEth = (gwei: Given<string>) => (gwei == null ? null : shift(gwei, GWEI_DIGITS));

export const gweiColumn = <Row,>(
  head: string,
  of: (row: Row) => Given<string>,
  order?: string,
): Column<Row> => ({
  head: `${head} (ETH)`,
  value: (row) => inEth(of(row)),
  show: (row) => ethNumber(of(row)),
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
  show: (row) => count(of(row)),
  numeric: true,
  ...(order && { order }),
});

/** Of percent, such as 99.87. */
export const percentColumn = <Row,>(head: string, of: (row: Row) => Given<number>): Column<Row> => ({
  head: `${head} (%)`,
  value: of,
  show: (row) => percentage(of(row), 3),
  numeric: true,
});

/** Of a ratio between 0 and 1. */
export const ratioColumn = <Row,>(head: string, of: (row: Row) => Given<number>): Column<Row> => ({
  head,
  csv: `${head} (0–1)`,
  value: of,
  show: (row) => ratio(of(row)),
  numeric: true,
});

export const validatorColumn = <Row,>(
  head: string,
  of: (row: Row) => number,
  order?: string,
): Column<Row> => ({
  head,
  value: of,
  show: (row) => <PageLink to={paths.validator(of(row))}>{of(row)}</PageLink>,
  numeric: true,
  ...(order && { order }),
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
