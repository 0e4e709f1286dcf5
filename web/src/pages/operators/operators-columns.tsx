import type { operatorsQuery } from '../../__generated__/operatorsQuery.graphql';
import { shareChangeColumn, stakeChangeColumn } from '../../figures/change-columns.tsx';
import { countColumn, gweiColumn, percentColumn } from '../../figures/columns.tsx';
import type { Column } from '../../figures/table.tsx';
import { count } from '../../parts/format.ts';
import { labelsOf, measured, nameOf, OperatorLink, stakeShare, Tags } from '../../parts/operators.tsx';
import { Share } from '../../parts/share.tsx';
import { Spark } from '../../parts/spark.tsx';
import { changeDays, rangeOf } from '../../url/windows.ts';
import type { Large } from './operators-pictures.ts';
import { TREND_DAYS } from './operators-variables.ts';

export type Data = operatorsQuery['response'];
type Window = operatorsQuery['variables']['window'];
type OfPage = NonNullable<Data['operators']>['nodes'][number];
/** Rows of the whole list have no history. */
export type Row = Omit<OfPage, 'history'> & Partial<Pick<OfPage, 'history'>>;

/** The largest share of stake of the list, which fills a bar. */
export const mostOf = (largest: readonly Pick<Large, 'summary'>[] = []) =>
  Math.max(0, ...largest.map(({ summary }) => summary?.networkPenetration ?? 0));

const trendOf = (row: Row) =>
  row.history?.nodes.map(({ avgValidatorEffectiveness }) => avgValidatorEffectiveness) ?? [];

const shareColumn = <R extends Pick<Large, 'summary'>>(largest: number): Column<R> => ({
  head: 'Share of stake',
  csv: 'Share of stake (0–1)',
  value: ({ summary }) => summary?.networkPenetration,
  show: ({ summary }) => (
    <Share
      value={summary?.networkPenetration ?? 0}
      of={largest || 1}
      text={stakeShare(summary?.networkPenetration)}
    />
  ),
  numeric: true,
  order: 'NETWORK_PENETRATION',
});

const validatorsColumn = countColumn<Pick<Large, 'summary'>>(
  'Validators',
  ({ summary }) => summary?.validatorCount,
  'VALIDATOR_COUNT',
);

const effectivenessColumn = percentColumn<Pick<Large, 'summary'>>(
  'Effectiveness',
  ({ summary }) => measured(summary, summary?.avgValidatorEffectiveness),
  'AVG_VALIDATOR_EFFECTIVENESS',
);

const trendColumn: Column<Row> = {
  head: `${TREND_DAYS} days`,
  csv: `Effectiveness of ${TREND_DAYS} days (%), oldest first`,
  value: (row) => trendOf(row).join(' '),
  show: (row) => (
    <Spark values={trendOf(row)} label={`Effectiveness of ${nameOf(row)} in ${TREND_DAYS} days`} />
  ),
  isOfPage: true,
};

const changeColumns = (days: number | undefined): Column<Row>[] =>
  days === undefined
    ? []
    : [
        stakeChangeColumn(days, 'SUM_END_EPOCH_EFFECTIVE_BALANCE_CHANGE'),
        shareChangeColumn(days, 'NETWORK_PENETRATION_CHANGE'),
      ];

const missedColumn: Column<Row> = {
  ...countColumn<Row>(
    'Missed blocks',
    ({ summary }) => summary?.missedProposalCount,
    'MISSED_PROPOSAL_COUNT',
  ),
  show: ({ summary }) => (
    <span title={`of ${count(summary?.proposerDutyCount)} due`}>{count(summary?.missedProposalCount)}</span>
  ),
};

const namesOf = (tags: readonly { readonly name: string }[]) => tags.map(({ name }) => name);

export const columnsWith = (largest: number, window: Window): Column<Row>[] => [
  {
    head: 'Operator',
    value: ({ operatorId }) => operatorId,
    show: (row) => <OperatorLink operator={row} params={rangeOf(window)} />,
    order: 'OPERATOR_ID',
  },
  shareColumn(largest),
  ...changeColumns(changeDays[window]),
  validatorsColumn,
  effectivenessColumn,
  ...(window === 'ALL' ? [] : [trendColumn]),
  missedColumn,
  percentColumn('APR', ({ summary }) => summary?.aprPercentage, 'APR_PERCENTAGE'),
  gweiColumn('Stake', ({ summary }) => summary?.sumEndEpochEffectiveBalance),
  {
    head: 'Labels',
    value: ({ operatorTags }) => namesOf(operatorTags).join(', '),
    show: ({ idType, operatorTags }) => <Tags names={namesOf(labelsOf(idType, operatorTags))} />,
  },
];

export const largeColumns = (largest: number, window: Window): Column<Large>[] => [
  {
    head: 'Operator',
    value: ({ operatorId }) => operatorId,
    show: (row) => <OperatorLink operator={row} params={rangeOf(window)} />,
  },
  shareColumn(largest),
  validatorsColumn,
  effectivenessColumn,
];
