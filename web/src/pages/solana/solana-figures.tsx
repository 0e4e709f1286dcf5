import type { solanaQuery } from '../../__generated__/solanaQuery.graphql';
import { shareChangeColumn, solChangeColumn } from '../../figures/change-columns.tsx';
import { countColumn, dateColumn, ratioColumn } from '../../figures/columns.tsx';
import { asPercent, at, colors, type Draw, linesOver } from '../../figures/plots.ts';
import type { Column } from '../../figures/table.tsx';
import { ChangeLink } from '../../parts/controls.tsx';
import { amount, calendarDate, count, decimal, ratio, shortCount, shortHex } from '../../parts/format.ts';
import { Share } from '../../parts/share.tsx';
import { changeDays } from '../../url/windows.ts';

type Data = solanaQuery['response'];
type Overview = NonNullable<Data['solanaNetworkOverview']>;
type Day = NonNullable<Overview['history']>['nodes'][number];
type Authority = NonNullable<Data['stakeAuthorities']>['nodes'][number];
/** `share` is of all delegated stake, as in the tile of the ten largest. */
export type Point = Overview['stakeConcentration'][number] & { share: number };

/** The API's `ratio` is of what the stored stake authorities delegate, which may be less than all. */
export const pointsOf = ({ stakeConcentration, totalDelegatedStake }: Overview): Point[] =>
  stakeConcentration.map((point) => ({
    ...point,
    share: Number(point.delegatedStake) / Number(totalDelegatedStake),
  }));
type Authoritative = NonNullable<NonNullable<Data['stakeAuthority']>['history']>['nodes'][number];
type Validator = NonNullable<Data['networkValidators']>['nodes'][number];

const dayOf = ({ date }: Day) => at(date);
const sol = <Row,>(head: string, of: (row: Row) => string | undefined, field?: string): Column<Row> => ({
  head: `${head} (SOL)`,
  value: of,
  figure: true,
  numeric: true,
  ...(field && { order: field }),
});

export const dayColumns: Column<Day>[] = [
  dateColumn(({ date }) => date),
  {
    head: 'Gini coefficient (0–1)',
    value: (row) => row.giniCoefficient,
    show: (row) => decimal(row.giniCoefficient, 4),
    numeric: true,
  },
  sol('Delegated stake', ({ totalDelegatedStake }) => totalDelegatedStake),
  ratioColumn('Validator APY', ({ validatorApy }) => validatorApy),
  ratioColumn('Delegator APY', ({ delegatorApy }) => delegatorApy),
  ratioColumn('Missed blocks', ({ networkMissedBlocksRate }) => networkMissedBlocksRate),
  {
    head: 'Validators',
    value: (row) => row.activeValidatorCount,
    show: (row) => count(row.activeValidatorCount),
    numeric: true,
  },
];

export const gini = linesOver<Day>({
  date: dayOf,
  series: [{ label: 'Gini', color: colors[3], value: ({ giniCoefficient }) => giniCoefficient }],
  label: 'Gini coefficient',
  format: decimal,
  tip: (row) => `${calendarDate(row.date)}\n${decimal(row.giniCoefficient, 4)}`,
});

export const stake = linesOver<Day>({
  date: dayOf,
  series: [
    { label: 'Stake', color: colors[2], value: ({ totalDelegatedStake }) => Number(totalDelegatedStake) },
  ],
  label: 'SOL',
  format: shortCount,
  tip: (row) => `${calendarDate(row.date)}\n${amount(row.totalDelegatedStake, 'SOL')}`,
});

export const yields = [
  { label: 'Validators', color: colors[0], value: ({ validatorApy }: Day) => validatorApy },
  { label: 'Delegators', color: colors[1], value: ({ delegatorApy }: Day) => delegatorApy },
];
export const apy = linesOver<Day>({
  date: dayOf,
  series: yields,
  label: 'APY',
  format: asPercent,
  tip: (row) =>
    `${calendarDate(row.date)}\nValidators ${ratio(row.validatorApy)}\nDelegators ${ratio(row.delegatorApy)}`,
});

export const pointColumns: Column<Point>[] = [
  countColumn('Largest stake authorities', ({ rank }) => rank),
  sol('Stake', ({ delegatedStake }) => delegatedStake),
  {
    head: 'Share of stake',
    csv: 'Share of stake (0–1)',
    value: ({ share }) => share,
    show: ({ share }) => <Share value={share} text={ratio(share)} />,
    numeric: true,
  },
];

