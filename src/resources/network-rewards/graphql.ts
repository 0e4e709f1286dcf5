import type { GraphQLResolveInfo } from 'graphql';
import type { z } from 'zod';
import type { Context } from '../../context.ts';
import { selectedInPage, selectedInRow } from '../../fast-rows/index.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { columns, type FieldsOf, rounded } from '../../graphql/schema/columns.ts';
import { checkSizes, connectionOf, sizesText } from '../../graphql/schema/connection.ts';
import { pagesOf } from '../../graphql/schema/connection-types.ts';
import { enumValues } from '../../graphql/schema/enums.ts';
import { node } from '../../graphql/schema/nodes.ts';
import { integerCursors } from '../../kernel/cursor.ts';
import * as Leaf from '../../kernel/leaves.ts';
import { badArgument, collectFaults, quoted } from '../../kernel/refusal.ts';
import { parseDate } from '../../kernel/time.ts';
import { StakeDelegationType } from '../stake-authorities/summary.ts';
import { loadReward, loadStoredRewardDates, rewardKeyText } from './loaders.ts';
import { type DayArgs, dayArgs, NetworkValidatorOrder, rankOf, readDays } from './orders.ts';
import type { RankedRewards, RewardDay, RewardKey, RewardRow } from './queries.ts';
import {
  commonFieldsOf,
  definitions,
  fieldsOf,
  type RewardKind,
  type RewardSum,
  type RewardsNetwork,
  rewardRecord,
  rewardSums,
  rewardsNetworks,
} from './record.ts';
import {
  networkValidators,
  newestReward,
  REWARDS_SIZES,
  type RewardList,
  rankedRewardCursors,
  rewards,
  totalNetworkValidators,
} from './resolve.ts';

const RewardsNetworkEnum = builder.enumType('RewardsNetwork', {
  description: 'A network with daily rewards. Ethereum is not among them.',
  values: enumValues(rewardsNetworks, (network) => `${definitions[network].title}.`),
});

const kindOf = (validatorId: string | null): RewardKind => (validatorId === null ? 'network' : 'validator');
const typeName = (network: RewardsNetwork, kind: RewardKind) =>
  rewardRecord(network, kind).meta()?.id as string;
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
  const sum = (name: RewardSum) =>
    t.field({ type: 'Decimal', description: sumText(name), resolve: (row) => row[name] as string });
  const common = (row: RewardRow, name: 'stake' | 'displayName') => {
    const field = commonFieldsOf(row.network, kind)[name];
    return field === undefined ? null : (row[field] as string | null);
  };
  return {
    network: t.field({
      type: RewardsNetworkEnum,
      description: 'The network.',
      resolve: (row) => row.network,
    }),
    date: t.field({
      type: 'Date',
      description: 'UTC date of the rewards.',
      resolve: (row) => row.day as string,
    }),
    validatorRewards: sum('validatorRewards'),
    delegatorRewards: sum('delegatorRewards'),
    stake: t.field({
      type: 'Decimal',
      nullable: true,
      description:
        'Stake at the end of the day, own and delegated, in the token of the network; null except on Polkadot and Polygon.',
      resolve: (row) => common(row, 'stake'),
    }),
    ...(kind === 'validator' && {
      displayName: t.string({
        nullable: true,
        description: 'Name of the validator; null without one, as for all of Avalanche and Polkadot.',
        resolve: (row) => common(row, 'displayName'),
      }),
    }),
  };
};

function rewardKey(network: RewardsNetwork, kind: RewardKind, text: string): RewardKey | undefined {
  const [, id = '', day = ''] = /^(.*):(\d{4}-\d\d-\d\d)$/s.exec(text) ?? [];
  const known = kind === 'network' ? id === '' : definitions[network].id.read(id) === id;
  return known && parseDate(day) !== undefined ? { id, day } : undefined;
}

/** The commission fields, which are decimals in REST. */
const namesOfRatios = (record: z.ZodObject): Record<string, true> =>
  Object.fromEntries(
    Object.entries(record.shape).flatMap(([name, schema]) => {
      const leaf = Leaf.leafOf(schema);
      return leaf?.kind === 'Decimal' && leaf.maximum === 1 ? [[name, true as const]] : [];
    }),
  );

