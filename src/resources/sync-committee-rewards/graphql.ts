import type { GraphQLResolveInfo } from 'graphql';
import type { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import { selectedInRow } from '../../fast-rows/index.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { columns } from '../../graphql/schema/columns.ts';
import { type ConnectionArgs, connectionOf, sizesText } from '../../graphql/schema/connection.ts';
import { pagesOf } from '../../graphql/schema/connection-types.ts';
import { networkArgs, networkField } from '../../graphql/schema/enums.ts';
import { networkNumber, node } from '../../graphql/schema/nodes.ts';
import { isAscending, orderInput } from '../../graphql/schema/order.ts';
import { badArgument } from '../../kernel/refusal.ts';
import { BlockType, selectedBlockFields } from '../blocks/graphql.ts';
import { loadBlock } from '../blocks/loaders.ts';
import { ValidatorType } from '../validators/graphql.ts';
import { loadValidator } from '../validators/loaders.ts';
import {
  loadSeatReward,
  loadStoredRewardSlots,
  loadValidatorRewards,
  loadValidatorRewardTotal,
  seatKeyText,
} from './loaders.ts';
import type { RewardRow, SlotKey } from './queries.ts';
import { SyncCommitteeReward } from './record.ts';
import {
  COMMITTEE_SIZE,
  rewardsOfSlot,
  slotRewardCursors,
  syncCommitteeRewards,
  VALIDATOR_REWARDS_SIZES,
  validatorRewardCursors,
} from './resolve.ts';

const SyncCommitteeRewardType = builder.objectRef<RewardRow>('SyncCommitteeReward');
node(SyncCommitteeRewardType, {
  description:
    'What one seat of the sync committee earned in a slot. A validator with several seats has a record for each.',
  id: seatKeyText,
  load: async (id, ctx) => {
    const [, slot = '', rank = ''] = /^(\w+:\d+):(0|[1-9]\d{0,2})$/.exec(id) ?? [];
    const found = networkNumber(slot);
    if (!found) return null;
    return loadSeatReward(ctx, { network: found.network, consensusSlot: found.number, rank: Number(rank) });
  },
  fields: (t) => ({
    network: networkField(t, 'Network of the block.'),
    ...columns(t, SyncCommitteeReward.omit({ syncCommitteeRewards: true })),
    reward: t.expose('syncCommitteeRewards', {
      type: 'BigInt',
      description: SyncCommitteeReward.shape.syncCommitteeRewards.description as string,
    }),
    validator: t.field({
      type: ValidatorType,
      nullable: true,
      description: 'The validator that holds the seat; null when it is not stored.',
      resolve: (row, _args, ctx) => loadValidator(ctx, row),
    }),
    block: t.field({
      type: BlockType,
      nullable: true,
      description: 'The block of the slot; null when it is not stored.',
      resolve: ({ network, consensusSlot: slot }, _args, ctx, info) =>
        loadBlock(ctx, { network, slot }, selectedBlockFields(selectedInRow(info))),
    }),
  }),
});

const syncCommitteeRewardPages = pagesOf(SyncCommitteeRewardType, {
  name: 'SyncCommitteeReward',
  row: 'A reward',
  list: 'A list of sync committee rewards',
  stored: 'slot',
});

function slotConnection(
  read: typeof rewardsOfSlot,
  ctx: Context,
  slot: SlotKey,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
) {
  return connectionOf(args, info, {
    maxSize: COMMITTEE_SIZE,
    cursors: slotRewardCursors(slot),
    read: (range) => read(ctx, slot, range),
    total: (page) => page.total,
    stored: () => loadStoredRewardSlots(ctx, { network: slot.network }),
  });
}

const sizes = sizesText({ maxSize: COMMITTEE_SIZE });

function slotOf(ctx: Context, args: { slot: number; network?: Network | null | undefined }): SlotKey {
  if (args.slot < 0) throw badArgument('slot', `slot is ${args.slot}; an integer >= 0 is needed.`);
  return { network: args.network ?? ctx.network, slot: args.slot };
}

builder.queryField('syncCommitteeRewards', (t) =>
  syncCommitteeRewardPages(t, {
    description: `What each seat of the sync committee earned in a slot's block, ascending by validator index; empty for a slot without a block, NOT_FOUND for a slot after the last stored one and for a block whose rewards are not stored yet. ${sizes} REST: GET /v0/eth/blocks/{consensus_slot}/syncCommitteeRewards.`,
    args: {
      slot: t.arg.int({ required: true, description: 'Slot of the block, >= 0.' }),
      ...networkArgs,
    },
    extensions: { operation: 'listSyncCommitteeRewards' },
    resolve: (_root, args, ctx: Context, info) =>
      slotConnection(syncCommitteeRewards, ctx, slotOf(ctx, args), args, info),
  }),
);

builder.objectField(BlockType, 'syncCommitteeRewards', (t) =>
  syncCommitteeRewardPages(t, {
    description: `What each seat of the sync committee earned in it, ascending by validator index; null while that is not stored. ${sizes}`,
    extensions: { operation: 'listSyncCommitteeRewards' },
    resolve: ({ network, consensusSlot: slot }, args, ctx, info) =>
      slotConnection(rewardsOfSlot, ctx, { network, slot }, args, info),
  }),
);

const SyncCommitteeRewardOrder = orderInput('SyncCommitteeReward', ['slot'], () => 'The slot.');

builder.objectField(ValidatorType, 'syncCommitteeRewards', (t) =>
  syncCommitteeRewardPages(t, {
    extensions: { operation: 'listSyncCommitteeRewards' },
    description: `What it earned on sync committees, by default newest first. ${sizesText(VALIDATOR_REWARDS_SIZES)}`,
    args: {
      orderBy: t.arg({
        type: SyncCommitteeRewardOrder,
        description: 'The order, seats of one slot in the same direction; default: newest first.',
      }),
    },
    resolve: (validator, args, ctx, info) => {
      const ascending = isAscending(args.orderBy);
      return connectionOf(args, info, {
        ...VALIDATOR_REWARDS_SIZES,
        cursors: validatorRewardCursors(validator, ascending),
        read: (range) => loadValidatorRewards(ctx, validator, { ...range, ascending }),
        total: () => loadValidatorRewardTotal(ctx, validator),
        stored: () => loadStoredRewardSlots(ctx, { network: validator.network }),
      });
    },
  }),
);
