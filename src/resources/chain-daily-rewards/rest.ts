import { z } from 'zod';
import { chainDayOfMoment, dateOfDay, dayOfDate } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import { param } from '../../chain/params.ts';
import type { Context } from '../../context.ts';
import { descendingPageV0, envelopeV0 } from '../../kernel/envelopes.ts';
import { badInput, notFound } from '../../kernel/refusal.ts';
import { route } from '../../kernel/route.ts';
import { parseDate, parseDateTime } from '../../kernel/time.ts';
import { loadChainDailyReward } from './loaders.ts';
import { ChainDailyReward, MAX_DAY } from './record.ts';
import { allDays, CHAIN_DAILY_REWARDS_SIZES, chainDailyRewards, totalChainDailyRewards } from './resolve.ts';

type Given = { text: string; day: (network: Network) => number };

function readDay(text: string): Given | undefined {
  if (/^\d+$/.test(text)) return Number(text) <= MAX_DAY ? { text, day: () => Number(text) } : undefined;
  if (parseDate(text) !== undefined) return { text, day: (network) => dayOfDate(network, text) };
  const seconds = parseDateTime(text);
  return seconds === undefined ? undefined : { text, day: (network) => chainDayOfMoment(network, seconds) };
}

const form = {
  form: `a chain day from 0 to ${MAX_DAY}, a date like 2024-03-31 or a date-time like 2024-03-31T12:00:23Z`,
  examples: [1797, '2025-11-02'],
};
const forms = 'A chain day, the UTC date on which it starts, or a date-time (RFC 3339) within it';

function dayOf(network: Network, given: Given, loc: string[]): number {
  const day = given.day(network);
  if (day >= 0) return day;
  const msg = `${loc.at(-1)} is ${JSON.stringify(given.text)}; day 0 of ${network} starts on ${dateOfDay(network, 0)}.`;
  throw badInput([{ loc, msg, type: 'out_of_range' }]);
}

const tag = 'Chain daily rewards';
const units = 'Sums are exact, in Gwei; those of the execution layer may have decimals.';

const list = route({
  path: '/v0/eth/network/chainDailyRewards',
  operationId: 'listChainDailyRewards',
  tag,
  summary: 'Network rewards by chain day, newest first',
  description: `What all validators earned in each stored chain day, newest first. ${units} \`page.from\` is the chain day that the page begins with (the requested one, else the newest), \`page.to\` the day below its last row. \`total\` counts all days, wherever the page begins.`,
  example: '/v0/eth/network/chainDailyRewards?size=5',
  query: z.object({
    from: param.form<Given, { form: string; description: string; nullable: true; examples: unknown[] }>(
      {
        ...form,
        description: `${forms}; the list goes down from there. The newest day when absent, and for days to come.`,
        nullable: true,
      },
      { type: ['string', 'integer'] },
      readDay,
    ),
    size: param.size(CHAIN_DAILY_REWARDS_SIZES),
  }),
  reply: envelopeV0(ChainDailyReward),
  async handle(ctx: Context, { query }, call) {
    const { network } = ctx;
    const { size } = query;
    const fromDay = query.from && dayOf(network, query.from, ['query', 'from']);
    const [page, total] = await Promise.all([
      chainDailyRewards(ctx, allDays(network), {
        limit: size,
        ...(fromDay !== null && { after: fromDay + 1 }),
      }),
      totalChainDailyRewards(ctx, allDays(network)),
    ]);
    return { body: descendingPageV0(call, page, { from: fromDay, size, total }, (row) => row.day) };
  },
});

const one = route({
  path: '/v0/eth/network/chainDailyRewards/:day',
  operationId: 'getChainDailyReward',
  tag,
  summary: 'Network rewards of one chain day',
  description: `What all validators earned in a chain day; 404 when the day is not stored. ${units}`,
  example: '/v0/eth/network/chainDailyRewards/1790',
  params: z.object({
    day: param.form<Given, { form: string; description: string; examples: unknown[] }>(
      { ...form, description: `${forms}.` },
      { type: ['string', 'integer'] },
      readDay,
    ),
  }),
  reply: ChainDailyReward,
  async handle(ctx: Context, { params }) {
    const { network } = ctx;
    const day = dayOf(network, params.day, ['path', 'day']);
    const row = await loadChainDailyReward(ctx, { network, day });
    if (!row) throw notFound(`Chain day ${day}`, `on ${network}`);
    return { body: row };
  },
});

export const chainDailyRewardRoutes = [list, one];
