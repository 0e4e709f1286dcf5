import type { GraphQLResolveInfo } from 'graphql';
import { SECONDS_PER_DAY, SECONDS_PER_SLOT, slotStart } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { columns } from '../../graphql/schema/columns.ts';
import {
  checkSizes,
  connection,
  connectionRange,
  sizesText,
  withPreviousPage,
} from '../../graphql/schema/connection.ts';
import { pageTypes } from '../../graphql/schema/connection-types.ts';
import { replacedBy } from '../../graphql/schema/deprecated.ts';
import { endArgs, endsOf } from '../../graphql/schema/ends.ts';
import { NetworkEnum, networkArgs } from '../../graphql/schema/enums.ts';
import { loadNodes, networkNumber } from '../../graphql/schema/nodes.ts';
import { orderInput } from '../../graphql/schema/order.ts';
import { IN_PAGE, IN_ROW, selectedFields } from '../../graphql/schema/selection.ts';
import { ValidatorBy } from '../../graphql/schema/validator-by.ts';
import { badArgument, collectFaults } from '../../kernel/refusal.ts';
import { OperatorBy, readOperatorBy } from '../operator-by.ts';
import { Operator } from '../operators/summary.ts';
import { ValidatorType } from '../validators/graphql.ts';
import { indexOf, loadValidator } from '../validators/loaders.ts';
import { readValidatorBy } from '../validators/record.ts';
import { loadBlock, loadProposalCounts, loadProposerBlockTotal } from './loaders.ts';
import type { BlockRow, ProposalCounts } from './queries.ts';
import { Block, type BlockField, FinalizedBlock, finalizedBlockFields, type ProposerDuty } from './record.ts';
import {
  BLOCKS_SIZES,
  type BlockList,
  blockCursors,
  blocks,
  PROPOSED_BLOCKS_SIZES,
  proposerBlockCursors,
  proposerBlocks,
  totalBlocks,
} from './resolve.ts';

const ProposalOutcomeEnum = builder.enumType('ProposalOutcome', {
  description: 'Outcome of a proposal.',
  values: {
    PROPOSED: { value: 'proposed', description: 'The block is on the chain; `proposed` in REST.' },
    MISSED: { value: 'missed', description: 'There is no block; `missed` in REST.' },
    ORPHANED: { value: 'orphaned', description: 'The block is not part of the chain; `orphaned` in REST.' },
  } as const,
});

const ownNames = {
  consensusProposerDuty: 'consensusOutcome',
  executionProposerDuty: 'executionOutcome',
} as const;