/** Logarithmic, because a few of very many have most of the stake. */
export const concentration: Draw<Point> = (plot, rows, width) => {
  const tip = (row: Point) =>
    `${count(row.rank)} largest\n${ratio(row.share)} of the delegated stake\n${amount(row.delegatedStake, 'SOL')}`;
  const at = { x: 'rank', y: 'share' } as const;
  return {
    marginTop: 32,
    marginBottom: 44,
    x: {
      label: 'Largest stake authorities',
      type: 'log',
      ticks: Math.max(3, Math.floor(width / 110)),
      tickFormat: shortCount,
    },
    y: {
      label: 'Share of the delegated stake',
      grid: true,
      domain: [0, 1],
      tickFormat: (value: number) => ratio(value, 0),
    },
    marks: [
      plot.ruleY([1 / 3, 1 / 2], { stroke: 'currentColor', strokeOpacity: 0.4, strokeDasharray: '4 4' }),
      plot.areaY(rows, { ...at, fill: colors[3], fillOpacity: 0.15 }),
      plot.lineY(rows, { ...at, stroke: colors[3], strokeWidth: 2 }),
      plot.dot(rows, plot.pointerX({ ...at, fill: colors[3], r: 3 })),
      plot.tip(rows, plot.pointerX({ ...at, title: tip, lineHeight: 1.3 })),
    ],
  };
};

export const AuthorityLink = ({ authority, children }: { authority?: string; children: string }) => (
  <ChangeLink changes={{ authority }} title={authority} preventScrollReset={false}>
    {children}
  </ChangeLink>
);

export const oneColumns: Column<Authoritative>[] = [
  dateColumn(({ date }) => date),
  sol('Stake', ({ delegatedStake }) => delegatedStake),
  ratioColumn('Share of stake', ({ networkPenetration }) => networkPenetration),
  ratioColumn('Delegator APY', ({ delegatorApy }) => delegatorApy),
  ratioColumn('Effectiveness', (row) => row.aggregateValidatorEffectiveness),
];

export const oneStake = linesOver<Authoritative>({
  date: ({ date }) => at(date),
  series: [{ label: 'Stake', color: colors[0], value: ({ delegatedStake }) => Number(delegatedStake) }],
  label: 'SOL',
  format: shortCount,
  tip: (row) => `${calendarDate(row.date)}\n${amount(row.delegatedStake, 'SOL')}`,
});

const authorityColumns = (days: number | undefined): Column<Authority>[] => [
  {
    head: 'Stake authority',
    value: ({ stakeAuthority, poolName }) => poolName ?? stakeAuthority,
    show: ({ stakeAuthority, poolName }) => (
      <AuthorityLink authority={stakeAuthority}>{poolName ?? shortHex(stakeAuthority)}</AuthorityLink>
    ),
    order: 'POOL_NAME',
  },
  sol('Stake', ({ summary }) => summary?.delegatedStake, 'DELEGATED_STAKE'),
  {
    head: 'Share of stake',
    csv: 'Share of stake (0–1)',
    value: ({ summary }) => summary?.networkPenetration,
    show: ({ summary }) =>
      summary && (
        <Share value={summary.networkPenetration} of={0.06} text={ratio(summary.networkPenetration, 2)} />
      ),
    numeric: true,
    order: 'NETWORK_PENETRATION',
  },
  ...(days === undefined ? [] : [solChangeColumn(days, 'DELEGATED_STAKE_CHANGE'), shareChangeColumn(days)]),
  ratioColumn('Delegator APY', ({ summary }) => summary?.delegatorApy, 'DELEGATOR_APY'),
  ratioColumn(
    'Commission',
    ({ summary }) => summary?.blendedVoteCommissionRate,
    'BLENDED_VOTE_COMMISSION_RATE',
  ),
  ratioColumn('Effectiveness', ({ summary }) => summary?.aggregateValidatorEffectiveness),
  {
    head: 'Validators',
    value: ({ summary }) => summary?.validatorDelegates,
    show: ({ summary }) => count(summary?.validatorDelegates),
    numeric: true,
    order: 'VALIDATOR_DELEGATES',
  },
];

/** By the window of the list. */
export const authorityColumnsIn = {
  ONE_DAY: authorityColumns(changeDays.ONE_DAY),
  SEVEN_DAYS: authorityColumns(changeDays.SEVEN_DAYS),
  THIRTY_DAYS: authorityColumns(changeDays.THIRTY_DAYS),
  ALL: authorityColumns(changeDays.ALL),
};

export const validatorColumns: Column<Validator>[] = [
  {
    head: 'Validator',
    value: ({ validator }) => validator,
    show: ({ validator, displayName }) => <span title={validator}>{displayName ?? shortHex(validator)}</span>,
  },
  sol('Validator rewards', ({ validatorRewards }) => validatorRewards),
  sol('Delegator rewards', ({ delegatorRewards }) => delegatorRewards),
];
