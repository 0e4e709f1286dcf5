import type { Context } from '../../context.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { columns } from '../../graphql/schema/columns.ts';
import { connection, connectionRange, withPreviousPage } from '../../graphql/schema/connection.ts';
import { pageTypes } from '../../graphql/schema/connection-types.ts';
import { NetworkEnum, networkArgs } from '../../graphql/schema/enums.ts';
import { loadNodes, networkNumber } from '../../graphql/schema/nodes.ts';
import { IN_PAGE, IN_ROW, selectedOf } from '../../graphql/schema/selection.ts';
import { badArgument, collectFaults } from '../../kernel/refusal.ts';
import { ValidatorType } from '../validators/graphql.ts';
import { loadValidator } from '../validators/loaders.ts';
import { loadBlock, loadProposerBlockTotal } from './loaders.ts';
import type { BlockRow } from './queries.ts';
import { Block, type BlockField, FinalizedBlock, finalizedBlockFields } from './record.ts';
import {
  BLOCKS_SIZES,
  blockCursors,
  blocks,
  PROPOSED_BLOCKS_SIZES,
  proposerBlockCursors,
  proposerBlocks,
  totalBlocks,
} from './resolve.ts';

const ProposerDutyEnum = builder.enumType('ProposerDuty', {
  description: 'Outcome of a proposal.',
  values: {
    PROPOSED: { value: 'proposed', description: 'The block is on the chain; `proposed` in REST.' },
    MISSED: { value: 'missed', description: 'There is no block; `missed` in REST.' },
    ORPHANED: { value: 'orphaned', description: 'The block is not part of the chain; `orphaned` in REST.' },
  } as const,
});

const described = (name: BlockField) => FinalizedBlock.shape[name].description as string;

export const BlockType = builder.objectRef<BlockRow>('Block');
builder.node(BlockType, {
  description: Block.meta()?.description as string,
  id: { resolve: (row) => `${row.network}:${row.consensusSlot}`, description: 'Global id, for `node`.' },
  loadMany: loadNodes('Block', async (id, ctx) => {
    const found = networkNumber(id);
    return found && loadBlock(ctx, { network: found.network, slot: found.number }, finalizedBlockFields);
  }),
  fields: (t) => ({
    network: t.expose('network', {
      type: NetworkEnum,
      description: 'Network of the block.',
    }),
    ...columns(t, FinalizedBlock),
    consensusProposerDuty: t.field({
      type: ProposerDutyEnum,
      description: described('consensusProposerDuty'),
      resolve: (row) => row.consensusProposerDuty as NonNullable<typeof row.consensusProposerDuty>,
    }),
    executionProposerDuty: t.expose('executionProposerDuty', {
      type: ProposerDutyEnum,
      nullable: true,
      description: described('executionProposerDuty'),
    }),
    relays: t.stringList({ description: described('relays'), resolve: (row) => row.relays ?? [] }),
    blockBuilderPubkeys: t.stringList({
      description: described('blockBuilderPubkeys'),
      resolve: (row) => row.blockBuilderPubkeys ?? [],
    }),
    proposer: t.field({
      type: ValidatorType,
      nullable: true,
      description: 'The validator assigned to propose; null when it is not stored.',
      resolve: (row, _args, ctx) => loadValidator(ctx, row),
    }),
  }),
});

const blockPages = pageTypes(BlockType, {
  name: 'Block',
  row: 'A block',
  list: 'A list of blocks',
});

function startSlot(slot: number | null | undefined): number | null {
  if (slot != null && slot < 0)
    throw badArgument('fromSlot', `fromSlot is ${slot}; an integer >= 0 is needed.`);
  return slot ?? null;
}

builder.queryField('blocks', (t) =>
  t.connection(
    {
      type: BlockType,
      nullable: true,
      extensions: { operation: 'listBlocks', rows: BLOCKS_SIZES.defaultSize },
      description: `All stored slots, newest first, missed slots included. At most ${BLOCKS_SIZES.maxSize} a page, ${BLOCKS_SIZES.defaultSize} by default. REST: GET /v0/eth/blocks.`,
      args: {
        fromSlot: t.arg.int({
          description:
            'Slot >= 0 that the page begins with; default: the newest. Ignored with a cursor. It does not narrow the list: totalCount counts all slots.',
        }),
        ...networkArgs,
      },
      resolve: async (_root, args, ctx: Context, info) => {
        const network = args.network ?? ctx.network;
        const cursors = blockCursors(network);
        const [fromSlot, range] = collectFaults(
          () => startSlot(args.fromSlot),
          () => connectionRange(args, info, { ...BLOCKS_SIZES, decode: cursors.read }),
        );
        const list = { network, fromSlot };
        const page = await blocks(ctx, list, range, selectedOf(info, finalizedBlockFields, IN_PAGE));
        const begun = await withPreviousPage(page, fromSlot, range, info, (above) =>
          blocks(ctx, list, above, []),
        );
        return connection(
          begun,
          (row) => cursors.of(row.consensusSlot),
          () => totalBlocks(ctx, network),
        );
      },
    },
    ...blockPages,
  ),
);

builder.queryField('block', (t) =>
  t.field({
    type: BlockType,
    nullable: true,
    extensions: { operation: 'getBlock' },
    description:
      'The block of a slot; null when the slot is not stored. A missed slot has a block too, with consensusProposerDuty MISSED. REST: GET /v0/eth/blocks/{consensus_slot}.',
    args: {
      slot: t.arg.int({ required: true, description: 'Slot of the block, >= 0.' }),
      ...networkArgs,
    },
    resolve: (_root, { slot, network }, ctx, info) => {
      if (slot < 0) throw badArgument('slot', `slot is ${slot}; an integer >= 0 is needed.`);
      return loadBlock(
        ctx,
        { network: network ?? ctx.network, slot },
        selectedOf(info, finalizedBlockFields, IN_ROW),
      );
    },
  }),
);

builder.objectField(ValidatorType, 'proposedBlocks', (t) =>
  t.connection(
    {
      type: BlockType,
      nullable: true,
      extensions: { operation: 'listBlocks', rows: PROPOSED_BLOCKS_SIZES.defaultSize },
      description: `Slots in which it was assigned to propose, newest first, missed slots included. At most ${PROPOSED_BLOCKS_SIZES.maxSize} a page, ${PROPOSED_BLOCKS_SIZES.defaultSize} by default.`,
      resolve: async (validator, args, ctx, info) => {
        const cursors = proposerBlockCursors(validator);
        const range = connectionRange(args, info, { ...PROPOSED_BLOCKS_SIZES, decode: cursors.read });
        const page = await proposerBlocks(
          ctx,
          validator,
          range,
          selectedOf(info, finalizedBlockFields, IN_PAGE),
        );
        return connection(
          page,
          (row) => cursors.of(row.consensusSlot),
          () => loadProposerBlockTotal(ctx, validator),
        );
      },
    },
    ...blockPages,
  ),
);
