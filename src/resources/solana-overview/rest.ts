import { z } from 'zod';
import { param } from '../../chain/params.ts';
import { TimeWindow } from '../../chain/windows.ts';
import type { Context } from '../../context.ts';
import { envelopeV1, linksV1 } from '../../kernel/envelopes.ts';
import { route } from '../../kernel/route.ts';
import { SolanaNetworkOverview, SolanaNetworkOverviewV1 } from './record.ts';
import { solanaOverviews } from './resolve.ts';

const V1 = '/v1/solana/network/overview';
const SIZES = { defaultSize: TimeWindow.options.length, maxSize: 200 };

const common = {
  tag: 'Solana',
  summary: 'Solana network overview',
  networkHeader: false,
  query: z.object({
    window: param.choice(TimeWindow.options, {
      description: 'Returns only this window; default: all four.',
      nullable: true,
    }),
  }),
};
const description =
  'Network-wide effectiveness, yields, rewards and stake of Solana: one record for each window, in the order 1d, 7d, 30d, all. Yields of the 1d window are computed over the rewards of the last 3 days, because staking rewards are paid about every 2 days.';

const overview = route({
  ...common,
  path: '/v0/solana/network/overview',
  operationId: 'getSolanaNetworkOverview',
  description: `${description} Decimals are text.`,
  example: '/v0/solana/network/overview',
  successor: V1,
  reply: z.array(SolanaNetworkOverview),
  handle: async (ctx: Context, { query }) => ({ body: await solanaOverviews(ctx, query.window) }),
});

const overviewV1 = route({
  ...common,
  query: common.query.extend(param.page(SIZES)),
  path: V1,
  operationId: 'getSolanaNetworkOverviewV1',
  description: `${description} Decimals are exact JSON numbers.`,
  example: V1,
  reply: envelopeV1(SolanaNetworkOverviewV1),
  async handle(ctx: Context, { query: { window, limit, offset } }, call) {
    const found = await solanaOverviews(ctx, window);
    const links = linksV1(call, { limit, offset, count: found.length });
    return { body: { ...links, results: found.slice(offset, offset + limit) } };
  },
});

export const solanaOverviewRoutes = [overview, overviewV1];
