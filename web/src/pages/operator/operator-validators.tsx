import { graphql } from 'react-relay';
import { Link } from 'react-router';
import type { operatorQuery } from '../../__generated__/operatorQuery.graphql';
import { numberColumn, statusColumn, validatorColumn } from '../../figures/columns.tsx';
import { PagedFigure } from '../../figures/paged-figure.tsx';
import type { Column } from '../../figures/table.tsx';
import { type ClassSlug, classes, operatorName, classNames as rankedClasses } from '../../parts/filters.tsx';
import { shortHex } from '../../parts/format.ts';
import { slugOf } from '../../url/links.ts';
import { useHref } from '../../url/use-network.ts';

graphql`
  fragment operatorValidators_operator on Operator {
    validators(first: $first, after: $after, last: $last, before: $before) @include(if: $onValidators) {
      totalCount
      pageInfo {
        ...pager_pageInfo @relay(mask: false)
      }
      nodes {
        id
        validatorIndex
        validatorPubkey
        status
        slashed
        activationEpoch
        exitEpoch
      }
    }
  }
`;

type Operator = NonNullable<operatorQuery['response']['operator']>;
type Validator = NonNullable<Operator['validators']>['nodes'][number];

const validatorColumns: Column<Validator>[] = [
  validatorColumn('Index', (row) => row.validatorIndex),
  {
    head: 'Public key',
    value: (row) => row.validatorPubkey,
    show: (row) => <code title={row.validatorPubkey}>{shortHex(row.validatorPubkey)}</code>,
  },
  statusColumn((row) => row),
  numberColumn('Activation epoch', (row) => row.activationEpoch),
  numberColumn('Exit epoch', (row) => row.exitEpoch),
];

/** For an operator whose class can have a ranking. */
function Ranking({ operator: { idType, operatorId } }: { operator: Operator }) {
  const href = useHref();
  const slug = slugOf(idType);
  if (!(slug in rankedClasses)) return null;
  const own = classes.write(slug as ClassSlug);
  return (
    <Link
      to={href('/explore/validators', {
        ...(own && { [classes.name]: own }),
        [operatorName.name]: operatorId,
      })}
    >
      Rank them
    </Link>
  );
}

export const Validators = ({ operator }: { operator: Operator }) => (
  <PagedFigure
    title="Validators"
    note="Those that the index knows, by index."
    columns={validatorColumns}
    of={operator.validators}
    label="validators"
    empty="No validator is known to belong to it."
    controls={<Ranking operator={operator} />}
  />
);
