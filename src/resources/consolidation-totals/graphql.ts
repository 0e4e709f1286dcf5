import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../context.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { columns } from '../../graphql/schema/columns.ts';
import { type ConnectionArgs, connection, connectionRange } from '../../graphql/schema/connection.ts';
import { pageTypes } from '../../graphql/schema/connection-types.ts';
import { enumValues, networkArgs, SortOrderEnum, TimeWindowEnum } from '../../graphql/schema/enums.ts';
import { rangeArgs, rangeOf } from '../../graphql/schema/range.ts';
import { integerCursors } from '../../kernel/cursor.ts';
import type { Range } from '../../kernel/page.ts';
import { entityClassOf, entityFields } from '../consolidations/graphql.ts';
import { IdTypeEnum } from '../operators/graphql.ts';
import {
  type CapacitySortField,
  ConsolidationCapacity,
  capacitySortFields,
  EntityConsolidation,
  EntityConsolidationCapacity,
  type EntitySortField,
  entitySortFields,
} from './record.ts';
import {
  consolidationCapacity,
  ENTITIES_SIZES,
  entityCapacities,
  entityConsolidations,
  type PlacedPage,
} from './resolve.ts';

const EntitySortEnum = builder.enumType('EntityConsolidationSort', {
  description: 'What entities are sorted by; ties by id.',
  values: enumValues(entitySortFields, (name) => `By ${name}.`),
});
const CapacitySortEnum = builder.enumType('ConsolidationCapacitySort', {
  description: 'What entities are sorted by; ties by id.',
  values: enumValues(capacitySortFields, (name) => `By ${name}.`),
});

const EntityConsolidationType = builder
  .objectRef<EntityConsolidation & { position: number }>('EntityConsolidation')
  .implement({
    description: EntityConsolidation.meta()?.description as string,
    fields: (t) => ({
      ...entityFields(t),
      ...columns(t, EntityConsolidation.omit({ id: true })),
    }),
  });
const entityConsolidationPages = pageTypes(EntityConsolidationType, {
  name: 'EntityConsolidation',
  row: 'An entity',
  list: 'Consolidations by entity',
});

const timeWindowDescription = 'Window that the figures cover, up to latestEpoch.';
const ConsolidationCapacityType = builder
  .objectRef<ConsolidationCapacity>('ConsolidationCapacity')
  .implement({
    description: ConsolidationCapacity.meta()?.description as string,
    fields: (t) => ({
      timeWindow: t.expose('timeWindow', {
        type: TimeWindowEnum,
        description: timeWindowDescription,
      }),
      ...columns(t, ConsolidationCapacity),
    }),
  });

const EntityCapacityType = builder
  .objectRef<EntityConsolidationCapacity & { position: number }>('EntityConsolidationCapacity')
  .implement({
    description: EntityConsolidationCapacity.meta()?.description as string,
    fields: (t) => ({
      ...entityFields(t),
      timeWindow: t.expose('timeWindow', {
        type: TimeWindowEnum,
        description: timeWindowDescription,
      }),
      ...columns(t, EntityConsolidationCapacity.omit({ id: true })),
    }),
  });
const entityCapacityPages = pageTypes(EntityCapacityType, {
  name: 'EntityConsolidationCapacity',
  row: 'An entity',
  list: 'What entities used of the capacity',
});

async function placedConnection<Row>(
  name: string,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
  read: (range: Range<number>) => Promise<PlacedPage<Row>>,
) {
  const cursors = integerCursors(() => name);
  const range = connectionRange(args, info, { ...ENTITIES_SIZES, decode: cursors.read });
  const page = await read(range);
  return connection(page, (row) => cursors.of(row.position), page.total);
}

const sizes = `At most ${ENTITIES_SIZES.maxSize} a page, ${ENTITIES_SIZES.defaultSize} by default.`;
const listArgs = {
  ...networkArgs,
  ...builder.args((t) => ({
    entityType: t.field({
      type: IdTypeEnum,
      defaultValue: 'nodeOperator',
      description: 'Class of the entities; only classes that validators belong to.',
    }),
    sortOrder: t.field({ type: SortOrderEnum, defaultValue: 'desc', description: 'Sort order.' }),
  })),
};

builder.queryField('entityConsolidations', (t) =>
  t.connection(
    {
      type: EntityConsolidationType,
      nullable: true,
      extensions: { operation: 'listEntityConsolidations', rows: ENTITIES_SIZES.defaultSize },
      description: `Consolidations by the entity of the source validator, largest balance first. ${sizes} REST: GET /v1/eth/entityConsolidations.`,
      args: {
        ...listArgs,
        ...rangeArgs,
        sortBy: t.arg({
          type: EntitySortEnum,
          defaultValue: 'consolidatedBalance',
          description: 'What to sort by.',
        }),
      },
      resolve: (_root, args, ctx: Context, info) => {
        const network = args.network ?? ctx.network;
        const asked = {
          ...rangeOf(args),
          idType: entityClassOf(args.entityType ?? 'nodeOperator'),
          sortBy: (args.sortBy ?? 'consolidatedBalance') as EntitySortField,
          sortOrder: args.sortOrder ?? 'desc',
        };
        const name = `entityConsolidations:${JSON.stringify([network, asked])}`;
        return placedConnection(name, args, info, (range) =>
          entityConsolidations(ctx, network, asked, range),
        );
      },
    },
    ...entityConsolidationPages,
  ),
);

builder.queryField('consolidationCapacity', (t) =>
  t.field({
    type: [ConsolidationCapacityType],
    nullable: true,
    extensions: { operation: 'listConsolidationCapacity', rows: 4 },
    description:
      'Use of the consolidation churn limit in every window, shortest first; empty while no active balance of the network is stored. REST: GET /v1/eth/consolidationCapacity.',
    args: { ...networkArgs },
    resolve: (_root, args, ctx) => consolidationCapacity(ctx, args.network ?? ctx.network),
  }),
);

builder.queryField('entityConsolidationCapacities', (t) =>
  t.connection(
    {
      type: EntityCapacityType,
      nullable: true,
      extensions: { operation: 'listEntityConsolidationCapacity', rows: ENTITIES_SIZES.defaultSize },
      description: `What entities used of the capacity of a window, largest balance first. ${sizes} REST: GET /v1/eth/consolidationCapacity/entity.`,
      args: {
        window: t.arg({ type: TimeWindowEnum, required: true, description: 'Aggregation window.' }),
        ...listArgs,
        sortBy: t.arg({
          type: CapacitySortEnum,
          defaultValue: 'consolidatedBalance',
          description: 'What to sort by.',
        }),
      },
      resolve: (_root, args, ctx: Context, info) => {
        const network = args.network ?? ctx.network;
        const asked = {
          window: args.window,
          idType: entityClassOf(args.entityType ?? 'nodeOperator'),
          sortBy: (args.sortBy ?? 'consolidatedBalance') as CapacitySortField,
          sortOrder: args.sortOrder ?? 'desc',
        };
        const name = `entityConsolidationCapacities:${JSON.stringify([network, asked])}`;
        return placedConnection(name, args, info, (range) => entityCapacities(ctx, network, asked, range));
      },
    },
    ...entityCapacityPages,
  ),
);
