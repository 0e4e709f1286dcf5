import type { InputShapeFromFields } from '@pothos/core';
import { checkBounds } from '../../chain/bounds.ts';
import { builder } from '../../graphql/schema/builder.ts';
import type { ConnectionArgs } from '../../graphql/schema/connection.ts';
import { enumName } from '../../graphql/schema/enums.ts';
import { orderInput, orderOf } from '../../graphql/schema/order.ts';
import type { Order } from '../../kernel/page.ts';
import { badArgument } from '../../kernel/refusal.ts';
import { type RankedBy, type RewardQuery, rankedBy } from './queries.ts';
import {
  definitions,
  hasStake,
  type RewardsNetwork,
  rewardSums,
  rewardsNetworks,
  titlesOf,
} from './record.ts';
import { rangeOf } from './resolve.ts';

const orderTexts = {
  date: 'By date.',
  validatorRewards: 'By validatorRewards.',
  delegatorRewards: 'By delegatorRewards.',
};
const orderNames = ['date', ...rewardSums] as const;
const RewardOrder = orderInput('Reward', orderNames, (name) => orderTexts[name]);

export const dayArgs = builder.args((t) => ({
  fromDate: t.field({ type: 'Date', description: 'First day, inclusive; a UTC date.' }),
  toDate: t.field({ type: 'Date', description: 'Last day, inclusive; a UTC date.' }),
  orderBy: t.field({ type: RewardOrder, description: 'The order, ties by date; default: newest first.' }),
}));

export type DayArgs = InputShapeFromFields<typeof dayArgs> & ConnectionArgs;

export function readDays(args: DayArgs): RewardQuery {
  const { field, direction } = orderOf(args.orderBy, 'date');
  checkBounds(args, 'argument');
  const range = rangeOf({ fromDate: args.fromDate ?? null, toDate: args.toDate ?? null });
  return { ...range, sortBy: field === 'date' ? 'day' : field, sortOrder: direction };
}

const rankTexts: Record<RankedBy, string> = {
  stake: `By stake, which only ${titlesOf(rewardsNetworks.filter(hasStake), ' and ')} have.`,
  validatorRewards: 'By validatorRewards.',
  delegatorRewards: 'By delegatorRewards.',
};
export const NetworkValidatorOrder = orderInput('NetworkValidator', rankedBy, (name) => rankTexts[name]);

/** Throws BAD_INPUT if the order is by stake and the network's rewards have no stake. */
export function rankOf(
  network: RewardsNetwork,
  orderBy: typeof NetworkValidatorOrder.$inferInput | null | undefined,
): Order<RankedBy> {
  const order = orderOf<RankedBy>(orderBy, 'validatorRewards');
  if (order.field !== 'stake' || hasStake(network)) return order;
  const msg = `orderBy.field is STAKE, which rewards of ${definitions[network].title} do not have; one of ${rewardSums.map(enumName).join(', ')} is needed.`;
  throw badArgument('orderBy', msg, 'enum');
}
