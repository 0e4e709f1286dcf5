import { graphql } from 'react-relay';
import type { RewardsNetwork, rewardsQuery } from '../__generated__/rewardsQuery.graphql';
import type { rewardsWholeQuery } from '../__generated__/rewardsWholeQuery.graphql';
import { missing } from '../api/failure.ts';
import { dateColumn } from '../figures/columns.tsx';
import { Figure } from '../figures/figure.tsx';
import { PagedFigure } from '../figures/paged-figure.tsx';
import { at, barsOver, colors } from '../figures/plots.ts';
import type { Column } from '../figures/table.tsx';
import { wholeOf } from '../figures/whole-list.tsx';
import { type Place, page } from '../page.tsx';
import { ChangeLink } from '../parts/controls.tsx';
import { amount, calendarDate, count, shortCount, shortHex } from '../parts/format.ts';
import { Heading } from '../parts/heading.tsx';
import { RangeControl } from '../parts/range.tsx';
import { sumOfDecimals } from '../parts/sums.ts';
import { Tile, Tiles } from '../parts/tiles.tsx';
import { daysOf, fromDate, ranges, toDate, USUAL } from '../url/range.ts';
import { orderBy, pageOf, text } from '../url/url-state.ts';

const query = graphql`
  query rewardsQuery(
    $network: RewardsNetwork!
    $days: Int!
    $fromDate: Date
    $toDate: Date
    $orderBy: NetworkValidatorOrder!
    $validator: String!
    $one: Boolean!
    $first: Int
    $after: String
    $last: Int
    $before: String
  ) {
    networkRewards(
      network: $network
      fromDate: $fromDate
      toDate: $toDate
      orderBy: { field: DATE, direction: ASC }
      last: $days
    ) {
      pageInfo {
        hasPreviousPage
      }
      nodes {
        id
        date
        validatorRewards
        delegatorRewards
        stake
      }
    }
    networkValidators(
      network: $network
      orderBy: $orderBy
      first: $first
      after: $after
      last: $last
      before: $before
    ) {
      totalCount
      pageInfo {
        ...pager_pageInfo @relay(mask: false)
      }
      nodes {
        id
        ...rewards_validator @relay(mask: false)
      }
    }
    validatorRewards(
      network: $network
      validatorId: $validator
      fromDate: $fromDate
      toDate: $toDate
      orderBy: { field: DATE, direction: ASC }
      last: $days
    ) @include(if: $one) {
      nodes {
        id
        date
        validator
        displayName
        validatorRewards
        delegatorRewards
        stake
      }
    }
  }
`;

graphql`
  fragment rewards_validator on ValidatorReward {
    date
    validator
    displayName
    validatorRewards
    delegatorRewards
    stake
  }
`;

const wholeQuery = graphql`
  query rewardsWholeQuery(
    $network: RewardsNetwork!
    $orderBy: NetworkValidatorOrder!
    $first: Int!
    $after: String
  ) {
    networkValidators(network: $network, orderBy: $orderBy, first: $first, after: $after) {
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        id
        ...rewards_validator @relay(mask: false)
      }
    }
  }
`;

type Data = rewardsQuery['response'];
type Validator = NonNullable<Data['networkValidators']>['nodes'][number];
type Day = {
  readonly date: string;
  readonly validatorRewards: string;
  readonly delegatorRewards: string;
  readonly stake?: string | null | undefined;
};

const networks = {
  avalanche: { name: 'Avalanche', network: 'AVALANCHE', unit: 'AVAX' },
  babylon: { name: 'Babylon', network: 'BABYLON', unit: 'BABY' },
  cardano: { name: 'Cardano', network: 'CARDANO', unit: 'ADA' },
  celestia: { name: 'Celestia', network: 'CELESTIA', unit: 'TIA' },
  polkadot: { name: 'Polkadot', network: 'POLKADOT', unit: 'DOT' },
  polygon: { name: 'Polygon', network: 'POLYGON', unit: 'POL' },
  solana: { name: 'Solana', network: 'SOLANA', unit: 'SOL' },
} as const satisfies Record<string, { name: string; network: RewardsNetwork; unit: string }>;
const withStake: string[] = ['POLKADOT', 'POLYGON'];

function networkOf(name: string | undefined) {
  const found = Object.entries(networks).find(([key]) => key === name)?.[1];
  if (!found) throw missing(`There are no rewards of a network named ${name}.`);
  return found;
}

/** The API returns at most 200 of these days at a time. */
const range = ranges(['7d', '30d', '90d'], USUAL);
const MOST_DAYS = 200;
const validator = text('validator');
const order = orderBy(['VALIDATOR_REWARDS', 'DELEGATOR_REWARDS', 'STAKE'], 'VALIDATOR_REWARDS');
const PAGE_SIZE = 20;

type Unit = (typeof networks)[keyof typeof networks]['unit'];

