import { graphql } from 'react-relay';
import type { rewardFigures_rewards$data } from '../__generated__/rewardFigures_rewards.graphql';
import { eth, percentage, plotted, shortCount, shortEth } from '../parts/format.ts';
import { total } from '../parts/sums.ts';
import { Tile, Tiles } from '../parts/tiles.tsx';
import { gweiColumn } from './columns.tsx';
import { Figure } from './figure.tsx';
import { happeningLegend, type TabBetween, useHappenings } from './happenings.ts';
import { periodName, rangeName, startOf } from './periods.ts';
import { colors, type Interval, linesOver, type Series } from './plots.ts';
import { periodColumn, rewardColumns, rewardKinds, rewards } from './record-figures.ts';
import type { Column } from './table.tsx';

graphql`
  fragment rewardFigures_rewards on RewardRecord {
    ...recordFigures_rewards @relay(mask: false)
    sumConsensusRewards
    sumExecutionRewards
  }
`;

type Row = Omit<rewardFigures_rewards$data, ' $fragmentType'>;

const balanceSeries: Series<Row>[] = [
  { label: 'Balance', color: colors[2], value: (row) => plotted(row.sumEndEpochBalance) },
];
const balance = linesOver<Row>({
  date: startOf,
  series: balanceSeries,
  label: 'ETH',
  format: shortCount,
  tip: (row) => `${periodName(row)}\n${eth(row.sumEndEpochBalance)}`,
});

const balanceColumns: Column<Row>[] = [periodColumn, gweiColumn('Balance', (row) => row.sumEndEpochBalance)];

const NONE = 'No rewards of it are stored in this range.';

/** A sum of Gwei over periods, newest first. */
export function SumTile<Row extends Parameters<typeof rangeName>[0]>(props: {
  label: string;
  rows: readonly Row[];
  of: (row: Row) => string;
}) {
  const { label, rows, of } = props;
  const [newest, oldest] = [rows[0], rows.at(-1)];
  const sum = total(rows, of);
  return (
    <Tile
      label={label}
      unit="ETH"
      exact={eth(sum)}
      note={newest && oldest ? rangeName(oldest, newest) : 'no day is stored'}
    >
      {shortEth(sum)}
    </Tile>
  );
}

/** What the validators of an operator or a set earned, by kind, and what they hold. */
export function Rewards<R extends Row>(props: {
  of: {
    readonly summary?: { readonly aprPercentage?: number | null | undefined } | null | undefined;
    readonly rewards?: { readonly nodes: readonly R[] } | null | undefined;
    readonly marked?: Parameters<typeof useHappenings>[0]['slashings'];
  };
  by: Interval;
  /** The window of the APR, in words. */
  window: string;
  to: TabBetween;
  /** The REST path of the same periods. */
  rest?: string | undefined;
  /** Columns that only this page has. */
  columns?: Column<R>[];
}) {
  const { of, by, window, to, rest, columns = [] } = props;
  const rows = of.rewards?.nodes ?? [];
  const happenings = useHappenings({ slashings: of.marked, votes: undefined }, to, rows);
  const marks = happeningLegend(happenings, false);
  const [newest] = rows;
  return (
    <>
      <Tiles>
        <SumTile label="Rewards" rows={rows} of={(row) => row.sumRewards} />
        <SumTile label="Consensus" rows={rows} of={(row) => row.sumConsensusRewards} />
        <SumTile label="Fees and MEV" rows={rows} of={(row) => row.sumExecutionRewards} />
        <Tile label="Balance" unit="ETH" exact={eth(newest?.sumEndEpochBalance)} note="at the end">
          {shortEth(newest?.sumEndEpochBalance)}
        </Tile>
        <Tile label="APR" note={`a year, from ${window.toLowerCase()}`}>
          {percentage(of.summary?.aprPercentage)}
        </Tile>
      </Tiles>
      <div className="figures">
        <Figure
          title="Rewards"
          wide
          rest={rest}
          note="What its validators earned on both layers, in ETH."
          columns={[...rewardColumns, ...columns]}
          rows={rows}
          draw={rewards[by]}
          series={[...rewardKinds, ...marks]}
          happenings={happenings}
          empty={NONE}
        />
        <Figure
          title="Balance"
          wide
          note="Balance of its validators at the end of each period, in ETH."
          columns={balanceColumns}
          rows={rows}
          draw={balance}
          series={marks.length > 0 ? [...balanceSeries, ...marks] : undefined}
          happenings={happenings}
          empty={NONE}
        />
      </div>
    </>
  );
}
