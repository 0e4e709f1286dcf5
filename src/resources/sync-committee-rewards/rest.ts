import { z } from 'zod';
import { param } from '../../chain/params.ts';
import type { Context } from '../../context.ts';
import { envelopeV0 } from '../../kernel/envelopes.ts';
import { relativeUrl, route } from '../../kernel/route.ts';
import { SyncCommitteeReward } from './record.ts';
import { COMMITTEE_SIZE, syncCommitteeRewards } from './resolve.ts';

const list = route({
  path: '/v0/eth/blocks/:consensus_slot/syncCommitteeRewards',
  operationId: 'listSyncCommitteeRewards',
  tag: 'Sync committee rewards',
  summary: 'What the sync committee earned in a block',
  description:
    'One record for each seat of the sync committee, ascending by validator index; a validator with several seats has several. Rewards are in Gwei, negative for a missed signature. A slot without a block has no records; a slot after the last one stored is 404.',
  example: '/v0/eth/blocks/12927610/syncCommitteeRewards?limit=5',
  params: z.object({
    consensus_slot: param.int({ description: 'Slot of the block.', min: 0 }),
  }),
  query: z.object({
    limit: param.int({
      description: 'Rows per page.',
      min: 1,
      max: COMMITTEE_SIZE,
      default: COMMITTEE_SIZE,
    }),
    from: param.int({
      description: 'Position of the first row, 0-based.',
      min: 0,
      nullable: true,
      default: 0,
    }),
  }),
  reply: envelopeV0(SyncCommitteeReward),
  async handle(ctx: Context, { params, query: { from, limit } }, call) {
    const range = { ...(from > 0 ? { after: from - 1 } : {}), limit };
    const page = await syncCommitteeRewards(
      ctx,
      { network: ctx.network, slot: params.consensus_slot },
      range,
    );
    const to = from + page.rows.length;
    return {
      body: {
        page: { from, to, size: limit },
        total: page.total,
        data: page.rows,
        next: page.hasNext ? relativeUrl(call.path, { from: to, limit }) : null,
      },
    };
  },
});

export const syncCommitteeRewardRoutes = [list];
