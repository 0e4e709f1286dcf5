import { z } from 'zod';
import { param } from '../../chain/params.ts';
import type { Context } from '../../context.ts';
import { descendingPageV0, envelopeV0 } from '../../kernel/envelopes.ts';
import { notFound } from '../../kernel/refusal.ts';
import { route } from '../../kernel/route.ts';
import { loadBlock } from './loaders.ts';
import { Block, blockFields } from './record.ts';
import { allBlocks, BLOCKS_SIZES, blocks, totalBlocks } from './resolve.ts';

const tag = 'Blocks';
const units =
  'Base fee, burnt fees and the fees of each type of transaction are in wei, everything else in Gwei; all are exact. A missed slot has a record too: `consensusProposerDuty` is `missed`, and fields of a block are null.';

const list = route({
  path: '/v0/eth/blocks',
  operationId: 'listBlocks',
  tag,
  summary: 'Blocks, newest first',
  description: `All stored slots, newest first. ${units} \`page.from\` is the slot that the page begins with (the requested one, else the newest), \`page.to\` the slot below its last row. \`total\` counts all slots, wherever the page begins.`,
  example: '/v0/eth/blocks?size=5',
  query: z.object({
    from: param.int({
      description:
        'Slot that the page begins with; default: the newest stored one. A later slot also begins with the newest.',
      min: 0,
      nullable: true,
    }),
    size: param.size(BLOCKS_SIZES),
  }),
  reply: envelopeV0(Block),
  async handle(ctx: Context, { query: { from: fromSlot, size } }, call) {
    const { network } = ctx;
    const [page, total] = await Promise.all([
      blocks(
        ctx,
        allBlocks(network),
        { limit: size, ...(fromSlot !== null && { after: fromSlot + 1 }) },
        blockFields,
      ),
      totalBlocks(ctx, allBlocks(network)),
    ]);
    const rows = page.rows as Block[];
    const place = { from: fromSlot, size, total };
    return { body: descendingPageV0(call, { ...page, rows }, place, (row) => row.consensusSlot) };
  },
});

const one = route({
  path: '/v0/eth/blocks/:consensus_slot',
  operationId: 'getBlock',
  tag,
  summary: 'One block',
  description: `The block of a slot; 404 when the slot is not stored. ${units}`,
  example: '/v0/eth/blocks/12927610',
  params: z.object({
    consensus_slot: param.int({ description: 'Slot of the block.', min: 0 }),
  }),
  reply: Block,
  async handle(ctx: Context, { params }) {
    const key = { network: ctx.network, slot: params.consensus_slot };
    const block = await loadBlock(ctx, key, blockFields);
    if (!block) throw notFound(`Block of slot ${key.slot}`, `on ${key.network}`);
    return { body: block as Block };
  },
});

export const blockRoutes = [list, one];
