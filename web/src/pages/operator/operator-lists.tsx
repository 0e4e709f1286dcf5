import type { operatorQuery } from '../../__generated__/operatorQuery.graphql';
import {
  countColumn,
  dateColumn,
  gweiColumn,
  numberColumn,
  timeColumn,
  validatorColumn,
} from '../../figures/columns.tsx';
import { Figure } from '../../figures/figure.tsx';
import { PagedFigure } from '../../figures/paged-figure.tsx';
import type { Column } from '../../figures/table.tsx';
import { count, percentage, shortHex } from '../../parts/format.ts';
import { longNameOf, nameOf, OperatorLink, stakeShare } from '../../parts/operators.tsx';

type Operator = NonNullable<operatorQuery['response']['operator']>;
type PoolShare = NonNullable<Operator['poolShares']>['nodes'][number];
type Validator = NonNullable<Operator['validators']>['nodes'][number];
type Slashing = NonNullable<Operator['slashings']>['nodes'][number];
type Consolidation = NonNullable<Operator['consolidations']>['nodes'][number];

/** The name of the list of pool shares in the URL. */
export const SHARES = 'shares';

const poolShareColumns = (inPool: boolean): Column<PoolShare>[] => [
  {
    head: inPool ? 'Node operator' : 'Pool share',
    value: ({ operatorId }) => operatorId,
    show: (row) => <OperatorLink operator={row} name={inPool ? nameOf(row) : longNameOf(row)} />,
  },
  {
    head: 'Share of stake',
    csv: 'Share of stake (0–1)',
    value: ({ summary }) => summary?.networkPenetration,
    show: ({ summary }) => stakeShare(summary?.networkPenetration),
    numeric: true,
  },
  countColumn('Validators', ({ summary }) => summary?.validatorCount),
  {
    head: 'Effectiveness',
    csv: 'Effectiveness (%)',
    value: ({ summary }) => summary?.avgValidatorEffectiveness,
    show: ({ summary }) => percentage(summary?.avgValidatorEffectiveness),
    numeric: true,
  },
];

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

const slashingColumns: Column<Slashing>[] = [
  dateColumn(({ date }) => date),
  numberColumn('Epoch', (row) => row.slashingEpoch),
  validatorColumn('Validator', (row) => row.validatorIndex),
  gweiColumn('Penalties', (row) => row.slashingPenalties),
];

const consolidationColumns: Column<Consolidation>[] = [
  timeColumn(({ timestamp }) => timestamp),
  validatorColumn('Source', (row) => row.sourceValidatorIndex),
  validatorColumn('Target', (row) => row.targetValidatorIndex),
  gweiColumn('Balance', (row) => row.consolidatedBalance),
];

/** The node operators of a pool, or the pools of a node operator. */
export function PoolShares({ operator: { idType, poolShares } }: { operator: Operator }) {
  if (idType !== 'POOL' && idType !== 'NODE_OPERATOR') return null;
  return (
    <PagedFigure
      title={idType === 'POOL' ? 'Its node operators' : 'Its shares of pools'}
      note="By share of the stake of the network, largest first."
      columns={poolShareColumns(idType === 'POOL')}
      of={poolShares}
      label="pool shares"
      list={SHARES}
      empty="It has none."
    />
  );
}

/** The validators of an operator, and what happened to them. */
export function Events({ operator }: { operator: Operator }) {
  const { validators, slashings, consolidations } = operator;
  return (
    <>
      <PagedFigure
        title="Validators"
        note="Those that the index knows, by index."
        columns={validatorColumns}
        of={validators}
        label="validators"
        empty="No validator is known to belong to it."
      />
      <Figure
        title="Slashings"
        note={`The newest of ${count(slashings?.totalCount)}.`}
        columns={slashingColumns}
        rows={slashings?.nodes ?? []}
        empty="None of its validators was slashed."
      />
      <Figure
        title="Consolidations"
        note={`The newest of ${count(consolidations?.totalCount)}, as source or as target.`}
        columns={consolidationColumns}
        rows={consolidations?.nodes ?? []}
        empty="None of its validators was consolidated."
      />
    </>
  );
}
