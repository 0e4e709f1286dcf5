import type { InputShapeFromFields } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import type { Calendar } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { columns, exposed, type FieldsOf, renamed } from '../../graphql/schema/columns.ts';
import {
  type ConnectionArgs,
  checkSizes,
  connection,
  connectionRange,
  sizesText,
} from '../../graphql/schema/connection.ts';
import { pageTypes } from '../../graphql/schema/connection-types.ts';
import { replacedBy } from '../../graphql/schema/deprecated.ts';
import { enumName, enumValues, NetworkEnum, networkArgs, SortOrderEnum } from '../../graphql/schema/enums.ts';
import { loadNodes, networkNumber } from '../../graphql/schema/nodes.ts';
import { orderInput } from '../../graphql/schema/order.ts';
import { rangeArgs, rangeOf } from '../../graphql/schema/range.ts';
import { checkReplaced, orderOf } from '../../graphql/schema/replaced.ts';
import { ValidatorBy } from '../../graphql/schema/validator-by.ts';
import { integerCursors } from '../../kernel/cursor.ts';
import type { Range } from '../../kernel/page.ts';
import { badArgument, collectFaults, quoted } from '../../kernel/refusal.ts';
import { checkId, IdTypeEnum, Operator } from '../operators/graphql.ts';
import { loadOperatorNode } from '../operators/loaders.ts';
import type { IdType } from '../operators/record.ts';
import { ValidatorType } from '../validators/graphql.ts';
import { loadValidator } from '../validators/loaders.ts';
import { readValidatorBy, readValidatorName, type ValidatorNames } from '../validators/record.ts';
import { loadEntities, loadPendingConsolidation, type QueueRow, sourceText } from './loaders.ts';
import {
  Consolidation,
  ConsolidationEntity,
  type ConsolidationSortField,
  consolidationSortFields,
  EntityClass,
  entityClasses,
  PendingConsolidation,
} from './record.ts';
import {
  CONSOLIDATIONS_SIZES,
  type ConsolidationArgs,
  type ConsolidationPage,
  type ConsolidationRow,
  consolidationCursor,
  consolidationOf,
  consolidationPageOf,
  consolidationPosition,
  consolidations,
  pendingConsolidations,
} from './resolve.ts';

const times: readonly string[] = ['day', 'date', 'epoch', 'timestamp'];
const orderFields = ['epoch', 'sourceValidatorIndex', 'targetValidatorIndex', 'consolidatedBalance'] as const;
const orderText = (name: string) => (times.includes(name) ? 'By time.' : `By ${name}.`);
const ConsolidationOrder = orderInput('Consolidation', orderFields, orderText);
const ConsolidationSortEnum = builder.enumType('ConsolidationSort', {
  description: 'What consolidations are sorted by; ties by epoch and source validator index.',
  values: enumValues(consolidationSortFields, orderText),
});

const idDescription = 'Name or address of the operator; `id` in REST.';
export const operatorKeyFields = <Row extends ConsolidationEntity & { network: Network }>(
  t: FieldsOf<Row>,
) => ({
  operator: t.field({
    type: Operator,
    nullable: true,
    description: 'The operator; null when no summary of it is stored.',
    resolve: ({ network, idType, id }, _args, ctx) => loadOperatorNode(ctx, { network, idType, id }),
  }),
  operatorId: renamed(t, 'id', idDescription),
  entityId: renamed(t, 'id', idDescription, replacedBy('operatorId')),
  idType: exposed(t, 'idType', {
    type: IdTypeEnum,
    description: 'Class of the operator.',
  }),
});

const ConsolidationEntityType = builder
  .objectRef<ConsolidationEntity & { network: Network }>('ConsolidationEntity')
  .implement({
    description: ConsolidationEntity.meta()?.description as string,
    fields: (t) => operatorKeyFields(t),
  });

type Sides = { network: Network; sourceValidatorIndex: number; targetValidatorIndex: number };
const sideOf = (row: Sides, side: 'source' | 'target') => ({
  network: row.network,
  validatorIndex: side === 'source' ? row.sourceValidatorIndex : row.targetValidatorIndex,
});

async function entitiesOf(ctx: Context, row: Sides, side: 'source' | 'target') {
  const found = await loadEntities(ctx, sideOf(row, side));
  return found.map(({ id, idType }) => ({ id, idType, network: row.network }));
}

