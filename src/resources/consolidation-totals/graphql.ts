import type { GraphQLResolveInfo } from 'graphql';
import { isBounded } from '../../chain/bounds.ts';
import { Network } from '../../chain/networks.ts';
import { TimeWindow } from '../../chain/windows.ts';
import type { Context } from '../../context.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { columns, type FieldsOf, rowId } from '../../graphql/schema/columns.ts';
import { type ConnectionArgs, connectionOf, sizesText } from '../../graphql/schema/connection.ts';
import { pagesOf } from '../../graphql/schema/connection-types.ts';
import { networkArgs, networkField, TimeWindowEnum } from '../../graphql/schema/enums.ts';
import type { Reads } from '../../graphql/schema/field-cost.ts';
import { networkWindow, node } from '../../graphql/schema/nodes.ts';
import { orderInput, orderOf } from '../../graphql/schema/order.ts';
import { rangeArgs, rangeOf } from '../../graphql/schema/range.ts';
import { integerCursors } from '../../kernel/cursor.ts';
import type { Range } from '../../kernel/page.ts';
import { periodType } from '../../periods/graphql.ts';
import { PERIODS_SIZES } from '../../periods/params.ts';
import { datesOf } from '../../periods/stored.ts';
import { entityClassOf, operatorKeyFields } from '../consolidations/graphql.ts';
import { loadStoredConsolidationEpochs } from '../consolidations/loaders.ts';
import { EntityClass } from '../consolidations/record.ts';
import { IdTypeEnum } from '../operators/graphql.ts';
import { OperatorBy, readOperatorBy } from '../operators/operator-by.ts';
import {
  type CapacitySortField,
  ConsolidationCapacity,
  ConsolidationRecord,
  type ConsolidationRecordField,
  capacitySortFields,
  EntityConsolidation,
  EntityConsolidationCapacity,
  type EntitySortField,
  entitySortFields,
} from './record.ts';
import {
  consolidationCapacities,
  consolidationCapacity,
  consolidationHistory,
  ENTITIES_SIZES,
  entityCapacities,
  entityCapacity,
  entityConsolidations,
  type PlacedPage,
} from './resolve.ts';

const sortText = (name: string) => `By ${name}.`;
const orderFields = <Field extends string>(fields: readonly Field[]) =>
  fields.map((name) => (name === 'id' ? 'operatorId' : name)) as Exclude<Field | 'operatorId', 'id'>[];
const sortFieldOf = <Field extends string>(field: Field | 'operatorId') =>
  (field === 'operatorId' ? 'id' : field) as Field;
const TotalOrder = orderInput('OperatorConsolidationTotal', orderFields(entitySortFields), sortText);
const CapacityOrder = orderInput('OperatorConsolidationCapacity', orderFields(capacitySortFields), sortText);

/** The global id of a row consists of `scope` and the row's `id`. */
type Placed<Row> = Row & { position: number; network: Network; scope: unknown[] };

const windowField = <Row extends { timeWindow: TimeWindow }>(t: FieldsOf<Row>) =>
  t.field({
    type: TimeWindowEnum,
    description: 'Window that the figures cover, up to latestEpoch.',
    resolve: (row) => row.timeWindow,
  });

const TotalType = builder.objectRef<Placed<EntityConsolidation>>('OperatorConsolidationTotal').implement({
  description:
    'Consolidations whose source validators belong to an operator, summed over the range of its list. Not a Node: that range is not part of a row.',
  fields: (t) => ({
    id: rowId(t, 'OperatorConsolidationTotal', (row) => [...row.scope, row.id]),
    network: networkField(t, 'Network of the validators.'),
    ...operatorKeyFields(t),
    ...columns(t, EntityConsolidation.omit({ id: true })),
  }),
});
const totalPages = pagesOf(TotalType, {
  name: 'OperatorConsolidationTotal',
  row: 'An operator',
  list: 'Consolidations by operator',
});

