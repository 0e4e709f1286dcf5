import { dateOfDay, dayOfDate } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { columns } from '../../graphql/schema/columns.ts';
import { checkSizes, connectionFrom, sizesText } from '../../graphql/schema/connection.ts';
import { pagesOf } from '../../graphql/schema/connection-types.ts';
import { type EndArgs, endArgs, endsOf } from '../../graphql/schema/ends.ts';
import { networkArgs, networkField } from '../../graphql/schema/enums.ts';
import { networkNumber, node } from '../../graphql/schema/nodes.ts';
import { isAscending, orderInput } from '../../graphql/schema/order.ts';
import { badArgument, collectFaults } from '../../kernel/refusal.ts';
import { loadChainDailyReward, loadStoredDays } from './loaders.ts';
import type { ChainDailyRewardRow } from './queries.ts';
import { ChainDailyReward, MAX_DAY } from './record.ts';
import {
  CHAIN_DAILY_REWARDS_SIZES,
  chainDailyRewardCursors,
  chainDailyRewards,
  totalChainDailyRewards,
} from './resolve.ts';

const ChainDailyRewardType = builder.objectRef<ChainDailyRewardRow>('ChainDailyReward');
node(ChainDailyRewardType, {
  description: ChainDailyReward.meta()?.description as string,
  id: (row) => `${row.network}:${row.day}`,
  load: async (id, ctx) => {
    const found = networkNumber(id);
    return found && loadChainDailyReward(ctx, { network: found.network, day: found.number });
  },
  fields: (t) => ({
    network: networkField(t, 'Network of the rewards.'),
    ...columns(t, ChainDailyReward),
  }),
});

const chainDailyRewardPages = pagesOf(ChainDailyRewardType, {
  name: 'ChainDailyReward',
  row: 'A day',
  list: 'A list of daily rewards',
  stored: 'day',
});

function dayOf(
  network: Network,
  day: [string, number | null | undefined],
  date: [string, string | null | undefined],
) {
  const [dayName, given] = day;
  const [dateName, text] = date;
  if (given != null && text != null) {
    throw badArgument(dateName, `${dateName} cannot be given together with ${dayName}; give one.`);
  }
  if (given != null && (given < 0 || given > MAX_DAY)) {
    throw badArgument(dayName, `${dayName} is ${given}; an integer from 0 to ${MAX_DAY} is needed.`);
  }
  const found = text == null ? given : dayOfDate(network, text);
  if (found != null && found < 0) {
    throw badArgument(
      dateName,
      `${dateName} is ${text}; day 0 of ${network} starts on ${dateOfDay(network, 0)}.`,
    );
  }
  return found ?? null;
}

/** A chain day belongs to the UTC date on which it starts. */
const daysWithin = (network: Network, args: EndArgs) =>
  endsOf(args, {
    Day: (day) => ({ first: day, last: day }),
    Date: (date) => {
      const day = dayOfDate(network, date);
      return { first: day, last: day };
    },
  });

const ChainDailyRewardOrder = orderInput('ChainDailyReward', ['day'], () => 'The chain day.');

builder.queryField('chainDailyRewards', (t) =>
  chainDailyRewardPages(t, {
    extensions: { operation: 'listChainDailyRewards' },
    description: `What a network's validators earned in each stored chain day, by default newest first. ${sizesText(CHAIN_DAILY_REWARDS_SIZES)} REST: GET /v0/eth/network/chainDailyRewards.`,
    args: {
      ...endArgs.Date,
      ...endArgs.Day,
      startAtDay: t.arg.int({
        description: `Chain day, 0 to ${MAX_DAY}, that the page begins with; default: the first of the list. Ignored with a cursor. It does not narrow the list: totalCount counts the days before it too.`,
      }),
      startAtDate: t.arg({
        type: 'Date',
        description: 'UTC date on which that day starts; not with startAtDay.',
      }),
      orderBy: t.arg({ type: ChainDailyRewardOrder, description: 'The order; default: newest first.' }),
      ...networkArgs,
    },
    resolve: async (_root, args, ctx: Context, info) => {
      const network = args.network ?? ctx.network;
      const ascending = isAscending(args.orderBy);
      const [list, startAt] = collectFaults(
        () => ({ network, ends: daysWithin(network, args), ascending }),
        () => dayOf(network, ['startAtDay', args.startAtDay], ['startAtDate', args.startAtDate]),
        () => checkSizes(args, CHAIN_DAILY_REWARDS_SIZES.maxSize),
      );
      return connectionFrom(startAt, ascending, args, info, {
        ...CHAIN_DAILY_REWARDS_SIZES,
        cursors: chainDailyRewardCursors(list),
        read: (range) => chainDailyRewards(ctx, list, range),
        total: () => totalChainDailyRewards(ctx, list),
        stored: () => loadStoredDays(ctx, { network }),
      });
    },
  }),
);

builder.queryField('chainDailyReward', (t) =>
  t.field({
    type: ChainDailyRewardType,
    nullable: true,
    extensions: { operation: 'getChainDailyReward' },
    description:
      "What a network's validators earned in one chain day, by exactly one of day and date; null when it is not stored. REST: GET /v0/eth/network/chainDailyRewards/{day}.",
    args: {
      day: t.arg.int({ description: `Chain day, from 0 to ${MAX_DAY}.` }),
      date: t.arg({ type: 'Date', description: 'UTC date on which the day starts.' }),
      ...networkArgs,
    },
    resolve: (_root, args, ctx) => {
      const network = args.network ?? ctx.network;
      const day = dayOf(network, ['day', args.day], ['date', args.date]);
      if (day === null) throw badArgument('day', 'Give one of day and date.');
      return loadChainDailyReward(ctx, { network, day });
    },
  }),
);
