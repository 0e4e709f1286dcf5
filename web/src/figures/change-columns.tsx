import { Change, PointChange } from '../parts/change.tsx';
import { amount, count } from '../parts/format.ts';
import { inEth } from './columns.tsx';
import type { Column } from './table.tsx';

/** A summary of an operator or a stake authority with how it changed over some days. */
type Changed = {
  readonly summary?:
    | {
        readonly change?:
          | {
              readonly networkPenetration?: number | null | undefined;
              readonly sumEndEpochEffectiveBalance?: string | null | undefined;
              readonly delegatedStake?: string | undefined;
            }
          | null
          | undefined;
      }
    | null
    | undefined;
};

/** In percentage points, without what a float adds. */
const pointsOf = ({ summary }: Changed) => {
  const by = summary?.change?.networkPenetration;
  return by == null ? null : Number((100 * by).toPrecision(15));
};

/** What was gained or lost, in whole tokens; all digits on hover. */
const tokenColumn = <Row,>(
  days: number,
  unit: string,
  of: (row: Row) => string | null | undefined,
  order?: string,
): Column<Row> => ({
  head: `± ${days} d (${unit})`,
  csv: `Change of the stake in ${days} days (${unit})`,
  value: of,
  show: (row) => {
    const by = Number(of(row));
    return (
      <Change value={by} text={count(Math.round(Math.abs(by)))} good="up" title={amount(of(row), unit)} />
    );
  },
  figure: true,
  numeric: true,
  ...(order && { order }),
});

export const stakeChangeColumn = <Row extends Changed>(days: number, order?: string): Column<Row> =>
  tokenColumn(days, 'ETH', ({ summary }) => inEth(summary?.change?.sumEndEpochEffectiveBalance), order);

export const solChangeColumn = <Row extends Changed>(days: number, order?: string): Column<Row> =>
  tokenColumn(days, 'SOL', ({ summary }) => summary?.change?.delegatedStake, order);

/** The change of the share of all stake, which also falls while others grow. */
export const shareChangeColumn = <Row extends Changed>(days: number, order?: string): Column<Row> => ({
  head: `± ${days} d (pp)`,
  csv: `Change of the share in ${days} days (percentage points)`,
  value: pointsOf,
  show: (row) => <PointChange value={pointsOf(row)} good="up" digits={3} />,
  figure: true,
  numeric: true,
  ...(order && { order }),
});
