import type { blocksQuery } from '../../__generated__/blocksQuery.graphql';
import {
  countColumn,
  gweiColumn,
  outcomeColumn,
  slotColumn,
  timeColumn,
  validatorColumn,
} from '../../figures/columns.tsx';
import type { Column } from '../../figures/table.tsx';
import { fullNameOf, OperatorLinks } from '../../parts/operators.tsx';
import { payloads } from '../../parts/payloads.ts';

export type Data = blocksQuery['response'];
export type Blocks = NonNullable<Data['blocks']>;
export type Block = Blocks['nodes'][number];

const namesOf = ({ proposer: of }: Block) =>
  (of?.operators ?? []).filter(({ idType }) => idType === 'NODE_OPERATOR' || idType === 'POOL');

/** Builders send a block to many relays; a row has room for one. */
const Relays = ({ names: [first, ...others] }: { names: readonly string[] }) =>
  first === undefined ? (
    'none'
  ) : (
    <span title={[first, ...others].join(', ')}>
      {others.length > 0 ? `${first} +${others.length}` : first}
    </span>
  );

export const columns: Column<Block>[] = [
  slotColumn(({ consensusSlot }) => consensusSlot),
  timeColumn(({ blockTimestamp }) => blockTimestamp),
  outcomeColumn(({ consensusOutcome }) => consensusOutcome),
  { head: 'Payload', value: ({ payload: of }) => of && payloads[of.status] },
  validatorColumn('Proposer', ({ validatorIndex }) => validatorIndex),
  {
    head: 'Operators',
    value: (row) => namesOf(row).map(fullNameOf).join(', '),
    show: (row) => <OperatorLinks operators={namesOf(row)} />,
  },
  gweiColumn('Consensus', ({ consensusRewards }) => consensusRewards),
  gweiColumn('Execution', ({ executionRewards }) => executionRewards),
  gweiColumn('Rewards', ({ totalRewards }) => totalRewards),
  countColumn('Transactions', (row) => row.totalTransactions),
  {
    head: 'Relays',
    value: ({ relays }) => relays.join(', '),
    show: ({ relays }) => <Relays names={relays} />,
  },
];
