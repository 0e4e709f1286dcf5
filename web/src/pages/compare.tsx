import { type CSSProperties, useMemo } from 'react';
import { graphql } from 'react-relay';
import type { compareQuery } from '../__generated__/compareQuery.graphql';
import { Failure } from '../api/failure.ts';
import { Figure } from '../figures/figure.tsx';
import { OperatorDays } from '../figures/operator-days.tsx';
import { besideColumns, linesOf } from '../figures/operator-windows.ts';
import { colors } from '../figures/plots.ts';
import { type Place, page } from '../page.tsx';
import { SearchLink } from '../parts/controls.tsx';
import { Heading } from '../parts/heading.tsx';
import { longNameOf, OperatorLink } from '../parts/operators.tsx';
import { RangeControl } from '../parts/range.tsx';
import { Empty } from '../states.tsx';
import { ranges } from '../url/range.ts';
import { hasHistory, windowOf } from '../url/windows.ts';
import { compared, comparedIn, MOST_COMPARED, OperatorPicker } from './compare/compare-picker.tsx';

const query = graphql`
  query compareQuery(
    $network: Network!
    $ids: [ID!]!
    $window: TimeWindow!
    $days: Int!
    $hasAny: Boolean!
    $hasHistory: Boolean!
  ) {
    operators(network: $network, window: $window, ids: $ids) @include(if: $hasAny) {
      nodes {
        id
        idType
        operatorId
        displayName
        summary(window: $window) {
          ...operatorWindows_summary @relay(mask: false)
          asOf {
            epoch
            time
          }
        }
        history(window: $window, orderBy: { field: DATE, direction: ASC }, last: $days) @include(if: $hasHistory) {
          ...operatorDays_history @relay(mask: false)
        }
      }
    }
  }
`;

type Operator = NonNullable<compareQuery['response']['operators']>['nodes'][number];

const range = ranges(['1d', '7d', '30d', 'all'], '30d');
const DAYS = 90;

function variables({ network, search }: Place): compareQuery['variables'] {
  const ids = comparedIn(search);
  if (ids.length > MOST_COMPARED)
    throw new Failure(
      'input',
      `${ids.length} operators are named by id, but at most ${MOST_COMPARED} are compared.`,
    );
  return {
    network,
    ids,
    window: windowOf(search, range),
    days: DAYS,
    hasAny: ids.length > 0,
    hasHistory: hasHistory(search, range),
  };
}

/** The operators that are compared, in the colours of their lines; each can be removed. */
const Compared = ({ operators }: { operators: readonly Operator[] }) => (
  <ul className="compared">
    {operators.map((operator, index) => (
      <li key={operator.id} style={{ '--color': colors[index] } as CSSProperties}>
        <OperatorLink operator={operator} />
        <SearchLink
          className="chip"
          make={(given) =>
            compared(
              given,
              comparedIn(given).filter((id) => id !== operator.id),
            )
          }
          aria-label={`Remove ${longNameOf(operator)} from the comparison`}
        >
          ✕
        </SearchLink>
      </li>
    ))}
  </ul>
);

function View({ data, place }: { data: compareQuery['response']; place: Place }) {
  const { operators: found } = data;
  const operators = useMemo(() => {
    const ids = comparedIn(place.search);
    return (found?.nodes ?? []).toSorted((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id));
  }, [found, place.search]);
  const heads = operators.map((one) => ({ key: one.id, head: longNameOf(one) }));
  const summaries = Object.fromEntries(operators.map(({ id, summary }) => [id, summary]));
  const lost = comparedIn(place.search).length - operators.length;
  return (
    <>
      <Heading
        title="Compare operators"
        about={`Up to ${MOST_COMPARED} operators of any class beside each other. The address of this page can be sent.`}
        asOf={operators[0]?.summary?.asOf}
      >
        <RangeControl of={range} />
      </Heading>
      <div className="filters">
        <Compared operators={operators} />
        <OperatorPicker />
      </div>
      {lost > 0 && (
        <Empty>
          {lost === 1 ? 'One operator' : `${lost} operators`} of the address {lost === 1 ? 'has' : 'have'} no
          figures of this network in this range.
        </Empty>
      )}
      {operators.length === 0 ? (
        lost === 0 && <Empty>Find an operator by its name or address to begin with.</Empty>
      ) : (
        <div className="figures">
          <OperatorDays operators={operators} ranges={range} />
          <Figure
            title="Side by side"
            wide
            note="Figures of the range that is chosen above."
            columns={besideColumns(heads)}
            rows={linesOf(summaries)}
          />
        </div>
      )}
    </>
  );
}

export default page<compareQuery>({ query, variables, View });
