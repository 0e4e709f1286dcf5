import type { GraphQLResolveInfo } from 'graphql';
import { TimeWindow } from '../../chain/windows.ts';
import type { Context } from '../../context.ts';
import { type Selection, selectionFor } from '../../fast-rows/index.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { columns, exposed, plainObject } from '../../graphql/schema/columns.ts';
import { connection, rankCursor, rankedRange } from '../../graphql/schema/connection.ts';
import { pageTypes } from '../../graphql/schema/connection-types.ts';
import { TimeWindowEnum } from '../../graphql/schema/enums.ts';
import { loadNodes } from '../../graphql/schema/nodes.ts';
import { IN_PAGE, IN_ROW } from '../../graphql/schema/selection.ts';
import { badArgument } from '../../kernel/refusal.ts';
import type { StakeAuthorityRow } from './queries.ts';
import {
  type StakeAuthorityField,
  StakeAuthoritySummary,
  StakeDelegation,
  stakeAuthorityFields,
} from './record.ts';
import { listKey, STAKE_AUTHORITIES_SIZES, stakeAuthorities, stakeAuthority } from './resolve.ts';

const StakeAuthorityTypeEnum = builder.enumType('StakeAuthorityType', {
  description: 'A kind of stake authority.',
  values: {
    POOL: { value: 'pool', description: 'A stake pool: it has a poolName.' },
    INDIVIDUAL: { value: 'individual', description: 'Anyone else.' },
  } as const,
});

const StakeDelegationType = plainObject(StakeDelegation);

const selectionOf = (info: GraphQLResolveInfo, paths: string[][]): Selection<StakeAuthorityField> =>
  selectionFor(info, stakeAuthorityFields, paths);

const StakeAuthority = builder.objectRef<StakeAuthorityRow>('StakeAuthority');
builder.node(StakeAuthority, {
  description: StakeAuthoritySummary.meta()?.description as string,
  id: {
    resolve: (row) => `${row.timeWindow}:${row.stakeAuthority}`,
    description: 'Global id, for `node`.',
  },
  loadMany: loadNodes('StakeAuthority', async (id, ctx) => {
    const [window, ...rest] = id.split(':');
    const key = { window: TimeWindow.safeParse(window).data, stakeAuthority: rest.join(':') };
    if (!key.window) return null;
    return stakeAuthority(ctx, { ...key, window: key.window }, stakeAuthorityFields);
  }),
  fields: (t) => ({
    timeWindow: t.expose('timeWindow', {
      type: TimeWindowEnum,
      description: 'Window that the figures cover.',
    }),
    ...columns(t, StakeAuthoritySummary),
    delegations: exposed(t, 'delegations', {
      type: [StakeDelegationType],
      stored: StakeDelegation,
      rows: 30,
      description: 'Where its stake is delegated to.',
    }),
    in: t.field({
      type: StakeAuthority,
      nullable: true,
      extensions: { operation: 'stakeAuthority', givesRow: true },
      description: 'The same stake authority in another window; null when it has no summary there.',
      args: { window: t.arg({ type: TimeWindowEnum, required: true, description: 'The other window.' }) },
      resolve: (row, { window }, ctx, info) =>
        stakeAuthority(ctx, { window, stakeAuthority: row.stakeAuthority }, selectionOf(info, IN_ROW)),
    }),
  }),
});

const stakeAuthorityPages = pageTypes(StakeAuthority, {
  name: 'StakeAuthority',
  row: 'A stake authority',
  list: 'A list of stake authorities',
});

builder.queryField('stakeAuthorities', (t) =>
  t.connection(
    {
      type: StakeAuthority,
      nullable: true,
      extensions: { operation: 'listStakeAuthoritiesV1', rows: STAKE_AUTHORITIES_SIZES.defaultSize },
      description: `Solana stake authorities by network penetration, largest first. At most ${STAKE_AUTHORITIES_SIZES.maxSize} a page, ${STAKE_AUTHORITIES_SIZES.defaultSize} by default. REST: GET /v1/solana/delegators/stakeAuthorities.`,
      args: {
        window: t.arg({ type: TimeWindowEnum, required: true, description: 'Aggregation window.' }),
        type: t.arg({
          type: StakeAuthorityTypeEnum,
          description: 'Narrows the list to pools or individuals.',
        }),
      },
      resolve: async (_root, args, ctx: Context, info) => {
        const list = { window: args.window, type: args.type ?? null };
        const { timeWindow, type } = listKey(list);
        const name = `stakeAuthorities:${timeWindow}:${type}`;
        const ranked = rankedRange(args, info, {
          list: name,
          ...STAKE_AUTHORITIES_SIZES,
        });
        const page = await stakeAuthorities(ctx, list, ranked, selectionOf(info, IN_PAGE));
        return connection(
          page,
          ({ rank }) => rankCursor(name, { revision: page.revision, rank }),
          () => page.total,
        );
      },
    },
    ...stakeAuthorityPages,
  ),
);

builder.queryField('stakeAuthority', (t) =>
  t.field({
    type: StakeAuthority,
    nullable: true,
    extensions: { operation: 'stakeAuthority', givesRow: true },
    description: 'One stake authority; null when there is none.',
    args: {
      stakeAuthority: t.arg.string({ required: true, description: 'Address of the stake authority.' }),
      window: t.arg({ type: TimeWindowEnum, required: true, description: 'Aggregation window.' }),
    },
    resolve: (_root, args, ctx, info) => {
      if (args.stakeAuthority === '') throw badArgument('stakeAuthority', 'stakeAuthority is empty.');
      return stakeAuthority(ctx, args, selectionOf(info, IN_ROW));
    },
  }),
);
