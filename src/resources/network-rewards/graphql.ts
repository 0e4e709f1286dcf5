import type { InputShapeFromFields } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import { checkBounds } from '../../chain/bounds.ts';
import type { Context } from '../../context.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { columns, type FieldsOf, rowId } from '../../graphql/schema/columns.ts';
import {
  type ConnectionArgs,
  checkSizes,
  connection,
  connectionRange,
} from '../../graphql/schema/connection.ts';
import { pageTypes } from '../../graphql/schema/connection-types.ts';
import { replacedBy } from '../../graphql/schema/deprecated.ts';
import { enumName, enumValues, SortOrderEnum } from '../../graphql/schema/enums.ts';
import { orderInput } from '../../graphql/schema/order.ts';
import { orderOf } from '../../graphql/schema/replaced.ts';
import { IN_PAGE, selectedOf } from '../../graphql/schema/selection.ts';
import { integerCursors } from '../../kernel/cursor.ts';
import { badArgument, collectFaults, quoted } from '../../kernel/refusal.ts';
import type { RewardQuery, RewardRow } from './queries.ts';
import {
  definitions,
  fieldsOf,
  type RewardKind,
  type RewardSum,
  type RewardsNetwork,
  recordOf,
  rewardSums,
  rewardsNetworks,
  sortFieldsOf,
} from './record.ts';
import { REWARDS_SIZES, type RewardList, rangeOf, rewards } from './resolve.ts';

const RewardsNetworkEnum = builder.enumType('RewardsNetwork', {
  description: 'A network with daily rewards. Ethereum is not among them.',
  values: enumValues(rewardsNetworks, (network) => `${definitions[network].title}.`),
});

/** Fields of all networks; each list accepts only its network's. */
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
      return `By ${field}${all ? '' : ` (${having.map((network) => definitions[network].title).join(', ')})`}.`;
    }),
  });

const kindOf = (validatorId: string | null): RewardKind => (validatorId === null ? 'network' : 'validator');
const typeName = (network: RewardsNetwork, kind: RewardKind) => recordOf(network, kind).meta()?.id as string;
const idOf = (row: RewardRow) => String(row[definitions[row.network].idField]);

const sumTexts: Record<RewardSum, string> = {
  validatorRewards: 'validators earned',
  delegatorRewards: 'delegators earned',
};
const sumText = (sum: RewardSum) =>
  `What ${sumTexts[sum]}, in the token of the network: ${rewardsNetworks
    .map((network) => `${definitions[network].title} ${definitions[network].sums[sum].join(' + ')}`)
    .join('; ')}.`;

const rewardFields = (t: FieldsOf<RewardRow>, kind: RewardKind) => {
  const date = (deprecated: { deprecationReason?: string }) =>
    t.field({
      type: 'Date',
      description: 'UTC date of the rewards.',
      resolve: (row) => row.day as string,
      ...deprecated,
    });
  const sum = (name: RewardSum) =>
    t.field({ type: 'Decimal', description: sumText(name), resolve: (row) => row[name] as string });
  return {
    id: rowId(t, kind === 'validator' ? 'ValidatorReward' : 'NetworkReward', (row) => [
      row.network,
      ...(kind === 'validator' ? [idOf(row)] : []),
      row.day,
    ]),
    network: t.field({
      type: RewardsNetworkEnum,
      description: 'The network.',
      resolve: (row) => row.network,
    }),
    date: date({}),
    day: date({ deprecationReason: replacedBy('date') }),
    validatorRewards: sum('validatorRewards'),
    delegatorRewards: sum('delegatorRewards'),
  };
};

const ValidatorReward = builder.interfaceRef<RewardRow>('ValidatorReward').implement({
  description:
    'What a validator and its delegators earned in a day. The type of its network has the amounts.',
  resolveType: (row) => typeName(row.network, 'validator'),
  fields: (t) => ({
    ...rewardFields(t as never, 'validator'),
    validator: t.string({ description: 'Identifier of the validator on its network.', resolve: idOf }),
  }),
});
const NetworkReward = builder.interfaceRef<RewardRow>('NetworkReward').implement({
  description:
    'What all validators of a network and their delegators earned in a day. The type of the network has the amounts.',
  resolveType: (row) => typeName(row.network, 'network'),
  fields: (t) => rewardFields(t as never, 'network'),
});

for (const network of rewardsNetworks) {
  for (const [kind, base] of [
    ['validator', ValidatorReward],
    ['network', NetworkReward],
  ] as const) {
    const record = recordOf(network, kind);
    builder.objectType(builder.objectRef<RewardRow>(typeName(network, kind)), {
      description: record.meta()?.description as string,
      interfaces: [base],
      fields: (t) => ({
        ...columns(t, record.omit({ day: true })),
        ...(network === 'cardano' && kind === 'validator'
          ? {
              poolOwnerStakeAddresses: t.stringList({
                description: record.shape.poolOwnerStakeAddresses?.description as string,
                resolve: (row) => row.poolOwnerStakeAddresses as string[],
              }),
            }
          : {}),
      }),
    });
  }
}

const validatorRewardPages = pageTypes(ValidatorReward, {
  name: 'ValidatorReward',
  row: 'A day of a validator',
  list: 'Days of a validator',
});
const networkRewardPages = pageTypes(NetworkReward, {
  name: 'NetworkReward',
  row: 'A day of a network',
  list: 'Days of a network',
});

