import { graphql } from 'react-relay';
import type { operatorQuery } from '../../__generated__/operatorQuery.graphql';
import { numberColumn, validatorColumn } from '../../figures/columns.tsx';
import { PagedFigure } from '../../figures/paged-figure.tsx';
import type { Column } from '../../figures/table.tsx';
import { shortHex } from '../../parts/format.ts';

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

const statuses: Record<string, string> = {
  PENDING: 'pending',
  ACTIVE: 'active',
  EXITING: 'exiting',
  EXITED: 'exited',
};

const validatorColumns: Column<Validator>[] = [
  validatorColumn('Index', (row) => row.validatorIndex),
  {
    head: 'Public key',
    value: (row) => row.validatorPubkey,
    show: (row) => <code title={row.validatorPubkey}>{shortHex(row.validatorPubkey)}</code>,
  },
  {
    head: 'Status',
    value: (row) => (row.slashed ? 'slashed, ' : '') + (statuses[row.status] ?? row.status),
  },
  numberColumn('Activation epoch', (row) => row.activationEpoch),
  numberColumn('Exit epoch', (row) => row.exitEpoch),
];

export const Validators = ({ operator: { validators } }: { operator: Operator }) => (
  <PagedFigure
    title="Validators"
    note="Those that the index knows, by index."
    columns={validatorColumns}
    of={validators}
    label="validators"
    empty="No validator is known to belong to it."
  />
);