const ConsolidationType = builder.objectRef<ConsolidationRow>('Consolidation');
builder.node(ConsolidationType, {
  description: Consolidation.meta()?.description as string,
  // The global id contains the calendar, because the row's day and date depend on it.
  id: {
    resolve: (row) => `${row.calendar}:${row.network}:${row.sourceValidatorIndex}`,
    description: 'Global id, for `node`.',
  },
  loadMany: loadNodes('Consolidation', async (id, ctx) => {
    const [, calendar, source = ''] = /^(chain|utc):(.+)$/.exec(id) ?? [];
    const key = networkNumber(source);
    return key && consolidationOf(ctx, key.network, key.number, calendar as Calendar);
  }),
  fields: (t) => {
    const entities = (side: 'source' | 'target') =>
      t.field({
        type: [ConsolidationEntityType],
        extensions: { rows: 6 },
        description: Consolidation.shape[`${side}Entities`].description as string,
        resolve: (row, _args, ctx) => entitiesOf(ctx, row, side),
      });
    const validator = (side: 'source' | 'target') =>
      t.field({
        type: ValidatorType,
        nullable: true,
        description: `The ${side} validator; null when only its consolidation is stored.`,
        resolve: (row, _args, ctx) => loadValidator(ctx, sideOf(row, side)),
      });
    return {
      network: t.expose('network', {
        type: NetworkEnum,
        description: 'Network of the validators.',
      }),
      ...columns(t, Consolidation),
      sourceEntities: entities('source'),
      targetEntities: entities('target'),
      source: validator('source'),
      target: validator('target'),
    };
  },
});
const consolidationPages = pageTypes(ConsolidationType, {
  name: 'Consolidation',
  row: 'A consolidation',
  list: 'A list of consolidations',
});

const queryArgs = builder.args((t) => ({
  ...rangeArgs,
  orderBy: t.field({
    type: ConsolidationOrder,
    description:
      'Order, oldest first by default. Ties by epoch and source validator index, also reversed by DESC.',
  }),
  sortBy: t.field({
    type: ConsolidationSortEnum,
    description: 'What to sort by; DAY by default.',
    deprecationReason: replacedBy('orderBy'),
  }),
  sortOrder: t.field({
    type: SortOrderEnum,
    description: 'Sort order; ASC by default. DESC also reverses ties.',
    deprecationReason: replacedBy('orderBy'),
  }),
}));

function queryOf(args: InputShapeFromFields<typeof queryArgs>) {
  const [bounds, order] = collectFaults(
    () => rangeOf(args),
    () =>
      orderOf<ConsolidationSortField>(args, {
        field: 'day',
        direction: 'asc',
      }),
  );
  return { ...bounds, sortBy: order.field, sortOrder: order.direction };
}

/** Cursors contain `of` and `args`, so that other lists refuse them. */
async function consolidationConnection(
  of: unknown[],
  args: InputShapeFromFields<typeof queryArgs> & ConnectionArgs,
  info: GraphQLResolveInfo,
  read: (query: ConsolidationArgs, range: Range<string[]>) => Promise<ConsolidationPage>,
) {
  const query = queryOf(args);
  const { sortBy } = query;
  const name = `consolidations:${JSON.stringify([of, query])}`;
  const range = connectionRange(args, info, {
    ...CONSOLIDATIONS_SIZES,
    decode: (cursor) => consolidationPosition(name, sortBy, cursor),
  });
  const page = await read(query, range);
  return connection(page, (row) => consolidationCursor(name, sortBy, row), page.total);
}

const sizes = sizesText(CONSOLIDATIONS_SIZES);

export function entityClassOf(name: string, idType: IdType) {
  const known = EntityClass.safeParse(idType).data;
  if (known) return known;
  const msg = `${name} is ${enumName(idType)}; one of ${entityClasses.map(enumName).join(', ')} is needed.`;
  throw badArgument(name, msg);
}

const operatorArgs = builder.args((t) => ({
  operatorId: t.string({ description: 'Operator of a validator on either side; with idType.' }),
  idType: t.field({
    type: IdTypeEnum,
    description: 'Class of that operator, with operatorId; only classes that validators belong to.',
  }),
  entityId: t.string({
    description: 'The same as operatorId; with entityType.',
    deprecationReason: replacedBy('operatorId'),
  }),
  entityType: t.field({
    type: IdTypeEnum,
    description: 'The same as idType; with entityId.',
    deprecationReason: replacedBy('idType'),
  }),
}));

function operatorOf(args: InputShapeFromFields<typeof operatorArgs>) {
  checkReplaced(args, 'operatorId', ['entityId', 'entityType']);
  checkReplaced(args, 'idType', ['entityId', 'entityType']);
  const isOld = args.entityId != null || args.entityType != null;
  const [idName, typeName] = isOld
    ? (['entityId', 'entityType'] as const)
    : (['operatorId', 'idType'] as const);
  const { [idName]: id, [typeName]: idType } = args;
  if (id == null && idType == null) return null;
  if (id == null) throw badArgument(idName, `${idName} is required together with ${typeName}.`);
  if (idType == null) throw badArgument(typeName, `${typeName} is required together with ${idName}.`);
  checkId(idName, id);
  return { id, idType: entityClassOf(typeName, idType) };
}

