import { graphql } from 'react-relay';
import { useSearchParams } from 'react-router';
import type { operatorQuery } from '../../__generated__/operatorQuery.graphql';
import { gweiColumn } from '../../figures/columns.tsx';
import { Figure } from '../../figures/figure.tsx';
import { granularities, periodName, rangeName, startOf } from '../../figures/periods.ts';
import { colors, linesOver, type Series } from '../../figures/plots.ts';
import { periodColumn, rewardColumns, rewardKinds, rewards } from '../../figures/record-figures.ts';
import type { Column } from '../../figures/table.tsx';
import { eth, percentage, plotted, shortCount, shortEth } from '../../parts/format.ts';
import { total } from '../../parts/sums.ts';
import { Tile, Tiles } from '../../parts/tiles.tsx';
import { useParam } from '../../url/use-param.ts';
import { windowNameOf } from '../../url/windows.ts';
import { happeningLegend, useHappenings } from './operator-happenings.ts';
import { operatorRanges } from './operator-periods.ts';

graphql`
  fragment operatorRewards_operator on Operator {
    rewards(
      granularity: $granularity
      utc: $utc
      fromDate: $fromDate
      toDate: $toDate
      orderBy: { field: PERIOD, direction: DESC }
      first: $periods
    ) @include(if: $onRewards) {
      nodes {
        ...recordFigures_rewards @relay(mask: false)
        sumConsensusRewards
        sumExecutionRewards
      }
    }
  }
`;

type Operator = NonNullable<operatorQuery['response']['operator']>;
type Rewards = NonNullable<Operator['rewards']>['nodes'][number];

const balanceSeries: Series<Rewards>[] = [
  { label: 'Balance', color: colors[2], value: (row) => plotted(row.sumEndEpochBalance) },
];
const balance = linesOver<Rewards>({
  date: startOf,
  series: balanceSeries,
  label: 'ETH',
  format: shortCount,
  tip: (row) => `${periodName(row)}\n${eth(row.sumEndEpochBalance)}`,
});

const balanceColumns: Column<Rewards>[] = [
  periodColumn,
  gweiColumn('Balance', (row) => row.sumEndEpochBalance),
];

const NONE = 'No rewards of it are stored in this range.';

/** What the validators of an operator earned, by kind, and what they hold. */
export function OperatorRewards({ operator }: { operator: Operator }) {
  const [search] = useSearchParams();
  const [granularity] = useParam(granularities);
  const { summary } = operator;
  const rows = operator.rewards?.nodes ?? [];
  const happenings = useHappenings(operator, rows);
  const marks = happeningLegend(happenings, false);
  const [newest, oldest] = [rows[0], rows.at(-1)];
  const range = newest && oldest ? rangeName(oldest, newest) : 'none is stored';
  const tile = (label: string, of: (row: Rewards) => string) => {
    const sum = total(rows, of);
    return (
      <Tile label={label} unit="ETH" exact={eth(sum)} note={range}>
        {shortEth(sum)}
      </Tile>
    );
  };
  return (
    <>
      <Tiles>
        {tile('Rewards', (row) => row.sumRewards)}
        {tile('Consensus', (row) => row.sumConsensusRewards)}
        {tile('Fees and MEV', (row) => row.sumExecutionRewards)}
        <Tile label="Balance" unit="ETH" exact={eth(newest?.sumEndEpochBalance)} note="at the end">
          {shortEth(newest?.sumEndEpochBalance)}
        </Tile>
        <Tile label="APR" note={`a year, from ${windowNameOf(search, operatorRanges).toLowerCase()}`}>
          {percentage(summary?.aprPercentage)}
        </Tile>
      </Tiles>
      <div className="figures">
        <Figure
          title="Rewards"
          wide
          note="What its validators earned on both layers, in ETH."
          columns={rewardColumns}
          rows={rows}
          draw={rewards[granularity]}
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
