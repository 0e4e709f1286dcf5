import type { validatorQuery } from '../../__generated__/validatorQuery.graphql';
import {
  countColumn,
  dateColumn,
  gweiColumn,
  numberColumn,
  outcomeColumn,
  slotColumn,
  timeColumn,
  validatorColumn,
} from '../../figures/columns.tsx';
import { Figure } from '../../figures/figure.tsx';
import { PagedFigure } from '../../figures/paged-figure.tsx';
import type { Column } from '../../figures/table.tsx';

type Data = validatorQuery['response'];
type Validator = NonNullable<Data['validator']>;
type Block = NonNullable<Validator['proposedBlocks']>['nodes'][number];
type Seat = NonNullable<Validator['syncCommitteeRewards']>['nodes'][number];
type Move = NonNullable<Validator['consolidations']>['nodes'][number];
type Pending = NonNullable<Data['pendingConsolidations']>['nodes'][number];

const blockColumns: Column<Block>[] = [
  slotColumn(({ consensusSlot }) => consensusSlot),
  timeColumn(({ blockTimestamp }) => blockTimestamp),
  outcomeColumn(({ consensusOutcome }) => consensusOutcome),
  gweiColumn('Consensus', ({ consensusRewards }) => consensusRewards),
  gweiColumn('Execution', ({ executionRewards }) => executionRewards),
  gweiColumn('Rewards', ({ totalRewards }) => totalRewards),
  gweiColumn('Missed', ({ totalRewardsMissed }) => totalRewardsMissed),
];

const seatColumns: Column<Seat>[] = [
  slotColumn(({ consensusSlot }) => consensusSlot),
  timeColumn(({ blockTimestamp }) => blockTimestamp),
  { head: 'Signature', value: ({ reward }) => (reward.startsWith('-') ? 'missed' : 'included') },
  gweiColumn('Reward', ({ reward }) => reward),
];

const moveColumns: Column<Move>[] = [
  dateColumn(({ date }) => date),
  numberColumn('Epoch', ({ epoch }) => epoch),
  validatorColumn('From', ({ sourceValidatorIndex }) => sourceValidatorIndex),
  validatorColumn('To', ({ targetValidatorIndex }) => targetValidatorIndex),
  gweiColumn('Moved', ({ consolidatedBalance }) => consolidatedBalance),
];

const pendingColumns: Column<Pending>[] = [
  countColumn('Place in the queue', ({ position }) => position + 1),
  numberColumn('Expected in epoch', ({ expectedEpoch }) => expectedEpoch),
  validatorColumn('From', ({ sourceValidatorIndex }) => sourceValidatorIndex),
  validatorColumn('To', ({ targetValidatorIndex }) => targetValidatorIndex),
  gweiColumn('Would move', ({ amount }) => amount),
];

/** What is listed for a validator, a page of each. */
export function Lists({ validator, pending }: { validator: Validator; pending: readonly Pending[] }) {
  const { proposedBlocks, syncCommitteeRewards: seats, consolidations: moves } = validator;
  return (
    <>
      <PagedFigure
        title="Blocks"
        note="Slots in which it was assigned to propose, newest first; rewards in ETH."
        columns={blockColumns}
        of={proposedBlocks}
        label="blocks"
        list="blocks"
        empty="It was not assigned to propose in a stored slot."
      />
      <PagedFigure
        title="Sync committee rewards"
        note="By slot, newest first, in ETH; negative for a missed signature."
        columns={seatColumns}
        of={seats}
        label="sync committee rewards"
        list="seats"
        empty="It had no seat in a stored sync committee."
      />
      <PagedFigure
        title="Consolidations"
        note="Balance that moved from or to it, oldest first, in ETH."
        columns={moveColumns}
        of={moves}
        label="consolidations"
        list="moves"
        empty="None was processed."
      />
      <Figure
        title="Pending consolidations"
        note="Its places in the queue of the newest indexed state."
        columns={pendingColumns}
        rows={pending}
        empty="None is in the queue."
      />
    </>
  );
}
