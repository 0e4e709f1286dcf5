import type { GraphQLResolveInfo } from 'graphql';
import { Network } from '../../chain/networks.ts';
import { TimeWindow } from '../../chain/windows.ts';
import type { Context } from '../../context.ts';
import { selectionFor } from '../../fast-rows/index.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { columns, exposed, plainObject, renamed } from '../../graphql/schema/columns.ts';
import {
  type ConnectionArgs,
  connection,
  rankCursor,
  rankedRange,
  sizeFaults,
} from '../../graphql/schema/connection.ts';
import { pageTypes } from '../../graphql/schema/connection-types.ts';
import { replacedBy } from '../../graphql/schema/deprecated.ts';
import { NetworkEnum, networkArgs, TimeWindowEnum } from '../../graphql/schema/enums.ts';
import { loadNodes } from '../../graphql/schema/nodes.ts';
import { IN_PAGE, IN_ROW } from '../../graphql/schema/selection.ts';
import { badInput, type Fault } from '../../kernel/refusal.ts';
import { loadOperator } from './loaders.ts';
import type { ListKey, OperatorKey, OperatorRow } from './queries.ts';
import {
  ClientPercentage,
  IdType,
  idFault,
  OperatorSummary,
  OperatorTag,
  operatorFields,
  RelayerPercentage,
} from './record.ts';
import {
  listKey,
  OPERATORS_DEFAULT_SIZE,
  OPERATORS_MAX_SIZE,
  operatorPage,
  operatorSummary,
  parentFaults,
  shareListKey,
} from './resolve.ts';

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

const ClientPercentageType = plainObject(ClientPercentage);
const RelayerPercentageType = plainObject(RelayerPercentage);
const OperatorTagType = plainObject(OperatorTag);

/** The id comes last: it may contain colons. */
const nodeId = (row: OperatorKey) => [row.network, row.timeWindow, row.idType, row.id].join(':');

function keyOfNodeId(id: string): OperatorKey | undefined {
  const [network, timeWindow, idType, ...rest] = id.split(':');
  const parsed = {
    network: Network.safeParse(network).data,
    timeWindow: TimeWindow.safeParse(timeWindow).data,
    idType: IdType.safeParse(idType).data,
    id: rest.join(':'),
  };
  return parsed.network && parsed.timeWindow && parsed.idType && parsed.id
    ? (parsed as OperatorKey)
    : undefined;
}

/** Excludes `id`, which is always read as part of the key. */
export const operatorFigures = operatorFields.filter((name) => name !== 'id');

export const Operator = builder.objectRef<OperatorRow>('Operator');
builder.node(Operator, {
  description: 'Performance of an operator, pool or address over a time window.',
  id: { resolve: nodeId, description: 'Global id, for `node`.' },
  loadMany: loadNodes('Operator', async (id, ctx) => {
    const key = keyOfNodeId(id);
    return key && loadOperator(ctx, key, operatorFields);
  }),
  fields: (t) => ({
    operatorId: renamed(
      t,
      'id',
      'Name, address, public key or index of the operator, by its class; `id` in REST.',
    ),
    network: t.expose('network', {
      type: NetworkEnum,
      description: 'Network of the operator.',
    }),
    idType: t.expose('idType', {
      type: IdTypeEnum,
      description: 'Class of the operator.',
    }),
    timeWindow: t.expose('timeWindow', {
      type: TimeWindowEnum,
      description: 'Window that the figures cover.',
    }),
    ...columns(t, OperatorSummary.omit({ id: true })),
    clientPercentages: exposed(t, 'clientPercentages', {
      type: [ClientPercentageType],
      stored: ClientPercentage,
      rows: 6,
      description: 'Consensus clients of the validators.',
    }),
    relayerPercentages: exposed(t, 'relayerPercentages', {
      type: [RelayerPercentageType],
      stored: RelayerPercentage,
      rows: 12,
      description: 'Relays of the proposed blocks.',
    }),
    operatorTags: exposed(t, 'operatorTags', {
      type: [OperatorTagType],
      stored: OperatorTag,
      rows: 4,
      description: 'Labels of the operator.',
    }),
    in: t.field({
      type: Operator,
      nullable: true,
      extensions: { operation: 'getOperatorSummary', givesRow: true },
      description: 'The same operator in another window; null when it has no summary there.',
      args: { window: t.arg({ type: TimeWindowEnum, required: true, description: 'The other window.' }) },
      resolve: (row, args, ctx, info) =>
        loadOperator(
          ctx,
          { network: row.network, idType: row.idType, id: row.id, timeWindow: args.window },
          selectionFor(info, operatorFigures, IN_ROW),
        ),
    }),
  }),
});

