import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../context.ts';
import { type Selection, selectionFor } from '../../fast-rows/index.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { columns, exposed, rowId } from '../../graphql/schema/columns.ts';
import {
  type ConnectionArgs,
  connection,
  orderCursor,
  rankCursor,
  rankedRange,
  sizeFaults,
  sizesText,
} from '../../graphql/schema/connection.ts';
import { pageTypes } from '../../graphql/schema/connection-types.ts';
import { replacedBy } from '../../graphql/schema/deprecated.ts';
import { TimeWindowEnum } from '../../graphql/schema/enums.ts';
import { connectionOfIds } from '../../graphql/schema/ids.ts';
import { loadNodes } from '../../graphql/schema/nodes.ts';
import { orderOf } from '../../graphql/schema/replaced.ts';
import { earlySummary } from '../../graphql/schema/summaries.ts';
import { whereOf } from '../../graphql/schema/where.ts';
import { badArgument, badInput } from '../../kernel/refusal.ts';
import { SolanaNetworkOverviewType } from '../solana-overview/graphql.ts';
import { loadStakeAuthority, loadStakeAuthorityNode } from './loaders.ts';
import { StakeAuthorityOrder, StakeAuthorityWhere, whereFaults } from './orders.ts';
import type { StakeAuthorityNode } from './queries.ts';
import {
  type StakeAuthorityField,
  StakeAuthoritySummary,
  StakeConcentration,
  stakeAuthorityFields,
} from './record.ts';
import {
  listKey,
  type OrderedStakeAuthorities,
  orderedStakeAuthorities,
  STAKE_AUTHORITIES_SIZES,
  stakeAuthorities,
  stakeAuthority,
  stakeConcentration,
} from './resolve.ts';
import {
  authorityFigures,
  delegations,
  IN_AUTHORITY,
  IN_AUTHORITY_PAGE,
  keyOfNodeId,
  StakeAuthority,
} from './summary.ts';

const StakeAuthorityTypeEnum = builder.enumType('StakeAuthorityType', {
  description: 'A kind of stake authority.',
  values: {
    POOL: { value: 'pool', description: 'A stake pool: it has a poolName.' },
    INDIVIDUAL: { value: 'individual', description: 'Anyone else.' },
  } as const,
});

const selectionOf = (info: GraphQLResolveInfo, paths: string[][]): Selection<StakeAuthorityField> =>
  selectionFor(info, authorityFigures, paths);

const inSummary = replacedBy('summary(window:)');

builder.node(StakeAuthority, {
  description: 'A Solana stake authority.',
  id: {
    resolve: (row) => row.stakeAuthority,
    description: 'Global id, for `node`. It does not depend on the window.',
  },
  loadMany: loadNodes<StakeAuthorityNode>('StakeAuthority', async (id, ctx) => {
    const { timeWindow, stakeAuthority } = keyOfNodeId(id); // older ids contain a window
    return timeWindow
      ? loadStakeAuthority(ctx, { timeWindow, stakeAuthority }, stakeAuthorityFields)
      : loadStakeAuthorityNode(ctx, { stakeAuthority });
  }),
  fields: (t) => ({
    ...columns(t, StakeAuthoritySummary.pick({ stakeAuthority: true, poolName: true })),
    timeWindow: exposed(t, 'timeWindow', {
      type: TimeWindowEnum,
      description: 'Window that the figures cover.',
      deprecationReason: replacedBy('summary { window }'),
    }),
    ...columns(t, StakeAuthoritySummary.omit({ stakeAuthority: true, poolName: true }), inSummary),
    delegations: exposed(t, 'delegations', { ...delegations, deprecationReason: inSummary }),
    in: t.field({
      type: StakeAuthority,
      nullable: true,
      deprecationReason: inSummary,
      extensions: { operation: 'stakeAuthority', givesRow: true },
      description: 'The same stake authority in another window; null when it has no summary there.',
      args: { window: t.arg({ type: TimeWindowEnum, required: true, description: 'The other window.' }) },
      resolve: (row, { window }, ctx, info) =>
        stakeAuthority(ctx, { window, stakeAuthority: row.stakeAuthority }, selectionOf(info, IN_AUTHORITY)),
    }),
  }),
});

const stakeAuthorityPages = pageTypes(StakeAuthority, {
  name: 'StakeAuthority',
  row: 'A stake authority',
  list: 'A list of stake authorities',
});

async function orderedConnection(
  ctx: Context,
  asked: OrderedStakeAuthorities,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
) {
  const { window, type, order, where } = asked;
  const list = `stakeAuthorities:${JSON.stringify([window, type, order.field, order.direction, where])}`;
  const ordered = rankedRange(args, info, { list, ...STAKE_AUTHORITIES_SIZES }, true);
  const page = await orderedStakeAuthorities(ctx, asked, ordered, selectionOf(info, IN_AUTHORITY_PAGE));
  return connection(
    page,
    (row) => orderCursor(list, page.revision, row),
    () => page.total,
  );
}

builder.queryField('stakeAuthorities', (t) =>
  t.connection(
    {
      type: StakeAuthority,
      nullable: true,
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
          description:
            'The order, by the figures of the window; default: network penetration, largest first.',
        }),
        where: t.arg({
          type: StakeAuthorityWhere,
          description: 'Which stake authorities to return; all when absent.',
        }),
      },
      resolve: async (_root, args, ctx: Context, info) => {
        if (args.ids) {
          const selection = selectionOf(info, IN_AUTHORITY_PAGE);
          return connectionOfIds(args.ids, args, {
            type: 'StakeAuthority',
            maxSize: STAKE_AUTHORITIES_SIZES.maxSize,
            excluded: ['type'],
            keyOf: (id) => ({ stakeAuthority: keyOfNodeId(id).stakeAuthority, timeWindow: args.window }),
            load: (key) => loadStakeAuthority(ctx, key, selection),
            nameOf: ({ stakeAuthority }) => stakeAuthority,
          });
        }
        const list = { window: args.window, type: args.type ?? null };
        const { timeWindow, type } = listKey(list);
        const name = `stakeAuthorities:${timeWindow}:${type}`;
        if (args.orderBy || args.where) {
          const faults = [
            ...whereFaults(args.where, list.type),
            ...sizeFaults(args, STAKE_AUTHORITIES_SIZES.maxSize),
          ];
          if (faults.length > 0) throw badInput(faults);
          const order = orderOf(args, { field: 'networkPenetration', direction: 'desc' });
          return orderedConnection(ctx, { ...list, order, where: whereOf(args.where) }, args, info);
        }
        const ranked = rankedRange(args, info, {
          list: name,
          ...STAKE_AUTHORITIES_SIZES,
        });
        const page = await stakeAuthorities(ctx, list, ranked, selectionOf(info, IN_AUTHORITY_PAGE));
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
    extensions: { operation: 'stakeAuthority', givesRow: 'window' },
    description: 'One stake authority; null when there is none.',
    args: {
      stakeAuthority: t.arg.string({ required: true, description: 'Address of the stake authority.' }),
      window: t.arg({
        type: TimeWindowEnum,
        deprecationReason: inSummary,
        description:
          'Window of the deprecated figures; the stake authority is null when it has no summary there.',
      }),
    },
    resolve: (_root, { stakeAuthority: address, window }, ctx, info) => {
      if (address === '') throw badArgument('stakeAuthority', 'stakeAuthority is empty.');
      const key = { stakeAuthority: address };
      const selection = selectionOf(info, IN_AUTHORITY);
      return window
        ? stakeAuthority(ctx, { ...key, window }, selection)
        : loadStakeAuthorityNode(ctx, key, earlySummary(info, selection));
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
