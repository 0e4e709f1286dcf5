import { graphql } from 'react-relay';
import type { slashingsQuery } from '../__generated__/slashingsQuery.graphql';
import { countColumn, dateColumn, gweiColumn, numberColumn, validatorColumn } from '../columns.tsx';
import { Figure } from '../figure.tsx';
import {
  classes,
  classOf,
  DateFilter,
  Filters,
  fromDate,
  knownBy,
  OperatorFilter,
  OperatorLink,
  OperatorLinks,
  operatorOf,
  operatorText,
  toDate,
} from '../filters.tsx';
import { calendarDate, count, eth, plotted, ratio, shortCount, shortEth } from '../format.ts';
import { type Place, page } from '../page.tsx';
import { Choice, Heading, Pager, Share, Tile, Tiles } from '../parts.tsx';
import { at, barsOver, colors, type Draw } from '../plots.ts';
import type { Column } from '../table.tsx';
import { oneOf, orderBy, pageOf } from '../url-state.ts';

const query = graphql`
  query slashingsQuery(
    $network: Network!
    $where: SlashingWhere!
    $fromDate: Date
    $toDate: Date
    $orderBy: SlashingOrder!
    $first: Int
    $after: String
    $last: Int
    $before: String
  ) {
    slashings(
      network: $network
      where: $where
      fromDate: $fromDate
      toDate: $toDate
      orderBy: $orderBy
      first: $first
      after: $after
      last: $last
      before: $before
    ) {
      totalCount
      nodes {
        id
        date
        slashingEpoch
        withdrawableEpoch
        validatorIndex
        slashingPenalties
        balanceBeforeSlashing
        operators {
          id
          idType
          operatorId
          displayName
        }
      }
      pageInfo {
        hasNextPage
        hasPreviousPage
        startCursor
        endCursor
      }
    }
  }
`;

type Data = slashingsQuery['response'];
type Slashing = NonNullable<Data['slashings']>['nodes'][number];
type Operator = Slashing['operators'][number];

const sizes = oneOf('size', ['50', '100', '200'], '200');
const order = orderBy(['EPOCH', 'PENALTY'], 'EPOCH');

const columns: Column<Slashing>[] = [
  dateColumn(({ date }) => date),
  numberColumn('Epoch', ({ slashingEpoch }) => slashingEpoch, 'EPOCH'),
  validatorColumn('Validator', ({ validatorIndex }) => validatorIndex),
  {
    head: 'Operators',
    value: ({ operators }) => knownBy(operators).map(operatorText).join(', '),
    show: ({ operators }) => <OperatorLinks operators={knownBy(operators)} />,
  },
  gweiColumn('Penalties', ({ slashingPenalties }) => slashingPenalties, 'PENALTY'),
  gweiColumn('Balance before', ({ balanceBeforeSlashing }) => balanceBeforeSlashing),
  numberColumn('Withdrawable from epoch', ({ withdrawableEpoch }) => withdrawableEpoch),
];

type Group = { id: string; number: number; penalties: bigint };
const penaltiesOf = ({ penalties }: Group) => penalties.toString();

const meanOf = ({ penalties, number }: Group) => (penalties / BigInt(number)).toString();

/** Counts slashings and sums their penalties by a key; those without one are left out. */
function grouped<G extends Group>(rows: readonly Slashing[], start: (row: Slashing) => G[]): G[] {
  const groups = new Map<string, G>();
  for (const row of rows)
    for (const group of start(row)) {
      const present = groups.get(group.id) ?? group;
      present.number += 1;
      present.penalties += BigInt(row.slashingPenalties);
      groups.set(group.id, present);
    }
  return [...groups.values()];
}
const nothing = { number: 0, penalties: 0n };

const monthFormat = new Intl.DateTimeFormat(navigator.languages as string[], {
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});
const monthName = ({ id }: Group) => monthFormat.format(at(`${id}-01`));

const monthly = { label: 'Slashings', color: colors[4], value: ({ number }: Group) => number };
const months: Draw<Group> = barsOver<Group>({
  date: ({ id }) => at(`${id}-01`),
  series: [monthly],
  label: 'Slashings a month',
  interval: 'month',
  format: shortCount,
  tip: (group) => `${monthName(group)}\n${count(group.number)} slashed\nPenalties ${eth(penaltiesOf(group))}`,
});
const ticks = new Intl.DateTimeFormat(navigator.languages as string[], {
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});
/** With the year, because the range is years long. */
const monthYear = (date: Date) => ticks.format(date);
const byMonth: Draw<Group> = (plot, rows, width) => {
  const options = months(plot, rows, width);
  return { ...options, x: { ...options.x, ticks: Math.floor(width / 130), tickFormat: monthYear } };
};

const monthColumns: Column<Group>[] = [
  { head: 'Month (UTC)', value: ({ id }) => id, show: monthName },
  countColumn('Slashed', ({ number }) => number),
  gweiColumn('Penalties', penaltiesOf),
];

