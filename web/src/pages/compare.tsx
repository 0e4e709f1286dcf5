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
import { PageLink } from '../parts/page-links.tsx';
import { RangeControl } from '../parts/range.tsx';
import { Empty } from '../states.tsx';
import { chainDate, daysOf, ranges, USUAL } from '../url/range.ts';
import { hasHistory, LEAST_DAYS, rangeOf, windowOf } from '../url/windows.ts';
import { type Compared, comparedOf } from './compare/compare-objects.ts';
import { compared, comparedIn, MOST_COMPARED, Picker } from './compare/compare-picker.tsx';

const query = graphql`
  query compareQuery(
    $ids: [ID!]!
    $window: TimeWindow!
    $days: Int!
    $hasAny: Boolean!
    $hasHistory: Boolean!
  ) {
    compared: nodes(ids: $ids) @include(if: $hasAny) {
      __typename
      ... on Operator {
        id
        network
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
      ... on PrivateSet {
        id
        network
        setId
        name
        summary(window: $window) {
          ...operatorWindows_summary @relay(mask: false)
        }
        history(window: $window, orderBy: { field: DATE, direction: ASC }, last: $days) @include(if: $hasHistory) {
          ...operatorDays_history @relay(mask: false)
          nodes {
            asOf {
              epoch
              time
            }
          }
        }
      }
    }
  }
`;

const range = ranges(['1d', '7d', '30d', 'all'], USUAL);

function variables({ search }: Place): compareQuery['variables'] {
  const ids = comparedIn(search);
  if (ids.length > MOST_COMPARED)
    throw new Failure(
      'input',
      `${ids.length} operators and sets are named by id, but at most ${MOST_COMPARED} are compared.`,
    );
  return {
    ids,
    window: windowOf(search, range),
    days: Math.max(LEAST_DAYS, daysOf(range, search) ?? LEAST_DAYS),
    hasAny: ids.length > 0,
    hasHistory: hasHistory(search, range),
  };
}

/** What is compared, in the colours of the lines; each can be removed. */
const Legend = ({ of, params }: { of: readonly Compared[]; params: { range?: string } }) => (
  <ul className="compared">
    {of.map(({ id, name, title, path, network }, index) => (
      <li key={id} style={{ '--color': colors[index] } as CSSProperties}>
        <PageLink to={`${path}?${new URLSearchParams(params)}`} network={network}>
          <span title={title}>{name}</span>
        </PageLink>
        <SearchLink
          className="chip"
          make={(given) =>
            compared(
              given,
              comparedIn(given).filter((one) => one !== id),
            )
          }
          aria-label={`Remove ${name} from the comparison`}
        >
          ✕
        </SearchLink>
      </li>
    ))}
  </ul>
);

function View({ data, place }: { data: compareQuery['response']; place: Place }) {
  const found = useMemo(() => comparedOf(data.compared ?? []), [data.compared]);
  const heads = found.map(({ id, name }) => ({ key: id, head: name }));
  const summaries = Object.fromEntries(found.map(({ id, summary }) => [id, summary]));
  const asOf = found.find((one) => one.asOf)?.asOf;
  const lost = new Set(comparedIn(place.search)).size - found.length;
  return (
    <>
      <Heading
        title="Compare"
        about={`Up to ${MOST_COMPARED} operators of any class, and sets of yours, beside each other. The address of this page can be sent; sets are seen with tokens of your account only.`}
        asOf={asOf}
      >
        <RangeControl of={range} lastDay={chainDate(asOf)} />
      </Heading>
      <div className="filters">
        <Legend of={found} params={rangeOf(windowOf(place.search, range))} />
        <Picker />
      </div>
      {lost > 0 && (
        <Empty>
          {lost === 1 ? 'One id' : `${lost} ids`} of the address {lost === 1 ? 'has' : 'have'} no figures in
          this range: the gateway does not know {lost === 1 ? 'it' : 'them'}, or{' '}
          {lost === 1 ? 'it is a set' : 'they are sets'} of another account.
        </Empty>
      )}
      {found.length === 0 ? (
        lost === 0 && (
          <Empty>Find an operator by its name or address, or a set by its name, to begin with.</Empty>
        )
      ) : (
        <div className="figures">
          <OperatorDays of={found} ranges={range} />
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