export function askedBlockFields(info: GraphQLResolveInfo, paths: string[][]): BlockField[] {
  const names = selectedFields(info, ...paths);
  return finalizedBlockFields.filter(
    (name) => names.has(name) || (name in ownNames && names.has(ownNames[name as keyof typeof ownNames])),
  );
}

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
    consensusOutcome: t.field({
      type: ProposalOutcomeEnum,
      description: described('consensusProposerDuty'),
      resolve: (row) => row.consensusProposerDuty as ProposerDuty,
    }),
    executionOutcome: t.field({
      type: ProposalOutcomeEnum,
      nullable: true,
      description: described('executionProposerDuty'),
      resolve: (row) => row.executionProposerDuty,
    }),
    consensusProposerDuty: t.field({
      type: ProposalOutcomeEnum,
      deprecationReason: replacedBy('consensusOutcome'),
      description: described('consensusProposerDuty'),
      resolve: (row) => row.consensusProposerDuty as ProposerDuty,
    }),
    executionProposerDuty: t.expose('executionProposerDuty', {
      type: ProposalOutcomeEnum,
      nullable: true,
      deprecationReason: replacedBy('executionOutcome'),
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

const BlockOrder = orderInput('Block', ['slot'], () => 'The slot.');

const BlockWhere = builder.inputType('BlockWhere', {
  description: 'Which slots are listed: those that match all fields given.',
  fields: (t) => ({
    proposer: t.field({ type: ValidatorBy, description: 'The validator assigned to propose.' }),
    operator: t.field({
      type: OperatorBy,
      description: 'An operator of that validator, as validators belong to operators now.',
    }),
    outcome: t.field({ type: ProposalOutcomeEnum, description: 'Outcome of the proposal.' }),
    finalized: t.boolean({ description: 'Whether the slot is final.' }),
  }),
});

function startSlot(slot: number | null | undefined): number | null {
  if (slot != null && slot < 0)
    throw badArgument('startAtSlot', `startAtSlot is ${slot}; an integer >= 0 is needed.`);
  return slot ?? null;
}

/** A slot belongs to the UTC date on which it begins. */
const slotsOf = (network: Network, args: Parameters<typeof endsOf>[0]) =>
  endsOf(args, {
    Slot: (slot) => ({ first: slot, last: slot }),
    Date: (date) => {
      const day = (Date.parse(date) / 1000 - slotStart(network, 0)) / SECONDS_PER_SLOT;
      const next = day + SECONDS_PER_DAY / SECONDS_PER_SLOT;
      return { first: Math.ceil(day), last: Math.ceil(next) - 1 };
    },
  });

builder.queryField('blocks', (t) =>
  t.connection(
    {
      type: BlockType,
      nullable: true,
      extensions: { operation: 'listBlocks' },
      description: `Stored slots, by default newest first, missed slots included. ${sizesText(BLOCKS_SIZES)} REST: GET /v0/eth/blocks.`,
      args: {
        where: t.arg({ type: BlockWhere, description: 'Filter; default: all slots.' }),
        ...endArgs.Date,
        ...endArgs.Slot,
        startAtSlot: t.arg.int({
          description:
            'Slot >= 0 that the page begins with; default: the first of the list. Ignored with a cursor. It does not narrow the list: totalCount counts the slots before it too.',
        }),
        orderBy: t.arg({ type: BlockOrder, description: 'The order; default: newest first.' }),
        ...networkArgs,
      },
      resolve: async (_root, args, ctx: Context, info) => {
        const network = args.network ?? ctx.network;
        const { where } = args;
        const [by, operator, slots, startAt] = collectFaults(
          () => (where?.proposer ? readValidatorBy(where.proposer, ['where', 'proposer']) : null),
          () => readOperatorBy(where?.operator, 'where.operator'),
          () => slotsOf(network, args),
          () => startSlot(args.startAtSlot),
          () => checkSizes(args, BLOCKS_SIZES.maxSize),
        );
        const proposer = by && (await indexOf(ctx, network, by));
        const list: BlockList = {
          network,
          slots,
          where: { proposer, operator, outcome: where?.outcome ?? null, finalized: where?.finalized ?? null },
          ascending: args.orderBy?.direction === 'asc',
        };
        const cursors = blockCursors(list);
        const range = connectionRange(args, info, { ...BLOCKS_SIZES, decode: cursors.read });
        const page = await blocks(ctx, list, startAt, range, askedBlockFields(info, IN_PAGE));
        const begun = await withPreviousPage(page, startAt, range, info, (above) =>
          blocks(ctx, list, null, above, []),
        );
        return connection(
          begun,
          (row) => cursors.of(row.consensusSlot),
          () => totalBlocks(ctx, list),
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
      'The block of a slot; null when the slot is not stored. A missed slot has a block too, with consensusOutcome MISSED. REST: GET /v0/eth/blocks/{consensus_slot}.',
    args: {
      slot: t.arg.int({ required: true, description: 'Slot of the block, >= 0.' }),
      ...networkArgs,
    },
    resolve: (_root, { slot, network }, ctx, info) => {
      if (slot < 0) throw badArgument('slot', `slot is ${slot}; an integer >= 0 is needed.`);
      return loadBlock(ctx, { network: network ?? ctx.network, slot }, askedBlockFields(info, IN_ROW));
    },
  }),
);

builder.objectField(ValidatorType, 'proposedBlocks', (t) =>
  t.connection(
    {
      type: BlockType,
      nullable: true,
      extensions: { operation: 'listBlocks' },
      description: `Slots in which it was assigned to propose, newest first, missed slots included. ${sizesText(PROPOSED_BLOCKS_SIZES)}`,
      resolve: async (validator, args, ctx, info) => {
        const cursors = proposerBlockCursors(validator);
        const range = connectionRange(args, info, { ...PROPOSED_BLOCKS_SIZES, decode: cursors.read });
        const page = await proposerBlocks(ctx, validator, range, askedBlockFields(info, IN_PAGE));
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

const ProposalCountsType = builder.objectRef<ProposalCounts>('ProposalCounts').implement({
  description: "Outcomes of the proposals of an operator's validators.",
  fields: (t) => ({
    proposed: t.exposeInt('proposed', { description: 'Slots whose block is on the chain, at least 0.' }),
    missed: t.exposeInt('missed', { description: 'Slots without a block, at least 0.' }),
    orphaned: t.exposeInt('orphaned', {
      description: 'Slots whose block is not part of the chain, at least 0.',
    }),
  }),
});

builder.objectField(Operator, 'proposalCounts', (t) =>
  t.field({
    type: ProposalCountsType,
    nullable: true,
    extensions: { operation: 'proposalCounts' },
    description:
      'Stored slots of its validators in a range, by outcome; by default all stored slots. Null for classes that validators do not belong to. `blocks(where: { operator })` lists them.',
    args: { ...endArgs.Date, ...endArgs.Slot },
    resolve: async (operator, args, ctx) => {
      const slots = slotsOf(operator.network, args);
      if (operator.idType === 'entity' || operator.idType === 'privateSet') return null;
      const { network, idType, id } = operator;
      return (await loadProposalCounts(ctx, { network, idType, id }, slots))[0];
    },
  }),
);