type CapacityRow = ConsolidationCapacity & { network: Network };
const ConsolidationCapacityType = builder.objectRef<CapacityRow>('ConsolidationCapacity');
node(ConsolidationCapacityType, {
  description: ConsolidationCapacity.meta()?.description as string,
  id: (row) => `${row.network}:${row.timeWindow}`,
  load: async (id, ctx) => {
    const key = networkWindow(id);
    return key && consolidationCapacity(ctx, key.network, key.window);
  },
  fields: (t) => ({
    network: networkField(t, 'Network of the validators.'),
    window: windowField(t),
    ...columns(t, ConsolidationCapacity),
  }),
});

function capacityKey(text: string) {
  const [, name, length, idClass, id] = /^(\w+):(\w+):(\w+):(.+)$/s.exec(text) ?? [];
  const [network, window] = [Network.safeParse(name).data, TimeWindow.safeParse(length).data];
  const idType = EntityClass.safeParse(idClass).data;
  return network && window && idType && id ? { network, window, idType, id } : undefined;
}

type OperatorCapacityRow = EntityConsolidationCapacity & { network: Network };
const OperatorCapacityType = builder.objectRef<OperatorCapacityRow>('OperatorConsolidationCapacity');
node(OperatorCapacityType, {
  description: 'Use of the consolidation churn limit by an operator in a window.',
  id: ({ network, timeWindow, idType, id }) => `${network}:${timeWindow}:${idType}:${id}`,
  load: async (text, ctx) => {
    const key = capacityKey(text);
    const found = key && (await entityCapacity(ctx, key));
    return found && { ...found, network: key.network };
  },
  fields: (t) => ({
    network: networkField(t, 'Network of the validators.'),
    ...operatorKeyFields(t),
    window: windowField(t),
    ...columns(t, EntityConsolidationCapacity.omit({ id: true })),
  }),
});
const operatorCapacityPages = pagesOf(OperatorCapacityType, {
  name: 'OperatorConsolidationCapacity',
  row: 'An operator',
  list: 'What operators used of the capacity',
});

function placedConnection<Row extends object>(
  list: { name: string; network: Network; scope: unknown[] },
  order: unknown,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
  read: (range: Range<number>) => Promise<PlacedPage<Row>>,
) {
  const { name, network, scope } = list;
  return connectionOf(args, info, {
    ...ENTITIES_SIZES,
    cursors: integerCursors(
      () => `${name}:${JSON.stringify([network, scope, order])}`,
      (row: Placed<Row>) => row.position,
    ),
    async read(range) {
      const page = await read(range);
      const rows = page.rows.map((row) => ({ ...row, network, scope: [network, ...scope] }));
      return { ...page, rows };
    },
    total: (page) => page.total(),
  });
}

const sizes = sizesText(ENTITIES_SIZES);
const classArgs = builder.args((t) => ({
  idType: t.field({
    type: IdTypeEnum,
    defaultValue: 'nodeOperator',
    description: 'Class of the operators; only classes that validators belong to.',
  }),
}));
const orderDescription = 'Order, largest consolidatedBalance first by default. Ties by operatorId.';

/** The stored totals are of all days. */
const boundedReads: Reads = ({ args, sizes }) => (isBounded(args) ? sizes.consolidations : 0);

builder.queryField('operatorConsolidations', (t) =>
  totalPages(t, {
    extensions: { operation: 'listEntityConsolidations', reads: boundedReads },
    description: `Consolidations by the operator of the source validator, largest balance first. ${sizes} REST: GET /v1/eth/entityConsolidations.`,
    args: {
      ...networkArgs,
      ...rangeArgs,
      ...classArgs,
      orderBy: t.arg({ type: TotalOrder, description: orderDescription }),
    },
    resolve: (_root, args, ctx: Context, info) => {
      const network = args.network ?? ctx.network;
      const bounds = rangeOf(args);
      const idType = entityClassOf(args.idType ?? 'nodeOperator');
      const order = orderOf(args.orderBy, 'consolidatedBalance');
      const sortBy = sortFieldOf<EntitySortField>(order.field);
      const query = { ...bounds, idType, sortBy, sortOrder: order.direction };
      const list = { name: 'operatorConsolidations', network, scope: [idType, bounds] };
      return placedConnection(list, order, args, info, (range) =>
        entityConsolidations(ctx, network, query, range),
      );
    },
  }),
);