function columnsOf(names: ReadonlySet<string>, network: RewardsNetwork, kind: RewardKind) {
  const own = [...fieldsOf(network, kind), ...rewardSums].filter((name) => names.has(name));
  const common = Object.entries(commonFieldsOf(network, kind)).flatMap(([name, field]) =>
    field !== undefined && names.has(name) ? [field] : [],
  );
  return [...new Set(['day', ...own, ...common])];
}

const ValidatorReward = builder.interfaceRef<RewardRow>('ValidatorReward').implement({
  description:
    'What a validator and its delegators earned in a day. The type of its network has the amounts.',
  interfaces: [builder.nodeInterfaceRef()],
  resolveType: (row) => typeName(row.network, 'validator'),
  fields: (t) => ({
    ...rewardFields(t as never, 'validator'),
    validator: t.string({ description: 'Identifier of the validator on its network.', resolve: idOf }),
  }),
});
const NetworkReward = builder.interfaceRef<RewardRow>('NetworkReward').implement({
  description:
    'What all validators of a network and their delegators earned in a day. The type of the network has the amounts.',
  interfaces: [builder.nodeInterfaceRef()],
  resolveType: (row) => typeName(row.network, 'network'),
  fields: (t) => rewardFields(t as never, 'network'),
});

const refs = Object.fromEntries(
  rewardsNetworks.map((network) => [
    network,
    {
      validator: builder.objectRef<RewardRow>(typeName(network, 'validator')),
      network: builder.objectRef<RewardRow>(typeName(network, 'network')),
    },
  ]),
) as Record<RewardsNetwork, Record<RewardKind, ReturnType<typeof builder.objectRef<RewardRow>>>>;

