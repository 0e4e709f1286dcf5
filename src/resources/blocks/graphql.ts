import { SECONDS_PER_SLOT, SLOTS_PER_DAY } from '../../chain/calendar.ts';
import { genesisTime, type Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import { selectedInPage, selectedInRow } from '../../fast-rows/index.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { columns } from '../../graphql/schema/columns.ts';
import { checkSizes, connectionFrom, connectionOf, sizesText } from '../../graphql/schema/connection.ts';
import { pagesOf } from '../../graphql/schema/connection-types.ts';
import { type EndArgs, endArgs, endsOf } from '../../graphql/schema/ends.ts';
import { enumValues, networkArgs, networkField } from '../../graphql/schema/enums.ts';
import { networkNumber, node } from '../../graphql/schema/nodes.ts';
import { isAscending, orderInput } from '../../graphql/schema/order.ts';
import { ValidatorBy } from '../../graphql/schema/validator-by.ts';
import { badArgument, collectFaults } from '../../kernel/refusal.ts';
import { OperatorBy, readOperatorBy } from '../operators/operator-by.ts';
import { Operator } from '../operators/summary.ts';
import { ValidatorType } from '../validators/graphql.ts';
import { indexOf, loadValidator } from '../validators/loaders.ts';
import { readValidatorBy } from '../validators/record.ts';
import {
  loadBlock,
  loadProposalCounts,
  loadProposerBlocks,
  loadProposerBlockTotal,
  loadStoredSlots,
} from './loaders.ts';
import type { BlockRow, ProposalCounts } from './queries.ts';
import {
  BidPayment,
  Block,
  type BlockField,
  bidFields,
  FinalizedBlock,
  PayloadStatus,
  type ProposerDuty,
  wholeBlockFields,
} from './record.ts';
import {
  BLOCKS_SIZES,
  type BlockList,
  blockCursors,
  blocks,
  PROPOSED_BLOCKS_SIZES,
  proposerBlockCursors,
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

const payloadTexts: Record<PayloadStatus, string> = {
  full: 'The payload is on the chain.',
  empty: 'The chain went on without the payload.',
  unknown: 'The next block is not there yet, which tells.',
};
const PayloadStatusEnum = builder.enumType('PayloadStatus', {
  description: 'Whether the chain has the payload of a block.',
  values: enumValues(PayloadStatus.options, (status) => payloadTexts[status]),
});

const paymentTexts: Record<BidPayment, string> = {
  settled: 'Paid, because the payload is on the chain.',
  quorum: 'Paid without the payload, because enough validators voted for the block in its slot.',
  unpaid: 'Not paid.',
  cancelled: 'Not paid, because the proposer was slashed for the slot.',
};
const BidPaymentEnum = builder.enumType('BidPayment', {
  description: 'How the bid of a builder ended.',
  values: enumValues(BidPayment.options, (payment) => paymentTexts[payment]),
});

const PayloadType = builder.objectRef<{ status: PayloadStatus }>('ExecutionPayload').implement({
  description: 'The payload of a block, which comes apart from it since the fork Gloas.',
  fields: (t) => ({
    status: t.field({
      type: PayloadStatusEnum,
      description: 'Whether the chain has it.',
      resolve: ({ status }) => status,
    }),
  }),
});

export type BidBuilder = { network: Network; index: number; pubkey: string | null };
export const BidBuilderType = builder.objectRef<BidBuilder>('BidBuilder').implement({
  description: 'The builder of a bid, as it was then.',
  fields: (t) => ({
    index: t.exposeInt('index', {
      description: 'Its index, >= 0. Another builder may get it once this one has left.',
    }),
    pubkey: t.exposeString('pubkey', {
      nullable: true,
      description: 'Its public key, 0x and 96 hex digits; null if no beacon node told the builders.',
    }),
  }),
});

const BidType = builder.objectRef<BlockRow>('PayloadBid').implement({
  description: 'The bid in a block, which names the payload and what the proposer gets for it.',
  fields: (t) => ({
    builder: t.field({
      type: BidBuilderType,
      nullable: true,
      description: "Who made the bid; null for the proposer's own payload.",
      resolve: ({ network, bidBuilderIndex: index, bidBuilderPubkey: pubkey }) =>
        index == null ? null : { network, index, pubkey: pubkey ?? null },
    }),
    value: t.field({
      type: 'BigInt',
      description:
        "What the builder bids to pay the proposer, in Gwei, >= 0; 0 for the proposer's own payload.",
      resolve: (row) => row.bidValue as string,
    }),
    executionPayment: t.field({
      type: 'BigInt',
      description:
        'What the builder promises to pay besides, within the payload, in Gwei, >= 0. The protocol does not enforce it.',
      resolve: (row) => row.bidExecutionPayment as string,
    }),
    feeRecipient: t.string({
      description: 'Address to which the bid is paid, 0x and 40 hex digits.',
      resolve: (row) => row.bidFeeRecipient as string,
    }),
    payment: t.field({
      type: BidPaymentEnum,
      nullable: true,
      description: "How the bid ended; null until it is decided, and for the proposer's own payload.",
      resolve: (row) => row.bidPayment,
    }),
  }),
});

const columnsOfFields: Record<string, readonly BlockField[]> = {
  consensusOutcome: ['consensusProposerDuty'],
  executionOutcome: ['executionProposerDuty'],
  payload: ['payloadStatus'],
  bid: bidFields,
};

export function selectedBlockFields(names: ReadonlySet<string>): BlockField[] {
  const others = new Set([...names].flatMap((name) => columnsOfFields[name] ?? []));
  return wholeBlockFields.filter((name) => names.has(name) || others.has(name));
}

const described = (name: keyof FinalizedBlock) => FinalizedBlock.shape[name].description as string;

export const BlockType = builder.objectRef<BlockRow>('Block');
node(BlockType, {
  description: Block.meta()?.description as string,
  id: (row) => `${row.network}:${row.consensusSlot}`,
  load: async (id, ctx) => {
    const found = networkNumber(id);
    return found && loadBlock(ctx, { network: found.network, slot: found.number }, wholeBlockFields);
  },
  fields: (t) => ({
    network: networkField(t, 'Network of the block.'),
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
    relays: t.stringList({ description: described('relays'), resolve: (row) => row.relays ?? [] }),
    blockBuilderPubkeys: t.stringList({
      description: described('blockBuilderPubkeys'),
      resolve: (row) => row.blockBuilderPubkeys ?? [],
    }),
    payload: t.field({
      type: PayloadType,
      nullable: true,
      description: 'Its payload; null before the fork Gloas, for a missed slot, and where it is not stored.',
      resolve: ({ payloadStatus: status }) => (status ? { status } : null),
    }),
    bid: t.field({
      type: BidType,
      nullable: true,
      description:
        'The bid for its payload; null before the fork Gloas, for a missed slot, and where it is not stored.',
      resolve: (row) => (row.bidValue == null ? null : row),
    }),
    proposer: t.field({
      type: ValidatorType,
      nullable: true,
      description: 'The validator assigned to propose; null when it is not stored.',
      resolve: (row, _args, ctx) => loadValidator(ctx, row),
    }),
  }),
});

export const blockPages = pagesOf(BlockType, {
  name: 'Block',
  row: 'A block',
  list: 'A list of blocks',
  stored: 'slot',
});

const BlockOrder = orderInput('Block', ['slot'], () => 'The slot.');
export const blockOrderArg = builder.args((t) => ({
  orderBy: t.field({ type: BlockOrder, description: 'The order; default: newest first.' }),
}));

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
    payload: t.field({
      type: PayloadStatusEnum,
      description: 'Whether the chain has the payload; only slots with a block since the fork Gloas.',
    }),
  }),
});

