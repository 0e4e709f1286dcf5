import type { GraphQLResolveInfo } from 'graphql';
import type { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { columns, renamed } from '../../graphql/schema/columns.ts';
import {
  type ConnectionArgs,
  checkSizes,
  rankedConnection,
  sizesText,
} from '../../graphql/schema/connection.ts';
import { pagesOf } from '../../graphql/schema/connection-types.ts';
import { networkArgs, networkField, TimeWindowEnum } from '../../graphql/schema/enums.ts';
import { connectionOfIds } from '../../graphql/schema/ids.ts';
import { node } from '../../graphql/schema/nodes.ts';
import { orderOf } from '../../graphql/schema/order.ts';
import { textFault } from '../../kernel/params.ts';
import { badArgument, collectFaults } from '../../kernel/refusal.ts';
import { loadOperator, loadOperatorNode } from './loaders.ts';
import { OperatorOrder, OperatorWhere, readOrder } from './orders.ts';
import type { ListKey, OperatorId } from './queries.ts';
import { OperatorSummary, OperatorTag, operatorOfTag } from './record.ts';
import {
  listKey,
  OPERATORS_MAX_SIZE,
  operatorNode,
  operatorPage,
  orderedOperators,
  shareListKey,
} from './resolve.ts';
import { Operator, operatorOfNodeId, operatorSelections } from './summary.ts';

export { Operator };

export const IdTypeEnum = builder.enumType('OperatorIdType', {
  description: 'A class of entity that has summaries.',
  values: {
    DEPOSIT_ADDRESS: { value: 'depositAddress', description: 'The address that made the deposits.' },
    WITHDRAWAL_ADDRESS: { value: 'withdrawalAddress', description: 'The address that withdrawals go to.' },
    NODE_OPERATOR: { value: 'nodeOperator', description: 'A company or person that runs validators.' },
    POOL: { value: 'pool', description: 'A staking pool or an exchange.' },
    POOL_SHARE: { value: 'poolShare', description: "A node operator's share of a pool." },
    ENTITY: { value: 'entity', description: 'A group of related operators.' },
    VALIDATOR: { value: 'validator', description: 'A single validator, by index or public key.' },
    PRIVATE_SET: { value: 'privateSet', description: 'A private set of your account.' },
  } as const,
});

const PoolTypeEnum = builder.enumType('PoolType', {
  description: 'A kind of pool.',
  values: {
    ALL: { value: 'all', description: 'Every pool.' },
    CEX: { value: 'cex', description: 'Exchanges.' },
    LST: { value: 'lst', description: 'Liquid staking.' },
  } as const,
});

/** The field `operator` of lists of periods: its type, and how it is loaded. */
export const operatorOfPeriod = { type: Operator, load: loadOperatorNode };

type Tag = OperatorTag & { network: Network };

const OperatorTagType = builder.objectRef<Tag>('OperatorTag').implement({
  description: OperatorTag.meta()?.description as string,
  fields: (t) => ({
    ...columns(t, OperatorTag),
    operator: t.field({
      type: Operator,
      nullable: true,
      description:
        'The pool, node operator or other operator that the tag names; null for a label, which names none, and when no summary of it is stored.',
      resolve: ({ network, ...tag }, _args, ctx) => {
        const found = operatorOfTag(tag);
        return found ? loadOperatorNode(ctx, { network, ...found }) : null;
      },
    }),
  }),
});

const nodeId = (row: OperatorId) => [row.network, row.idType, row.id].join(':');

node(Operator, {
  description: 'An operator, pool or address.',
  id: nodeId,
  load: async (id, ctx) => {
    const key = operatorOfNodeId(id);
    return key && loadOperatorNode(ctx, key);
  },
  fields: (t) => ({
    operatorId: renamed(
      t,
      'id',
      'Name, address, public key or index of the operator, by its class; `id` in REST.',
    ),
    network: networkField(t, 'Network of the operator.'),
    idType: t.expose('idType', {
      type: IdTypeEnum,
      description: 'Class of the operator.',
    }),
    displayName: t.string({
      nullable: true,
      extensions: { column: 'name' },
      description: OperatorSummary.shape.displayName.description as string,
      resolve: ({ name }) => name,
    }),
    operatorTags: t.field({
      type: [OperatorTagType],
      extensions: { column: 'tags', storedKeys: Object.keys(OperatorTag.shape), rows: 4 },
      description: 'Labels of the operator.',
      resolve: ({ network, tags = [] }) => tags.map((tag) => ({ ...tag, network })),
    }),
  }),
});

const operatorPages = pagesOf(Operator, {
  name: 'Operator',
  row: 'An operator',
  list: 'A list of operators',
});

const listName = (key: ListKey) =>
  `operators:${JSON.stringify([key.network, key.timeWindow, key.idType, key.poolType, key.parentType, key.parentId])}`;

function operatorConnection(
  ctx: Context,
  key: ListKey,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
  parentId?: string | null,
) {
  const limits = { list: listName(key), maxSize: OPERATORS_MAX_SIZE };
  return rankedConnection(args, info, limits, (ranked) =>
    operatorPage(ctx, key, ranked, operatorSelections.ofPage(info), parentId),
  );
}

/** Returns undefined for text that is no operator's id, and for private sets, because lists by ids exclude them. */
function publicId(text: string): OperatorId | undefined {
  const operator = operatorOfNodeId(text);
  return operator?.idType === 'privateSet' ? undefined : operator;
}

export function checkId(name: string, id: string | null | undefined): void {
  const fault = id == null ? undefined : textFault(id);
  if (fault) throw badArgument(name, `${name} ${fault}.`);
}

const poolTypeArg = 'Filters pools by type, and pool shares by the type of their pool.';
builder.queryField('operators', (t) =>
  operatorPages(t, {
    extensions: { operation: 'listOperators' },
    description: `Operators of a class by network penetration, largest first. ${sizesText({ maxSize: OPERATORS_MAX_SIZE })} REST: GET /v0/eth/operators.`,
    args: {
      window: t.arg({ type: TimeWindowEnum, required: true, description: 'Aggregation window.' }),
      idType: t.arg({
        type: IdTypeEnum,
        defaultValue: 'depositAddress',
        description: 'Class of the operators.',
      }),
      poolType: t.arg({ type: PoolTypeEnum, defaultValue: 'all', description: poolTypeArg }),
      parentId: t.arg.string({
        description: 'A pool or node operator: lists its pool shares and ignores idType.',
      }),
      ids: t.arg.idList({
        description: `Global ids of operators, at most ${OPERATORS_MAX_SIZE}: the list is these, in this order, without those that have no summary in the window. Their classes and networks count; not with a page, order or filter, nor for private sets.`,
      }),
      orderBy: t.arg({
        type: OperatorOrder,
        description: 'The order, by the figures of the window; default: network penetration, largest first.',
      }),
      where: t.arg({ type: OperatorWhere, description: 'Which operators to return; all when absent.' }),
      ...networkArgs,
    },
    resolve: (_root, args, ctx: Context, info) => {
      if (args.ids) {
        const selection = operatorSelections.ofPage(info);
        return connectionOfIds(args.ids, args, {
          type: 'Operator',
          maxSize: OPERATORS_MAX_SIZE,
          excluded: ['parentId'],
          keyOf: publicId,
          load: (id) => loadOperator(ctx, { ...id, timeWindow: args.window }, selection),
          nameOf: ({ id }) => id,
        });
      }
      const parentId = args.parentId ?? null;
      const key = listKey({
        network: args.network ?? ctx.network,
        window: args.window,
        idType: args.idType ?? 'depositAddress',
        poolType: args.poolType ?? 'all',
        parentId,
      });
      if (parentId === null && !args.orderBy && !args.where) {
        checkSizes(args, OPERATORS_MAX_SIZE);
        return operatorConnection(ctx, key, args, info);
      }
      const [, where] = collectFaults(
        () => checkId('parentId', parentId),
        () => readOrder(args.orderBy, args.where, key.idType),
        () => checkSizes(args, OPERATORS_MAX_SIZE),
      );
      if (!args.orderBy && !where) return operatorConnection(ctx, key, args, info, parentId);
      const order = orderOf(args.orderBy, 'networkPenetration');
      const list = `${listName(key)}:${JSON.stringify([order.field, order.direction, where])}`;
      return rankedConnection(args, info, { list, maxSize: OPERATORS_MAX_SIZE, valued: true }, (ordered) =>
        orderedOperators(ctx, { key, parentId, order, where }, ordered, operatorSelections.ofPage(info)),
      );
    },
  }),
);

builder.queryField('operator', (t) =>
  t.field({
    type: Operator,
    nullable: true,
    extensions: { operation: 'getOperatorSummary', givesRow: 'ofSummary' },
    description: 'One operator; null when there is none. REST: GET /v0/eth/operators/{operator_id}/summary.',
    args: {
      operatorId: t.arg.string({ required: true, description: 'Name, address, public key or index.' }),
      idType: t.arg({
        type: IdTypeEnum,
        description:
          'Class; when absent an address is a deposit address and a name is looked up class by class.',
      }),
      ...networkArgs,
    },
    resolve: (_root, args, ctx, info) => {
      checkId('operatorId', args.operatorId);
      const query = {
        network: args.network ?? ctx.network,
        id: args.operatorId,
        idType: args.idType ?? null,
      };
      return operatorNode(ctx, query, operatorSelections.first(info));
    },
  }),
);

builder.objectField(Operator, 'poolShares', (t) =>
  operatorPages(t, {
    extensions: { operation: 'listOperators' },
    description: `Pool shares of a pool or node operator in a window, by network penetration. Empty for other classes. ${sizesText({ maxSize: OPERATORS_MAX_SIZE })}`,
    args: { window: t.arg({ type: TimeWindowEnum, required: true, description: 'The window.' }) },
    resolve: (row, args, ctx, info) => {
      const { network, idType, id } = row;
      const operator = { network, idType, id, timeWindow: args.window };
      return operatorConnection(ctx, shareListKey(operator), args, info);
    },
  }),
);
