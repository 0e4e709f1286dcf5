import type { InputShapeFromFields } from '@pothos/core';
import { checkBounds } from '../../chain/bounds.ts';
import { builder } from '../../graphql/schema/builder.ts';
import type { ConnectionArgs } from '../../graphql/schema/connection.ts';
import { replacedBy } from '../../graphql/schema/deprecated.ts';
import { enumName, enumValues, SortOrderEnum } from '../../graphql/schema/enums.ts';
import { orderInput } from '../../graphql/schema/order.ts';
import { orderOf } from '../../graphql/schema/replaced.ts';
import type { Order } from '../../kernel/page.ts';
import { badArgument } from '../../kernel/refusal.ts';
import { type RankedBy, type RewardQuery, rankedBy } from './queries.ts';
import {
  definitions,
  hasStake,
  type RewardKind,
  type RewardsNetwork,
  rewardSums,
  rewardsNetworks,
  sortFieldsOf,
  titlesOf,
} from './record.ts';
import { rangeOf } from './resolve.ts';

/** The enum has the fields of all networks, but a list accepts only the fields of its own network. */
const sortFields = (kind: RewardKind) => [
  ...new Set(rewardsNetworks.flatMap((network) => sortFieldsOf(network, kind))),
];
const sortEnum = (kind: RewardKind, name: string) =>
  builder.enumType(name, {
    description:
      'Field that rewards are sorted by, ties by day, null last. Each network accepts only its own fields.',
    values: enumValues(sortFields(kind), (field) => {
      const having = rewardsNetworks.filter((network) => sortFieldsOf(network, kind).includes(field));
      const all = having.length === rewardsNetworks.length;
      return `By ${field}${all ? '' : ` (${titlesOf(having)})`}.`;
    }),
  });

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
  orderBy: t.field({ type: RewardOrder, description: 'Order, oldest first by default. Ties by date.' }),
}));

export const sortOrderArg = builder.args((t) => ({
  sortOrder: t.field({
    type: SortOrderEnum,
    description: 'Sort order; ASC by default.',
    deprecationReason: replacedBy('orderBy'),
  }),
}));

/** Deprecated, because it mixes the fields of all networks. */
export const sortByArg = (kind: RewardKind, enumTitle: string) => {
  const type = sortEnum(kind, enumTitle);
  return builder.args((t) => ({
    sortBy: t.field({
      type,
      description: 'What to sort by; DAY by default.',
      deprecationReason: replacedBy('orderBy'),
    }),
  }));
};

export type DayArgs = InputShapeFromFields<typeof dayArgs> &
  Partial<InputShapeFromFields<typeof sortOrderArg>> &
  ConnectionArgs & { sortBy?: string | null | undefined };

export function queryOf(network: RewardsNetwork, args: DayArgs, kind: RewardKind): RewardQuery {
  const order = orderOf<string>(args, { field: 'day', direction: 'asc' });
  const sortBy = order.field === 'date' ? 'day' : order.field;
  const fields = sortFieldsOf(network, kind);
  if (args.sortBy != null && !fields.includes(sortBy)) {
    const [named, ...names] = [sortBy, ...fields].map(enumName);
    const msg = `sortBy is ${named}, which ${definitions[network].title} does not have; one of ${names.join(', ')} is needed.`;
    throw badArgument('sortBy', msg, 'enum');
  }
  checkBounds(args, 'argument');
  const range = rangeOf({ fromDate: args.fromDate ?? null, toDate: args.toDate ?? null });
  return { ...range, sortBy, sortOrder: order.direction };
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
  const order = orderOf<RankedBy>({ orderBy }, { field: 'validatorRewards', direction: 'desc' });
  if (order.field !== 'stake' || hasStake(network)) return order;
  const msg = `orderBy.field is STAKE, which rewards of ${definitions[network].title} do not have; one of ${rewardSums.map(enumName).join(', ')} is needed.`;
  throw badArgument('orderBy', msg, 'enum');
}