function startSlot(slot: number | null | undefined): number | null {
  if (slot != null && slot < 0)
    throw badArgument('startAtSlot', `startAtSlot is ${slot}; an integer >= 0 is needed.`);
  return slot ?? null;
}

/** A slot belongs to the UTC date on which it begins. */
const slotsOf = (network: Network, args: EndArgs) =>
  endsOf(args, {
    Slot: (slot) => ({ first: slot, last: slot }),
    Date: (date) => {
      const day = Math.ceil((Date.parse(date) / 1000 - genesisTime[network]) / SECONDS_PER_SLOT);
      return { first: day, last: day + SLOTS_PER_DAY - 1 };
    },
  });

builder.queryField('blocks', (t) =>
  blockPages(t, {
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
      ...blockOrderArg,
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
        where: {
          proposer,
          operator,
          outcome: where?.outcome ?? null,
          finalized: where?.finalized ?? null,
          payload: where?.payload ?? null,
        },
        ascending: isAscending(args.orderBy),
      };
      return connectionFrom(startAt, list.ascending, args, info, {
        ...BLOCKS_SIZES,
        cursors: blockCursors(list),
        read: (range) => blocks(ctx, list, range, selectedBlockFields(selectedInPage(info))),
        total: () => totalBlocks(ctx, list),
        stored: () => loadStoredSlots(ctx, { network }),
      });
    },
  }),
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
      return loadBlock(
        ctx,
        { network: network ?? ctx.network, slot },
        selectedBlockFields(selectedInRow(info)),
      );
    },
  }),
);

builder.objectField(ValidatorType, 'proposedBlocks', (t) =>
  blockPages(t, {
    extensions: { operation: 'listBlocks' },
    description: `Slots in which it was assigned to propose, by default newest first, missed slots included. ${sizesText(PROPOSED_BLOCKS_SIZES)}`,
    args: blockOrderArg,
    resolve: (validator, args, ctx, info) => {
      const ascending = isAscending(args.orderBy);
      const selected = selectedBlockFields(selectedInPage(info));
      return connectionOf(args, info, {
        ...PROPOSED_BLOCKS_SIZES,
        cursors: proposerBlockCursors(validator, ascending),
        read: (range) => loadProposerBlocks(ctx, validator, { ...range, ascending }, selected),
        total: () => loadProposerBlockTotal(ctx, validator),
        stored: () => loadStoredSlots(ctx, { network: validator.network }),
      });
    },
  }),
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
