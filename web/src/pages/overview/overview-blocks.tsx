import { useState } from 'react';
import { graphql } from 'react-relay';
import type { overviewBlocksSubscription } from '../../__generated__/overviewBlocksSubscription.graphql';
import type { overviewQuery } from '../../__generated__/overviewQuery.graphql';
import { useLive } from '../../api/live.ts';
import {
  gweiColumn,
  outcomeColumn,
  slotColumn,
  timeColumn,
  validatorColumn,
} from '../../figures/columns.tsx';
import { Figure } from '../../figures/figure.tsx';
import type { Column } from '../../figures/table.tsx';
import { LiveNote } from '../../parts/live-note.tsx';
import type { Network } from '../../url/network.ts';

graphql`
  fragment overviewBlocks_block on Block {
    consensusSlot
    blockTimestamp
    consensusOutcome
    validatorIndex
    totalRewards
  }
`;

const newBlocks = graphql`
  subscription overviewBlocksSubscription($network: Network!, $after: Int) {
    blockAdded(network: $network, after: $after) {
      revision
      blocks {
        id
        ...overviewBlocks_block @relay(mask: false)
      }
    }
  }
`;

type Block = NonNullable<overviewQuery['response']['blocks']>['nodes'][number];

const columns: Column<Block>[] = [
  slotColumn(({ consensusSlot }) => consensusSlot),
  timeColumn(({ blockTimestamp }) => blockTimestamp),
  outcomeColumn(({ consensusOutcome }) => consensusOutcome),
  validatorColumn('Proposer', ({ validatorIndex }) => validatorIndex),
  gweiColumn('Rewards', ({ totalRewards }) => totalRewards),
];

const SHOWN = 10;

/** One row for each id, the newest slot first. */
const newestOf = (blocks: readonly Block[]) =>
  [...new Map(blocks.toReversed().map((block) => [block.id, block])).values()]
    .sort((one, other) => other.consensusSlot - one.consensusSlot)
    .slice(0, SHOWN);

/** The newest blocks, with those that come while the page is open. */
export function Blocks({ network, blocks }: { network: Network; blocks: readonly Block[] }) {
  const [added, setAdded] = useState<readonly Block[]>([]);
  const live = useLive<overviewBlocksSubscription>({
    subscription: newBlocks,
    variables: { network },
    dataset: 'blocks',
    revisionOf: ({ blockAdded }) => blockAdded?.revision,
    onEvent: ({ blockAdded }) => setAdded((before) => newestOf([...(blockAdded?.blocks ?? []), ...before])),
  });
  const rows = newestOf([...added, ...blocks]);
  return (
    <Figure
      title="Newest blocks"
      note={<LiveNote of={live} rows="blocks" newest={rows[0]?.blockTimestamp} />}
      columns={columns}
      rows={rows}
      empty="No block of this network is stored."
    />
  );
}