const operatorPages = pageTypes(Operator, {
  name: 'Operator',
  row: 'An operator',
  list: 'A list of operators',
});

const listName = (key: ListKey) =>
  `operators:${JSON.stringify([key.network, key.timeWindow, key.idType, key.poolType, key.parentType, key.parentId])}`;

async function operatorConnection(
  ctx: Context,
  key: ListKey,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
  parentId?: string | null,
) {
  const list = listName(key);
  const limits = { list, defaultSize: OPERATORS_DEFAULT_SIZE, maxSize: OPERATORS_MAX_SIZE };
  const ranked = rankedRange(args, info, limits);
  const page = await operatorPage(ctx, key, ranked, selectionFor(info, operatorFigures, IN_PAGE), parentId);
  return connection(
    page,
    ({ rank }) => rankCursor(list, { revision: page.revision, rank }),
    () => page.total,
  );
}

function idFaults(name: string, id: string | null | undefined): Fault[] {
  const fault = id == null ? undefined : idFault(id);
  return fault ? [{ loc: ['argument', name], msg: `${name} ${fault}.`, type: 'value_error' }] : [];
}

/** Throws BAD_INPUT for an id that REST would refuse. */
export function checkId(name: string, id: string | null | undefined): void {
  const faults = idFaults(name, id);
  if (faults.length > 0) throw badInput(faults);
}

const poolTypeArg = 'Filters pools by type, and pool shares by the type of their pool.';
builder.queryField('operators', (t) =>
  t.connection(
    {
      type: Operator,
      nullable: true,
      extensions: { operation: 'listOperators', rows: OPERATORS_DEFAULT_SIZE },
      description: `Operators of a class by network penetration, largest first. At most ${OPERATORS_MAX_SIZE} a page, ${OPERATORS_DEFAULT_SIZE} by default. REST: GET /v0/eth/operators.`,
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
        parentEntity: t.arg.string({
          deprecationReason: replacedBy('parentId'),
          description: 'The same as parentId.',
        }),
        ...networkArgs,
      },
      resolve: (_root, args, ctx: Context, info) => {
        const parentId = args.parentId ?? args.parentEntity ?? null;
        const faults = [
          ...idFaults('parentId', args.parentId),
          ...idFaults('parentEntity', args.parentEntity),
          ...parentFaults(parentId, args.parentEntity, 'argument'),
          ...sizeFaults(args, OPERATORS_MAX_SIZE),
        ];
        if (faults.length > 0) throw badInput(faults);
        const key = listKey({
          network: args.network ?? ctx.network,
          window: args.window,
          idType: args.idType ?? 'depositAddress',
          poolType: args.poolType ?? 'all',
          parentId,
        });
        return operatorConnection(ctx, key, args, info, parentId);
      },
    },
    ...operatorPages,
  ),
);

builder.queryField('operator', (t) =>
  t.field({
    type: Operator,
    nullable: true,
    extensions: { operation: 'getOperatorSummary', givesRow: true },
    description: 'One operator; null when there is none. REST: GET /v0/eth/operators/{operator_id}/summary.',
    args: {
      operatorId: t.arg.string({ required: true, description: 'Name, address, public key or index.' }),
      window: t.arg({ type: TimeWindowEnum, required: true, description: 'Aggregation window.' }),
      idType: t.arg({
        type: IdTypeEnum,
        description:
          'Class; when absent an address is a deposit address and a name is looked up class by class.',
      }),
      ...networkArgs,
    },
    resolve: (_root, args, ctx, info) => {
      checkId('operatorId', args.operatorId);
      return operatorSummary(
        ctx,
        {
          network: args.network ?? ctx.network,
          window: args.window,
          id: args.operatorId,
          idType: args.idType ?? null,
        },
        selectionFor(info, operatorFigures, IN_ROW),
      );
    },
  }),
);

builder.objectField(Operator, 'poolShares', (t) =>
  t.connection(
    {
      type: Operator,
      nullable: true,
      extensions: { operation: 'listOperators', rows: OPERATORS_DEFAULT_SIZE },
      description:
        'Pool shares of a pool or node operator in the same window, by network penetration. Empty for other classes.',
      args: { poolType: t.arg({ type: PoolTypeEnum, defaultValue: 'all', description: poolTypeArg }) },
      resolve: (row, args, ctx, info) => {
        const key = shareListKey(row, args.poolType ?? 'all');
        return operatorConnection(ctx, key, args, info);
      },
    },
    ...operatorPages,
  ),
);
