import type { Context } from '../../context.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { columns, rowId } from '../../graphql/schema/columns.ts';
import { checkSizes, rankedConnection, sizesText } from '../../graphql/schema/connection.ts';
import { pagesOf } from '../../graphql/schema/connection-types.ts';
import { TimeWindowEnum } from '../../graphql/schema/enums.ts';
import { connectionOfIds } from '../../graphql/schema/ids.ts';
import { node } from '../../graphql/schema/nodes.ts';
import { orderOf } from '../../graphql/schema/order.ts';
import { badArgument, collectFaults } from '../../kernel/refusal.ts';
import { SolanaNetworkOverviewType } from '../solana-overview/graphql.ts';
import { loadStakeAuthority, loadStakeAuthorityNode } from './loaders.ts';
import { StakeAuthorityOrder, StakeAuthorityWhere, whereOf } from './orders.ts';
import { StakeAuthoritySummary, StakeConcentration } from './record.ts';
import {
  listKey,
  orderedStakeAuthorities,
  STAKE_AUTHORITIES_SIZES,
  stakeAuthorities,
  stakeConcentration,
} from './resolve.ts';
import { authoritySelections, StakeAuthority } from './summary.ts';

const StakeAuthorityTypeEnum = builder.enumType('StakeAuthorityType', {
  description: 'A kind of stake authority.',
  values: {
    POOL: { value: 'pool', description: 'A stake pool: it has a poolName.' },
    INDIVIDUAL: { value: 'individual', description: 'Anyone else.' },
  } as const,
});

node(StakeAuthority, {
  description: 'A Solana stake authority.',
  id: (row) => row.stakeAuthority,
  load: (stakeAuthority, ctx) => loadStakeAuthorityNode(ctx, { stakeAuthority }),
  fields: (t) => ({
    ...columns(t, StakeAuthoritySummary.pick({ stakeAuthority: true })),
    poolName: t.string({
      nullable: true,
      extensions: { column: 'name' },
      description: StakeAuthoritySummary.shape.poolName.description as string,
      resolve: ({ name }) => name,
    }),
  }),
});

const stakeAuthorityPages = pagesOf(StakeAuthority, {
  name: 'StakeAuthority',
  row: 'A stake authority',
  list: 'A list of stake authorities',
});

builder.queryField('stakeAuthorities', (t) =>
  stakeAuthorityPages(t, {
    extensions: { operation: 'listStakeAuthoritiesV1' },
    description: `Solana stake authorities by network penetration, largest first. ${sizesText(STAKE_AUTHORITIES_SIZES)} REST: GET /v1/solana/delegators/stakeAuthorities.`,
    args: {
      window: t.arg({ type: TimeWindowEnum, required: true, description: 'Aggregation window.' }),
      type: t.arg({
        type: StakeAuthorityTypeEnum,
        description: 'Narrows the list to pools or individuals.',
      }),
      ids: t.arg.idList({
        description: `Global ids of stake authorities, at most ${STAKE_AUTHORITIES_SIZES.maxSize}: the list is these, in this order, without those that have no summary in the window. Not with a type, page, order or filter.`,
      }),
      orderBy: t.arg({
        type: StakeAuthorityOrder,
        description: 'The order, by the figures of the window; default: network penetration, largest first.',
      }),
      where: t.arg({
        type: StakeAuthorityWhere,
        description: 'Which stake authorities to return; all when absent.',
      }),
    },
    resolve: (_root, args, ctx: Context, info) => {
      if (args.ids) {
        const selection = authoritySelections.ofPage(info);
        return connectionOfIds(args.ids, args, {
          type: 'StakeAuthority',
          maxSize: STAKE_AUTHORITIES_SIZES.maxSize,
          excluded: ['type'],
          keyOf: (stakeAuthority) => ({ stakeAuthority, timeWindow: args.window }),
          load: (key) => loadStakeAuthority(ctx, key, selection),
          nameOf: ({ stakeAuthority }) => stakeAuthority,
        });
      }
      const list = { window: args.window, type: args.type ?? null };
      if (args.orderBy || args.where) {
        const [where] = collectFaults(
          () => whereOf(args.where, list.type),
          () => checkSizes(args, STAKE_AUTHORITIES_SIZES.maxSize),
        );
        const order = orderOf(args.orderBy, 'networkPenetration');
        const parts = [list.window, list.type, order.field, order.direction, where];
        const limits = { list: `stakeAuthorities:${JSON.stringify(parts)}`, ...STAKE_AUTHORITIES_SIZES };
        return rankedConnection(args, info, { ...limits, valued: true }, (ordered) =>
          orderedStakeAuthorities(ctx, { ...list, order, where }, ordered, authoritySelections.ofPage(info)),
        );
      }
      const { timeWindow, type } = listKey(list);
      const limits = { list: `stakeAuthorities:${timeWindow}:${type}`, ...STAKE_AUTHORITIES_SIZES };
      return rankedConnection(args, info, limits, (ranked) =>
        stakeAuthorities(ctx, list, ranked, authoritySelections.ofPage(info)),
      );
    },
  }),
);

builder.queryField('stakeAuthority', (t) =>
  t.field({
    type: StakeAuthority,
    nullable: true,
    extensions: { operation: 'stakeAuthority', givesRow: 'ofSummary' },
    description: 'One stake authority; null when there is none.',
    args: {
      stakeAuthority: t.arg.string({ required: true, description: 'Address of the stake authority.' }),
    },
    resolve: (_root, { stakeAuthority }, ctx, info) => {
      if (stakeAuthority === '') throw badArgument('stakeAuthority', 'stakeAuthority is empty.');
      return loadStakeAuthorityNode(ctx, { stakeAuthority }, authoritySelections.first(info));
    },
  }),
);

const MOST_POINTS = 100;

const StakeConcentrationType = builder
  .objectRef<StakeConcentration & { scope: unknown[] }>('StakeConcentration')
  .implement({
    description: `${StakeConcentration.meta()?.description} Not a Node: it belongs to the points asked for.`,
    fields: (t) => ({
      id: rowId(t, 'StakeConcentration', ({ scope, rank }) => [...scope, rank]),
      ...columns(t, StakeConcentration),
    }),
  });

builder.objectField(SolanaNetworkOverviewType, 'stakeConcentration', (t) =>
  t.field({
    type: [StakeConcentrationType],
    extensions: { operation: 'stakeConcentration', rows: MOST_POINTS },
    description:
      'How much of the stake the largest stake authorities of the window have together, for the largest one, for all, and for numbers between, at even distances on a logarithmic scale; empty without stake authorities.',
    args: {
      type: t.arg({
        type: StakeAuthorityTypeEnum,
        description: 'Only authorities of this kind; default: all.',
      }),
      points: t.arg.int({
        defaultValue: MOST_POINTS,
        description: `Most points to return, 2 to ${MOST_POINTS}; fewer where ranks would be equal.`,
      }),
    },
    resolve: async ({ timeWindow }, args, ctx) => {
      const points = args.points ?? MOST_POINTS;
      if (points < 2 || points > MOST_POINTS)
        throw badArgument('points', `points is ${points}; an integer from 2 to ${MOST_POINTS} is needed.`);
      const list = { window: timeWindow, type: args.type ?? null };
      const found = await stakeConcentration(ctx, list, points);
      return found.map((row) => ({ ...row, scope: [list.window, list.type] }));
    },
  }),
);
