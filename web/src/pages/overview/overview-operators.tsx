import type { overviewQuery } from '../../__generated__/overviewQuery.graphql';
import { shareChangeColumn, stakeChangeColumn } from '../../figures/change-columns.tsx';
import { countColumn, percentColumn, rankColumn } from '../../figures/columns.tsx';
import { Figure } from '../../figures/figure.tsx';
import type { Column } from '../../figures/table.tsx';
import { Change } from '../../parts/change.tsx';
import { calendarDate, count } from '../../parts/format.ts';
import { measured, OperatorLink, stakeShare } from '../../parts/operators.tsx';
import { PageLink } from '../../parts/page-links.tsx';
import { Share } from '../../parts/share.tsx';

type Data = overviewQuery['response'];
type Operator = NonNullable<Data['largest']>['nodes'][number];

const WEEK = 7;
const stakeChange = ({ summary }: Operator) => Number(summary?.change?.sumEndEpochEffectiveBalance ?? 0);

const nameColumn = <Row extends Operator>(): Column<Row> => ({
  head: 'Pool',
  value: ({ operatorId }) => operatorId,
  show: (row) => <OperatorLink operator={row} params={{ range: '7d' }} />,
});

const shareColumn = <Row extends Operator>(most: number): Column<Row> => ({
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
});

const largestColumns = (rows: readonly Operator[], most: number): Column<Operator>[] => [
  rankColumn(rows, 0),
  nameColumn(),
  shareColumn(most),
  stakeChangeColumn(WEEK),
  percentColumn('Effectiveness', ({ summary }) => measured(summary, summary?.avgValidatorEffectiveness)),
];

const validatorsChange = ({ summary }: Operator) => summary?.change?.validatorCount;

const moverColumns: Column<Operator>[] = [
  nameColumn(),
  stakeChangeColumn(WEEK),
  shareChangeColumn(WEEK),
  {
    head: '± Validators',
    csv: 'Change of its validators in 7 days',
    value: validatorsChange,
    show: (row) => (
      <Change value={validatorsChange(row)} text={count(Math.abs(validatorsChange(row) ?? 0))} />
    ),
    numeric: true,
  },
  countColumn('Validators', ({ summary }) => summary?.validatorCount),
];

const all = (
  <PageLink to="/explore/operators?range=7d">
    <span>All operators</span>
  </PageLink>
);

/** The largest pools, with how each moved in a week. */
export function Largest({ operators }: { operators: Data['largest'] }) {
  const rows = operators?.nodes ?? [];
  const most = Math.max(0, ...rows.map(({ summary }) => summary?.networkPenetration ?? 0));
  return (
    <Figure
      title="Largest pools"
      note={<>By share of the stake, and how their stake changed in 7 days. {all}</>}
      columns={largestColumns(rows, most)}
      rows={rows}
      empty="No pool of this network is stored."
    />
  );
}

const allByLoss = (
  <PageLink to="/explore/operators?range=7d&order=SUM_END_EPOCH_EFFECTIVE_BALANCE_CHANGE&direction=ASC">
    <span>All by stake lost</span>
  </PageLink>
);

/** Pools that gained and lost most stake in a week. */
export function Movers({ gained, lost }: { gained: Data['gained']; lost: Data['lost'] }) {
  const isUp = (row: Operator) => stakeChange(row) > 0;
  const isDown = (row: Operator) => stakeChange(row) < 0;
  const ups = (gained?.nodes ?? []).filter(isUp);
  const downs = (lost?.nodes ?? []).filter(isDown).toReversed();
  const rows = [...ups, ...downs];
  const since = rows[0]?.summary?.change?.since;
  return (
    <Figure
      title="Stake gained and lost this week"
      parts={[gained, lost]}
      note={
        <>
          The pools with most{since && ` since ${calendarDate(since)}`}. {allByLoss}
        </>
      }
      columns={moverColumns}
      rows={rows}
      empty="No pool's stake has changed in a week, or there is no history of their stake a week ago."
    />
  );
}