for (const network of rewardsNetworks) {
  for (const [kind, base] of [
    ['validator', ValidatorReward],
    ['network', NetworkReward],
  ] as const) {
    const record = rewardRecord(network, kind);
    const ratios = namesOfRatios(record);
    node(refs[network][kind], {
      description: record.meta()?.description as string,
      interfaces: [base],
      id: (row) => rewardKeyText({ id: kind === 'validator' ? idOf(row) : '', day: row.day as string }),
      load: (id, ctx) => {
        const key = rewardKey(network, kind, id);
        return Promise.resolve(key && loadReward(ctx, key, { network, kind }));
      },
      fields: (t) => ({
        ...columns(t, record.omit({ day: true, ...ratios })),
        ...rounded(t, record.pick(ratios)),
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

const validatorRewardPages = pagesOf(ValidatorReward, {
  name: 'ValidatorReward',
  row: 'A day of a validator',
  list: 'Days of a validator',
  stored: 'date',
});
const networkRewardPages = pagesOf(NetworkReward, {
  name: 'NetworkReward',
  row: 'A day of a network',
  list: 'Days of a network',
  stored: 'date',
});

function rewardConnection(ctx: Context, list: RewardList, args: DayArgs, info: GraphQLResolveInfo) {
  const kind = kindOf(list.validatorId);
  const query = readDays(args);
  const table = { network: list.network, kind };
  return connectionOf(args, info, {
    ...REWARDS_SIZES,
    cursors: integerCursors(
      () => `networkRewards:${JSON.stringify([list.network, list.validatorId, query])}`,
      (row: RewardDay) => row.position,
    ),
    read: (range) => rewards(ctx, list, query, range, columnsOf(selectedInPage(info), list.network, kind)),
    total: (page) => page.total as number,
    stored: () => loadStoredRewardDates(ctx, table, table),
  });
}

const networkArg = builder.args((t) => ({
  network: t.field({ type: RewardsNetworkEnum, required: true, description: 'The network.' }),
}));

const pageText = sizesText(REWARDS_SIZES);
const sizes = `By default newest first. ${pageText}`;

function validatorOf(network: RewardsNetwork, given: string): string {
  const { id } = definitions[network];
  const validatorId = id.read(given);
  if (validatorId !== undefined) return validatorId;
  throw badArgument('validatorId', `validatorId is ${quoted(given)}; ${id.form} is needed.`, 'format');
}

builder.queryField('validatorRewards', (t) =>
  validatorRewardPages(t, {
    extensions: { operation: 'listValidatorRewards' },
    description: `What a validator earned, one row a day; NOT_FOUND for one that was never seen. ${sizes} REST: GET /v1/{network}/validators/{validator_id}/rewards.`,
    args: {
      ...networkArg,
      ...dayArgs,
      validatorId: t.arg.string({
        required: true,
        description:
          'The validator: node id, operator address, pool id, stash address, validator number or vote account.',
      }),
    },
    resolve: (_root, args, ctx, info) => {
      const [validatorId] = collectFaults(
        () => validatorOf(args.network, args.validatorId),
        () => readDays(args),
        () => checkSizes(args, REWARDS_SIZES.maxSize),
      );
      return rewardConnection(ctx, { network: args.network, validatorId }, args, info);
    },
  }),
);

builder.queryField('networkRewards', (t) =>
  networkRewardPages(t, {
    extensions: { operation: 'listNetworkRewards' },
    description: `What all validators of a network earned, one row a day. ${sizes} REST: GET /v1/{network}/network/rewards.`,
    args: {
      ...networkArg,
      ...dayArgs,
    },
    resolve: (_root, args, ctx, info) =>
      rewardConnection(ctx, { network: args.network, validatorId: null }, args, info),
  }),
);

builder.interfaceField(ValidatorReward, 'history', (t) =>
  validatorRewardPages(t, {
    extensions: { operation: 'listValidatorRewards' },
    description: `What the validator earned, one row a day. ${sizes}`,
    args: dayArgs,
    resolve: (row, args, ctx, info) =>
      rewardConnection(ctx, { network: row.network, validatorId: idOf(row), known: true }, args, info),
  }),
);

builder.queryField('networkValidators', (t) =>
  validatorRewardPages(t, {
    extensions: { operation: 'networkValidators' },
    description: `Validators of a network other than Ethereum on one day, by what they earned or staked. Pages that follow by cursor keep to the day of the first. ${pageText} GraphQL only: no REST path is documented for it.`,
    args: {
      ...networkArg,
      date: t.arg({ type: 'Date', description: 'UTC date; default: the newest stored.' }),
      orderBy: t.arg({
        type: NetworkValidatorOrder,
        description: 'Order; by validatorRewards, largest first, by default. Ties by validator.',
      }),
    },
    resolve: (_root, args, ctx: Context, info) => {
      const { network, date = null } = args;
      const [order] = collectFaults(
        () => rankOf(network, args.orderBy),
        () => checkSizes(args, REWARDS_SIZES.maxSize),
      );
      const list: RankedRewards = { network, date, order };
      const table = { network, kind: 'validator' } as const;
      return connectionOf(args, info, {
        ...REWARDS_SIZES,
        cursors: rankedRewardCursors(list),
        async read(range) {
          const { after, before } = range;
          if (after && before && after.day !== before.day) {
            const msg = `before is of ${before.day} and after of ${after.day}; take both from pages of one day.`;
            throw badArgument('before', msg);
          }
          const selected = columnsOf(selectedInPage(info), network, 'validator');
          const page = await networkValidators(ctx, list, range, selected);
          return { ...page, day: page.rows[0]?.day ?? (after ?? before)?.day ?? date };
        },
        total: (page) => totalNetworkValidators(ctx, network, page.day),
        stored: () => loadStoredRewardDates(ctx, table, table),
      });
    },
  }),
);

builder.objectField(StakeDelegationType, 'validator', (t) =>
  t.field({
    type: refs.solana.validator,
    nullable: true,
    description:
      'The validator on its newest day with stored rewards, whose `history` has the other days; null when none is stored.',
    resolve: ({ validatorVoteAccount: id }, _args, ctx, info) =>
      newestReward(ctx, 'solana', id, columnsOf(selectedInRow(info), 'solana', 'validator')),
  }),
);
