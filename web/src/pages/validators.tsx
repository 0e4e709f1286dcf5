import { useMemo } from 'react';
import { graphql } from 'react-relay';
import type { validatorsQuery } from '../__generated__/validatorsQuery.graphql';
import type { Failure } from '../api/failure.ts';
import {
  countColumn,
  gweiColumn,
  percentColumn,
  statusColumn,
  validatorColumn,
} from '../figures/columns.tsx';
import { PagedFigure } from '../figures/paged-figure.tsx';
import type { Column } from '../figures/table.tsx';
import { wholeOfPage } from '../figures/whole-list.tsx';
import { type Place, page } from '../page.tsx';
import { ChangeLink, Choice } from '../parts/controls.tsx';
import { askedOf, Filters, operatorOf, sizes, unknownOperator } from '../parts/filters.tsx';
import { calendarDate, count } from '../parts/format.ts';
import { Heading } from '../parts/heading.tsx';
import { OperatorFilter } from '../parts/operator-filter.tsx';
import { OperatorLinks } from '../parts/operators.tsx';
import { RangeControl } from '../parts/range.tsx';
import { Countdown, Problem } from '../states.tsx';
import { restTypeOf } from '../url/links.ts';
import { calendars, dateAfter, daysOf, fromDate, ranges, toDate } from '../url/range.ts';
import { orderBy, pageOf, skippedOf } from '../url/url-state.ts';

const query = graphql`
  query validatorsQuery(
    $network: Network!
    $days: Int
    $fromDate: Date
    $toDate: Date
    $utc: Boolean!
    $where: ValidatorRankingWhere
    $operatorId: String!
    $operatorClass: OperatorIdType!
    $hasOperator: Boolean!
    $orderBy: ValidatorRankingOrder!
    $first: Int
    $after: String
    $last: Int
    $before: String
  ) {
    operator(network: $network, operatorId: $operatorId, idType: $operatorClass) @include(if: $hasOperator) {
      id
    }
    validatorRanking(
      network: $network
      days: $days
      fromDate: $fromDate
      toDate: $toDate
      utc: $utc
      where: $where
      orderBy: $orderBy
      first: $first
      after: $after
      last: $last
      before: $before
    ) {
      totalCount
      storedFrom
      storedTo
      pageInfo {
        ...pager_pageInfo @relay(mask: false)
      }
      nodes {
        rank
        validatorIndex
        dayCount
        avgValidatorEffectiveness
        sumRewards
        sumMissedAttestations
        validator {
          id
          nodeOperator
          pool
          status
          slashed
        }
      }
    }
  }
`;

type Data = validatorsQuery['response'];
type Ranked = NonNullable<Data['validatorRanking']>['nodes'][number];

const range = ranges(['1d', '7d', '30d', '90d', '1y', 'all'], '1d'); // each day costs a unit for a thousand validators
const order = orderBy(['EFFECTIVENESS', 'REWARDS', 'MISSED'], 'EFFECTIVENESS');

const calendarWords = { chain: 'chain days', utc: 'UTC days' };

const ownersOf = ({ validator }: Ranked) =>
  (
    [
      ['NODE_OPERATOR', validator?.nodeOperator],
      ['POOL', validator?.pool],
    ] as const
  ).flatMap(([idType, operatorId]) => (operatorId ? [{ idType, operatorId }] : []));

/** `params` are the days of the ranking, as the page of a validator names them. */
const columnsFor = (params: Record<string, string>): Column<Ranked>[] => [
  { head: '#', csv: 'Rank', value: ({ rank }) => rank, numeric: true, isRank: true },
  validatorColumn('Validator', ({ validatorIndex }) => validatorIndex, { params }),
  countColumn('Days', ({ dayCount }) => dayCount),
  percentColumn(
    'Effectiveness',
    ({ avgValidatorEffectiveness }) => avgValidatorEffectiveness,
    'EFFECTIVENESS',
  ),
  gweiColumn('Rewards', ({ sumRewards }) => sumRewards, 'REWARDS'),
  countColumn('Missed attestations', ({ sumMissedAttestations }) => sumMissedAttestations, 'MISSED'),
  {
    head: 'Operators',
    value: (row) =>
      ownersOf(row)
        .map(({ operatorId }) => operatorId)
        .join(', '),
    show: (row) => <OperatorLinks operators={ownersOf(row)} />,
  },
  statusColumn(({ validator }) => validator),
];

function variables({ network, search }: Place): validatorsQuery['variables'] {
  const operator = operatorOf(search);
  return {
    network,
    days: daysOf(range, search) ?? null,
    fromDate: fromDate.read(search) ?? null,
    toDate: toDate.read(search) ?? null,
    utc: calendars.read(search) === 'utc',
    where: operator ? { operator } : null,
    ...askedOf(search),
    orderBy: order.read(search),
    ...pageOf(search, Number(sizes.read(search))),
  };
}