/** Columns and plots with the network's unit in their names. Made once for each unit, so that no render makes them anew. */
function inUnit(unit: Unit) {
  const amountColumn = <Row extends Day>(
    head: string,
    of: (row: Row) => string | null | undefined,
    field?: string,
  ): Column<Row> => ({
    head: `${head} (${unit})`,
    value: of,
    figure: true,
    numeric: true,
    ...(field && { order: field }),
  });
  const amounts = <Row extends Day>(ordered: boolean): Column<Row>[] => [
    amountColumn('Validators', (row) => row.validatorRewards, ordered ? 'VALIDATOR_REWARDS' : undefined),
    amountColumn('Delegators', (row) => row.delegatorRewards, ordered ? 'DELEGATOR_REWARDS' : undefined),
  ];
  const stakeColumn = <Row extends Day>(ordered: boolean) =>
    amountColumn<Row>('Stake', ({ stake }) => stake, ordered ? 'STAKE' : undefined);
  const series = [
    { label: 'Validators', color: colors[0], value: (row: Day) => Number(row.validatorRewards) },
    { label: 'Delegators', color: colors[1], value: (row: Day) => Number(row.delegatorRewards) },
  ];
  return {
    series,
    columns: [dateColumn<Day>(({ date }) => date), ...amounts<Day>(false)],
    amounts: amounts<Validator>(true),
    stake: { day: stakeColumn<Day>(false), validator: stakeColumn<Validator>(true) },
    draw: barsOver<Day>({
      date: ({ date }) => at(date),
      series,
      label: `${unit} a day`,
      format: shortCount,
      tip: (row) =>
        [
          calendarDate(row.date),
          `Validators ${amount(row.validatorRewards, unit)}`,
          `Delegators ${amount(row.delegatorRewards, unit)}`,
        ].join('\n'),
    }),
  };
}
const parts = Object.fromEntries(Object.values(networks).map(({ unit }) => [unit, inUnit(unit)])) as Record<
  Unit,
  ReturnType<typeof inUnit>
>;

function ValidatorLink({ row }: { row: Validator }) {
  return (
    <ChangeLink changes={{ validator: row.validator }} title={row.validator} preventScrollReset={false}>
      {row.displayName ?? shortHex(row.validator)}
    </ChangeLink>
  );
}

const validatorColumn: Column<Validator> = {
  head: 'Validator',
  value: ({ validator: id }) => id,
  show: (row) => <ValidatorLink row={row} />,
};

const Clear = () => <ChangeLink changes={{ validator: undefined }}>All validators</ChangeLink>;

function View({ data, place }: { data: Data; place: Place }) {
  const { name, network, unit } = networkOf(place.params.network);
  const { columns, amounts, draw, series, stake } = parts[unit];
  const hasStake = withStake.includes(network);
  const rewards = data.networkRewards?.nodes ?? [];
  const validators = data.networkValidators;
  const whole = wholeOf<rewardsWholeQuery, Validator>(
    wholeQuery,
    { network, orderBy: order.read(place.search) },
    (all) => all.networkValidators,
  );
  const one = data.validatorRewards?.nodes;
  const chosen = validator.read(place.search);
  const last = rewards.at(-1);
  const earned = sumOfDecimals(rewards.map(({ validatorRewards }) => validatorRewards));
  const delegated = sumOfDecimals(rewards.map(({ delegatorRewards }) => delegatorRewards));
  const during = `in ${count(rewards.length)} days`;
  const isCut = rewards.length === MOST_DAYS && data.networkRewards?.pageInfo.hasPreviousPage;
  const dayColumns = hasStake ? [...columns, stake.day] : columns;
  return (
    <>
      <Heading
        title={`${name} rewards`}
        about={
          last ? `What validators and delegators earned, until ${calendarDate(last.date)} (UTC).` : undefined
        }
      >
        <RangeControl of={range} dates days="utc" lastDay={last?.date} />
      </Heading>
      {last && (
        <Tiles>
          <Tile label="Validators earned" unit={unit} exact={amount(earned, unit)} note={during}>
            {shortCount(earned)}
          </Tile>
          <Tile label="Delegators earned" unit={unit} exact={amount(delegated, unit)} note={during}>
            {shortCount(delegated)}
          </Tile>
          {hasStake && (
            <Tile label="Stake" unit={unit} exact={amount(last.stake, unit)} note={calendarDate(last.date)}>
              {shortCount(last.stake)}
            </Tile>
          )}
          <Tile label="Validators" note={calendarDate(validators?.nodes[0]?.date)}>
            {count(validators?.totalCount)}
          </Tile>
        </Tiles>
      )}
      <div className="figures">
        <Figure
          wide={!chosen}
          title="Rewards by day"
          note={`What all validators and their delegators earned, in ${unit}.${isCut ? ` Only the newest ${MOST_DAYS} days of the range are shown.` : ''}`}
          columns={dayColumns}
          rows={rewards}
          draw={draw}
          series={series}
          empty={`No day of ${name} is stored.`}
        />
        {chosen && (
          <Figure
            title={`Rewards of ${one?.at(-1)?.displayName ?? shortHex(chosen)}`}
            note={`What this validator and its delegators earned, in ${unit}.`}
            columns={dayColumns}
            rows={one ?? []}
            draw={draw}
            series={series}
            controls={<Clear />}
            empty="No day of this validator is stored."
          />
        )}
        <PagedFigure
          wide
          title="Validators"
          note={`On ${calendarDate(validators?.nodes[0]?.date)} (UTC). A name shows the history of its validator.`}
          columns={[validatorColumn, ...amounts, ...(hasStake ? [stake.validator] : [])]}
          of={validators}
          whole={whole}
          isRanked
          label="validators"
          order={order}
          empty={`No validator of ${name} is stored.`}
        />
      </div>
    </>
  );
}

export default page<rewardsQuery>({
  query,
  variables: ({ params, search }) => ({
    network: networkOf(params.network).network,
    days: daysOf(range, search) ?? MOST_DAYS,
    fromDate: fromDate.read(search) ?? null,
    toDate: toDate.read(search) ?? null,
    orderBy: order.read(search),
    validator: validator.read(search),
    one: validator.read(search) !== '',
    ...pageOf(search, PAGE_SIZE),
  }),
  View,
});