const penalties: Draw<Slashing> = (plot, rows, width) => ({
  x: {
    type: 'utc',
    label: null,
    ticks: Math.floor(width / 110),
    tickFormat: monthYear,
  },
  y: { label: 'ETH', grid: true, nice: true, ticks: 5, zero: true, tickFormat: shortCount },
  marks: [
    plot.dot(rows, {
      x: ({ date }) => at(date),
      y: (row) => plotted(row.slashingPenalties),
      r: 4,
      fill: colors[4],
      fillOpacity: 0.55,
    }),
    plot.tip(
      rows,
      plot.pointer({
        x: ({ date }: Slashing) => at(date),
        y: (row: Slashing) => plotted(row.slashingPenalties),
        lineHeight: 1.3,
        title: (row: Slashing) =>
          [
            `Validator ${row.validatorIndex}`,
            ...knownBy(row.operators).map(operatorText),
            calendarDate(row.date),
            `Penalties ${eth(row.slashingPenalties)}`,
          ].join('\n'),
      }),
    ),
  ],
});

type ByOperator = Group & { operator: Operator; of: number };
const operatorColumns: Column<ByOperator>[] = [
  {
    head: 'Operator',
    value: ({ operator }) => operatorText(operator),
    show: ({ operator }) => <OperatorLink operator={operator} />,
  },
  countColumn('Slashed', ({ number }) => number),
  {
    head: 'Share (0–1)',
    value: ({ number, of }) => number / of,
    show: ({ number, of }) => <Share value={number / of} text={ratio(number / of, 1)} />,
    numeric: true,
  },
  gweiColumn('Penalties', penaltiesOf),
];

const NONE = 'No slashing fits.';

function View({ data: { slashings }, place }: { data: Data; place: Place }) {
  const rows = slashings?.nodes ?? [];
  const idType = classOf(classes.read(place.search));
  const all = grouped(rows, () => [{ id: 'all', ...nothing }])[0];
  const operators = grouped<ByOperator>(rows, (row) =>
    row.operators
      .filter((operator) => operator.idType === idType)
      .map((operator) => ({ id: operator.id, operator, of: rows.length, ...nothing })),
  ).sort((one, other) => other.number - one.number);
  const byTime = grouped(rows, ({ date }) => [{ id: date.slice(0, 7), ...nothing }]).sort((one, other) =>
    one.id < other.id ? 1 : -1,
  );
  const isWhole = rows.length === slashings?.totalCount;
  const scope = isWhole ? 'Of all slashings that fit' : 'Of the slashings on this page';
  return (
    <>
      <Heading title="Slashings" about="Validators that broke the rules of the chain, and what it cost them.">
        <Choice param={sizes} label="Slashings a page" />
      </Heading>
      <Filters names={['class', 'operator', 'from', 'to']}>
        <OperatorFilter />
        <DateFilter />
      </Filters>
      <Tiles>
        <Tile
          label="Slashed validators"
          note={isWhole ? 'all are on this page' : `${count(rows.length)} on this page`}
        >
          {count(slashings?.totalCount)}
        </Tile>
        {all && (
          <>
            <Tile label="Penalties" unit="ETH" exact={eth(penaltiesOf(all))} note={scope.toLowerCase()}>
              {shortEth(penaltiesOf(all))}
            </Tile>
            <Tile label="Mean penalty" unit="ETH" exact={eth(meanOf(all))} note="for a validator">
              {shortEth(meanOf(all))}
            </Tile>
          </>
        )}
      </Tiles>
      <div className="figures">
        <Figure
          title="Slashings by month"
          note={`${scope}, by UTC month.`}
          columns={monthColumns}
          rows={byTime}
          draw={byMonth}
          empty={NONE}
        />
        <Figure
          title="Penalties over time"
          note={`${scope}, a dot for each validator, in ETH.`}
          columns={columns}
          rows={rows}
          draw={penalties}
          empty={NONE}
        />
        <Figure
          title="By operator"
          note={`${scope}, by operators of the class chosen above.`}
          columns={operatorColumns}
          rows={operators}
          empty="None of these validators has an operator of this class."
        />
        <Figure
          title="Slashed validators"
          note="Penalties are final when the rest of the balance can be withdrawn."
          columns={columns}
          rows={rows}
          order={order}
          empty={NONE}
        >
          {slashings && rows.length > 0 && (
            <Pager info={slashings.pageInfo} total={slashings.totalCount} label="slashings" />
          )}
        </Figure>
      </div>
    </>
  );
}

export default page<slashingsQuery>({
  query,
  variables: ({ network, search }) => {
    const operator = operatorOf(search);
    return {
      network,
      where: operator ? { operator } : {},
      fromDate: fromDate.read(search) ?? null,
      toDate: toDate.read(search) ?? null,
      orderBy: order.read(search),
      ...pageOf(search, Number(sizes.read(search))),
    };
  },
  View,
});