function validatorOf(args: {
  by?: ValidatorNames | null | undefined;
  validator?: string | null | undefined;
}) {
  checkReplaced(args, 'by', ['validator']);
  if (args.by != null) return readValidatorBy(args.by, ['by']);
  if (args.validator == null) return null;
  const found = readValidatorName(args.validator);
  if (!found) {
    const msg = `validator is ${quoted(args.validator)}; the index or the public key of a validator is needed.`;
    throw badArgument('validator', msg);
  }
  return found;
}

builder.queryField('consolidations', (t) =>
  t.connection(
    {
      type: ConsolidationType,
      nullable: true,
      extensions: { operation: 'listConsolidations' },
      description: `Processed consolidations, oldest first. ${sizes} REST: GET /v1/eth/validators/consolidations.`,
      args: {
        by: t.arg({ type: ValidatorBy, description: 'A validator, on either side.' }),
        validator: t.arg.string({
          description: 'Index or public key of a validator, on either side.',
          deprecationReason: replacedBy('by'),
        }),
        ...operatorArgs,
        ...networkArgs,
        ...queryArgs,
      },
      resolve: (_root, args, ctx: Context, info) => {
        const [validator, entity] = collectFaults(
          () => validatorOf(args),
          () => operatorOf(args),
          () => queryOf(args),
          () => checkSizes(args, CONSOLIDATIONS_SIZES.maxSize),
        );
        const asked = { network: args.network ?? ctx.network, validator, entity };
        return consolidationConnection([asked], args, info, (query, range) =>
          consolidations(ctx, asked, query, range),
        );
      },
    },
    ...consolidationPages,
  ),
);

builder.objectField(ValidatorType, 'consolidations', (t) =>
  t.connection(
    {
      type: ConsolidationType,
      nullable: true,
      extensions: { operation: 'listConsolidations' },
      description: `Its consolidations, as source or as target, oldest first. ${sizes}`,
      args: queryArgs,
      resolve: ({ network, validatorIndex }, args, ctx, info) =>
        consolidationConnection([network, validatorIndex], args, info, (query, range) =>
          consolidationPageOf(ctx, { network, validatorIndex, entity: null }, query, range),
        ),
    },
    ...consolidationPages,
  ),
);

builder.objectField(Operator, 'consolidations', (t) =>
  t.connection(
    {
      type: ConsolidationType,
      nullable: true,
      extensions: { operation: 'listConsolidations' },
      description: `Consolidations of its validators, as source or as target, oldest first, independent of its window; empty for classes that validators do not belong to. ${sizes}`,
      args: queryArgs,
      resolve: ({ network, idType, id }, args, ctx, info) => {
        const entity = { idType: idType as EntityClass, id };
        return consolidationConnection([network, idType, id], args, info, (query, range) =>
          consolidationPageOf(ctx, { network, validatorIndex: null, entity }, query, range),
        );
      },
    },
    ...consolidationPages,
  ),
);

const PendingType = builder.objectRef<QueueRow>('PendingConsolidation');
builder.node(PendingType, {
  description: PendingConsolidation.meta()?.description as string,
  id: { resolve: sourceText, description: 'Global id, for `node`, while it is in the queue.' },
  loadMany: loadNodes('PendingConsolidation', async (id, ctx) => {
    const found = networkNumber(id);
    return (
      found && loadPendingConsolidation(ctx, { network: found.network, sourceValidatorIndex: found.number })
    );
  }),
  fields: (t) => {
    const validator = (side: 'source' | 'target') =>
      t.field({
        type: ValidatorType,
        nullable: true,
        description: `The ${side} validator; null when it is not stored.`,
        resolve: (row, _args, ctx) => loadValidator(ctx, sideOf(row, side)),
      });
    return {
      network: t.expose('network', { type: NetworkEnum, description: 'Network of the validators.' }),
      ...columns(t, PendingConsolidation),
      source: validator('source'),
      target: validator('target'),
    };
  },
});
const pendingPages = pageTypes(PendingType, {
  name: 'PendingConsolidation',
  row: 'An entry of the queue',
  list: 'The queue of consolidations',
});

builder.queryField('pendingConsolidations', (t) =>
  t.connection(
    {
      type: PendingType,
      nullable: true,
      extensions: { operation: 'listConsolidations' },
      description: `The queue of consolidations in the newest state that an index has processed, in its order; empty without an index. ${sizes} REST has no such path.`,
      args: {
        by: t.arg({ type: ValidatorBy, description: 'A validator, on either side.' }),
        ...networkArgs,
      },
      resolve: async (_root, args, ctx: Context, info) => {
        const asked = {
          network: args.network ?? ctx.network,
          validator: args.by == null ? null : readValidatorBy(args.by, ['by']),
        };
        const cursors = integerCursors(() => `pendingConsolidations:${JSON.stringify(asked)}`);
        const range = connectionRange(args, info, { ...CONSOLIDATIONS_SIZES, decode: cursors.read });
        const page = await pendingConsolidations(ctx, asked, range);
        return connection(page, (row) => cursors.of(row.position), page.total);
      },
    },
    ...pendingPages,
  ),
);