const orderTexts = {
  date: 'By date.',
  validatorRewards: 'By validatorRewards.',
  delegatorRewards: 'By delegatorRewards.',
};
const orderNames = ['date', ...rewardSums] as const;
const RewardOrder = orderInput('Reward', orderNames, (name) => orderTexts[name]);

const listArgs = builder.args((t) => ({
  network: t.field({ type: RewardsNetworkEnum, required: true, description: 'The network.' }),
  fromDate: t.field({ type: 'Date', description: 'First day, inclusive; a UTC date.' }),
  toDate: t.field({ type: 'Date', description: 'Last day, inclusive; a UTC date.' }),
  orderBy: t.field({ type: RewardOrder, description: 'Order, oldest first by default. Ties by date.' }),
  sortOrder: t.field({
    type: SortOrderEnum,
    description: 'Sort order; ASC by default.',
    deprecationReason: replacedBy('orderBy'),
  }),
}));
type ListArgs = InputShapeFromFields<typeof listArgs> &
  ConnectionArgs & { sortBy?: string | null | undefined };

/** Deprecated, because it mixes the fields of all networks. */
const sortByArg = (kind: RewardKind, enumTitle: string) => {
  const type = sortEnum(kind, enumTitle);
  return builder.args((t) => ({
    sortBy: t.field({
      type,
      description: 'What to sort by; DAY by default.',
      deprecationReason: replacedBy('orderBy'),
    }),
  }));
};

function queryOf(args: ListArgs, kind: RewardKind): RewardQuery {
  const order = orderOf<string>(args, { field: 'day', direction: 'asc' });
  const sortBy = order.field === 'date' ? 'day' : order.field;
  const fields = sortFieldsOf(args.network, kind);
  if (args.sortBy != null && !fields.includes(sortBy)) {
    const [named, ...names] = [sortBy, ...fields].map(enumName);
    const msg = `sortBy is ${named}, which ${definitions[args.network].title} does not have; one of ${names.join(', ')} is needed.`;
    throw badArgument('sortBy', msg, 'enum');
  }
  checkBounds(args, 'argument');
  const range = rangeOf({ fromDate: args.fromDate ?? null, toDate: args.toDate ?? null });
  return { ...range, sortBy, sortOrder: order.direction };
}

async function rewardConnection(ctx: Context, list: RewardList, args: ListArgs, info: GraphQLResolveInfo) {
  const kind = kindOf(list.validatorId);
  const query = queryOf(args, kind);
  const cursors = integerCursors(
    () => `networkRewards:${JSON.stringify([list.network, list.validatorId, query])}`,
  );
  const range = connectionRange(args, info, { ...REWARDS_SIZES, decode: cursors.read });
  // Skips fields that fragments on other networks' types select.
  const asked = ['day', ...selectedOf(info, [...fieldsOf(list.network, kind), ...rewardSums], IN_PAGE)];
  const page = await rewards(ctx, list, query, range, asked);
  return connection(
    page,
    (row) => cursors.of(row.position),
    () => page.total as number,
  );
}

const sizes = `Oldest first. At most ${REWARDS_SIZES.maxSize} a page, ${REWARDS_SIZES.defaultSize} by default.`;

function validatorOf(network: RewardsNetwork, given: string): string {
  const { id } = definitions[network];
  const validatorId = id.read(given);
  if (validatorId !== undefined) return validatorId;
  throw badArgument('validatorId', `validatorId is ${quoted(given)}; ${id.form} is needed.`, 'format');
}

builder.queryField('validatorRewards', (t) =>
  t.connection(
    {
      type: ValidatorReward,
      nullable: true,
      extensions: { operation: 'listValidatorRewards', rows: REWARDS_SIZES.defaultSize },
      description: `What a validator earned, one row a day; NOT_FOUND for one that was never seen. ${sizes} REST: GET /v1/{network}/validators/{validator_id}/rewards.`,
      args: {
        ...listArgs,
        validatorId: t.arg.string({
          required: true,
          description:
            'The validator: node id, operator address, pool id, stash address, validator number or vote account.',
        }),
        ...sortByArg('validator', 'ValidatorRewardSort'),
      },
      resolve: (_root, args, ctx, info) => {
        const [validatorId] = collectFaults(
          () => validatorOf(args.network, args.validatorId),
          () => queryOf(args, 'validator'),
          () => checkSizes(args, REWARDS_SIZES.maxSize),
        );
        return rewardConnection(ctx, { network: args.network, validatorId }, args, info);
      },
    },
    ...validatorRewardPages,
  ),
);

builder.queryField('networkRewards', (t) =>
  t.connection(
    {
      type: NetworkReward,
      nullable: true,
      extensions: { operation: 'listNetworkRewards', rows: REWARDS_SIZES.defaultSize },
      description: `What all validators of a network earned, one row a day. ${sizes} REST: GET /v1/{network}/network/rewards.`,
      args: {
        ...listArgs,
        ...sortByArg('network', 'NetworkRewardSort'),
      },
      resolve: (_root, args, ctx, info) =>
        rewardConnection(ctx, { network: args.network, validatorId: null }, args, info),
    },
    ...networkRewardPages,
  ),
);