/** The dates that are ranked, of those that are stored. */
function datesOf({ validatorRanking: list }: Data, search: URLSearchParams) {
  const [first, last] = [list?.storedFrom, list?.storedTo].map((end) =>
    end == null ? undefined : String(end),
  );
  const days = daysOf(range, search);
  const counted = days && last ? dateAfter(last, 1 - days) : undefined;
  const from = counted ?? fromDate.read(search);
  const to = toDate.read(search);
  return {
    from: from && first && from < first ? first : (from ?? first),
    to: to && last && to > last ? last : (to ?? last),
  };
}

/** The same days on the page of a validator, which has no range of one day. */
function daysIn(data: Data, search: URLSearchParams): Record<string, string> {
  const { from, to } = datesOf(data, search);
  const calendar = calendars.write(calendars.read(search));
  const isOneDay = daysOf(range, search) === 1;
  const named = Object.fromEntries(
    [range, fromDate, toDate].flatMap(({ name }) => {
      const given = search.get(name);
      return given === null ? [] : [[name, given]];
    }),
  );
  return {
    ...(isOneDay ? { ...(from && { from }), ...(to && { to }) } : named),
    ...(calendar && { calendar }),
  };
}

/** The path of this page in REST, which has no parameter for a number of days. */
function restOf(data: Data, search: URLSearchParams): string {
  const { from, to } = datesOf(data, search);
  const operator = operatorOf(search);
  const { field, direction } = order.read(search);
  const skipped = skippedOf(search) ?? 0;
  const query = new URLSearchParams({
    ...(from && { fromDate: from }),
    ...(to && { toDate: to }),
    ...(calendars.read(search) === 'utc' && { utc: 'true' }),
    ...(operator && { entityId: operator.operatorId, entityType: restTypeOf(operator.idType) }),
    sortBy: field.toLowerCase(),
    sortOrder: direction.toLowerCase(),
    limit: sizes.read(search),
    ...(skipped > 0 && { offset: String(skipped) }),
  });
  return `/v1/eth/validators/ranking?${query}`;
}

/** Heading of a ranking. It stays visible if the ranking was refused. */
function Head(props: { about?: string; unknown?: string | undefined; newest?: string | undefined }) {
  const { about, unknown, newest } = props;
  return (
    <>
      <Heading title="Validators" about={about ?? 'By what they did over a range of days.'}>
        <RangeControl of={range} dates calendar lastDay={newest} />
      </Heading>
      <Filters names={['class', 'operator']}>
        <OperatorFilter isUnknown={unknown !== undefined} />
        <Choice param={sizes} label="Validators a page" />
      </Filters>
    </>
  );
}

function View({ data, place }: { data: Data; place: Place }) {
  const { search } = place;
  const { validatorRanking: list } = data;
  const { from, to } = datesOf(data, search);
  const unknown = unknownOperator(search, data.operator);
  const columns = useMemo(() => columnsFor(daysIn(data, search)), [data, search]);
  const about =
    from && to
      ? `By what they did ${from === to ? `on ${calendarDate(from)}` : `from ${calendarDate(from)} to ${calendarDate(to)}`}, in ${calendarWords[calendars.read(search)]}: ${count(list?.totalCount)} validators with a stored day.`
      : undefined;
  const whole = wholeOfPage<validatorsQuery, Ranked>(query, variables(place), (all) => all.validatorRanking);
  return (
    <>
      <Head {...(about && { about })} unknown={unknown} newest={list?.storedTo ?? undefined} />
      <div className="figures">
        <PagedFigure
          title="Ranking"
          wide
          note="By the mean effectiveness of the days with attestation duties, the rewards of both layers less penalties, or the missed attestations: choose the head of a column. Equal ones are by index."
          columns={columns}
          of={list}
          whole={whole}
          rest={restOf(data, search)}
          label="validators"
          order={order}
          empty={unknown ?? 'No validator has a stored day in this range.'}
        />
      </div>
    </>
  );
}

const titles = { input: 'This cannot be ranked', rate: 'Too many at once' } as const;

/** A range that would take too long, or one ranking too many: another choice, or time, may help. */
function Refused({ failure, place }: { failure: Failure; place: Place }) {
  const { kind, message, retryAfter } = failure;
  if (kind !== 'input' && kind !== 'rate') return <Problem error={failure} />;
  const hasPlace = skippedOf(place.search) !== 0;
  return (
    <>
      <Head />
      <section className="notice" data-kind={kind} role="alert">
        <h2>{titles[kind]}</h2>
        <p>{message}</p>
        {kind === 'rate' && <Countdown seconds={retryAfter ?? 5} />}
        {hasPlace && (
          <p className="actions">
            <ChangeLink changes={{}}>The first page</ChangeLink>
          </p>
        )}
      </section>
    </>
  );
}

export default page<validatorsQuery>({ query, variables, View, Refused });