builder.queryField('consolidationCapacities', (t) =>
  t.field({
    type: [ConsolidationCapacityType],
    nullable: true,
    extensions: { operation: 'listConsolidationCapacity', rows: 4 },
    description:
      'Use of the consolidation churn limit in every window, shortest first; empty while no active balance of the network is stored. REST: GET /v1/eth/consolidationCapacity.',
    args: networkArgs,
    resolve: async (_root, args, ctx: Context) => {
      const network = args.network ?? ctx.network;
      return (await consolidationCapacities(ctx, network)).map((row) => ({ ...row, network }));
    },
  }),
);

/** Shorter windows have few, because the churn limit bounds them. */
const capacityReads: Reads = ({ args, sizes }) =>
  String(args.window).toLowerCase() === 'all' ? sizes.consolidations : 0;

builder.queryField('operatorConsolidationCapacities', (t) =>
  operatorCapacityPages(t, {
    extensions: { operation: 'listEntityConsolidationCapacity', reads: capacityReads },
    description: `What operators used of the capacity of a window, largest balance first. ${sizes} REST: GET /v1/eth/consolidationCapacity/entity.`,
    args: {
      ...networkArgs,
      window: t.arg({ type: TimeWindowEnum, required: true, description: 'Window of the figures.' }),
      ...classArgs,
      orderBy: t.arg({ type: CapacityOrder, description: orderDescription }),
    },
    resolve: (_root, args, ctx: Context, info) => {
      const network = args.network ?? ctx.network;
      const { window } = args;
      const idType = entityClassOf(args.idType ?? 'nodeOperator');
      const order = orderOf(args.orderBy, 'consolidatedBalance');
      const sortBy = sortFieldOf<CapacitySortField>(order.field);
      const query = { window, idType, sortBy, sortOrder: order.direction };
      const list = { name: 'operatorConsolidationCapacities', network, scope: [idType, window] };
      return placedConnection(list, order, args, info, (range) =>
        entityCapacities(ctx, network, query, range),
      );
    },
  }),
);

const periods = periodType<ConsolidationRecordField, ConsolidationRecord>(
  'ConsolidationRecord',
  ConsolidationRecord,
  {
    description: 'Consolidations of a period and the churn that they used.',
    list: 'Consolidations over time',
    cursors: 'consolidationHistory',
  },
);

const ConsolidationWhere = builder.inputType('ConsolidationWhere', {
  description: 'Which consolidations are counted: those that match all fields given.',
  fields: (t) => ({
    operator: t.field({ type: OperatorBy, description: 'An operator of the validator on either side.' }),
  }),
});

builder.queryField('consolidationHistory', (t) =>
  periods.pages(t, {
    extensions: { operation: 'consolidationHistory' },
    description: `Consolidations counted and summed by period, and the share of the churn limit that they used, by default newest first. There is a row for each period since Electra, also without consolidations, up to the newest epoch of which a balance or consolidation is stored; there are no hours. ${sizesText(PERIODS_SIZES)} REST has no such path.`,
    args: {
      where: t.arg({ type: ConsolidationWhere, description: 'Filter; default: all consolidations.' }),
      ...periods.args,
      ...networkArgs,
    },
    resolve: (_root, args, ctx: Context, info) => {
      const network = args.network ?? ctx.network;
      const operator = readOperatorBy(args.where?.operator, 'where.operator');
      const owner = { network, idType: 'consolidations', id: JSON.stringify(operator) };
      return periods.read(owner, args, info, {
        read: (...page) => consolidationHistory(ctx, { network, operator }, ...page),
        stored: async ({ calendar }) =>
          datesOf(await loadStoredConsolidationEpochs(ctx, { network }), network, calendar),
      });
    },
  }),
);
