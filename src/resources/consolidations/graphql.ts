import type { InputShapeFromFields, ObjectRef } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import type { Calendar } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import { builder, type Schema } from '../../graphql/schema/builder.ts';
import { columns, exposed, type FieldsOf, renamed } from '../../graphql/schema/columns.ts';
import { type ConnectionArgs, checkSizes, connectionOf, sizesText } from '../../graphql/schema/connection.ts';
import { pagesOf } from '../../graphql/schema/connection-types.ts';
import { enumName, networkArgs, networkField } from '../../graphql/schema/enums.ts';
import { networkNumber, node } from '../../graphql/schema/nodes.ts';
import { isAscending, orderInput, orderOf } from '../../graphql/schema/order.ts';
import { rangeArgs, rangeOf } from '../../graphql/schema/range.ts';
import { ValidatorBy } from '../../graphql/schema/validator-by.ts';
import { integerCursors } from '../../kernel/cursor.ts';
import type { Range } from '../../kernel/page.ts';
import { badArgument, collectFaults } from '../../kernel/refusal.ts';
import { checkId, IdTypeEnum, Operator } from '../operators/graphql.ts';
import { loadOperatorNode } from '../operators/loaders.ts';
import type { IdType } from '../operators/record.ts';
import type { SetKey } from '../private-sets/set-days.ts';
import { ValidatorType } from '../validators/graphql.ts';
import { loadValidator } from '../validators/loaders.ts';
import { readValidatorBy, type ValidatorNames } from '../validators/record.ts';
import {
  loadEntities,
  loadPendingConsolidation,
  loadStoredConsolidationEpochs,
  type QueueRow,
  sourceText,
} from './loaders.ts';
import {
  Consolidation,
  ConsolidationEntity,
  type ConsolidationSortField,
  EntityClass,
  entityClasses,
  PendingConsolidation,
} from './record.ts';
import {
  CONSOLIDATIONS_SIZES,
  type ConsolidationArgs,
  type ConsolidationPage,
  type ConsolidationRow,
  consolidationCursors,
  consolidationOf,
  consolidationPageOf,
  consolidations,
  consolidationsOfSet,
  pendingConsolidations,
} from './resolve.ts';

const orderFields = ['epoch', 'sourceValidatorIndex', 'targetValidatorIndex', 'consolidatedBalance'] as const;
const ConsolidationOrder = orderInput('Consolidation', orderFields, (name) =>
  name === 'epoch' ? 'By time.' : `By ${name}.`,
);

export const operatorKeyFields = <Row extends ConsolidationEntity & { network: Network }>(
  t: FieldsOf<Row>,
) => ({
  operator: t.field({
    type: Operator,
    nullable: true,
    description: 'The operator; null when no summary of it is stored.',
    resolve: ({ network, idType, id }, _args, ctx) => loadOperatorNode(ctx, { network, idType, id }),
  }),
  operatorId: renamed(t, 'id', 'Name or address of the operator; `id` in REST.'),
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
node(ConsolidationType, {
  description: Consolidation.meta()?.description as string,
  // The global id contains the calendar, because the row's day and date depend on it.
  id: (row) => `${row.calendar}:${row.network}:${row.sourceValidatorIndex}`,
  load: async (id, ctx) => {
    const [, calendar, source = ''] = /^(chain|utc):(.+)$/.exec(id) ?? [];
    const key = networkNumber(source);
    return key && consolidationOf(ctx, key.network, key.number, calendar as Calendar);
  },
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
      network: networkField(t, 'Network of the validators.'),
      ...columns(t, Consolidation),
      sourceEntities: entities('source'),
      targetEntities: entities('target'),
      source: validator('source'),
      target: validator('target'),
    };
  },
});
const consolidationPages = pagesOf(ConsolidationType, {
  name: 'Consolidation',
  row: 'A consolidation',
  list: 'A list of consolidations',
  stored: 'epoch',
});

const queryArgs = builder.args((t) => ({
  ...rangeArgs,
  orderBy: t.field({
    type: ConsolidationOrder,
    description:
      'The order; default: newest first. Ties by epoch and source validator index, in the same direction.',
  }),
}));

function readQuery(args: InputShapeFromFields<typeof queryArgs>) {
  const [bounds, order] = collectFaults(
    () => rangeOf(args),
    () => orderOf<ConsolidationSortField>(args.orderBy, 'epoch'),
  );
  return { ...bounds, sortBy: order.field, sortOrder: order.direction };
}

/** Cursors contain `of.list` and `args`, so that other lists refuse them. */
function consolidationConnection(
  ctx: Context,
  of: { network: Network; list: unknown[] },
  args: InputShapeFromFields<typeof queryArgs> & ConnectionArgs,
  info: GraphQLResolveInfo,
  read: (query: ConsolidationArgs, range: Range<string[]>) => Promise<ConsolidationPage>,
) {
  const query = readQuery(args);
  return connectionOf(args, info, {
    ...CONSOLIDATIONS_SIZES,
    cursors: consolidationCursors(`consolidations:${JSON.stringify([of.list, query])}`, query.sortBy),
    read: (range) => read(query, range),
    total: (page) => page.total(),
    stored: () => loadStoredConsolidationEpochs(ctx, of),
  });
}

const sizes = sizesText(CONSOLIDATIONS_SIZES);

export function entityClassOf(idType: IdType) {
  const known = EntityClass.safeParse(idType).data;
  if (known) return known;
  const msg = `idType is ${enumName(idType)}; one of ${entityClasses.map(enumName).join(', ')} is needed.`;
  throw badArgument('idType', msg);
}

const operatorArgs = builder.args((t) => ({
  operatorId: t.string({ description: 'Operator of a validator on either side; with idType.' }),
  idType: t.field({
    type: IdTypeEnum,
    description: 'Class of that operator, with operatorId; only classes that validators belong to.',
  }),
}));

function operatorOf({ operatorId: id, idType }: InputShapeFromFields<typeof operatorArgs>) {
  if (id == null && idType == null) return null;
  if (id == null) throw badArgument('operatorId', 'operatorId is required together with idType.');
  if (idType == null) throw badArgument('idType', 'idType is required together with operatorId.');
  checkId('operatorId', id);
  return { id, idType: entityClassOf(idType) };
}

const validatorOf = (by: ValidatorNames | null | undefined) =>
  by == null ? null : readValidatorBy(by, ['by']);

builder.queryField('consolidations', (t) =>
  consolidationPages(t, {
    extensions: { operation: 'listConsolidations' },
    description: `Processed consolidations, by default newest first. ${sizes} REST: GET /v1/eth/validators/consolidations.`,
    args: {
      by: t.arg({ type: ValidatorBy, description: 'A validator, on either side.' }),
      ...operatorArgs,
      ...networkArgs,
      ...queryArgs,
    },
    resolve: (_root, args, ctx: Context, info) => {
      const [validator, entity] = collectFaults(
        () => validatorOf(args.by),
        () => operatorOf(args),
        () => readQuery(args),
        () => checkSizes(args, CONSOLIDATIONS_SIZES.maxSize),
      );
      const filter = { network: args.network ?? ctx.network, validator, entity };
      return consolidationConnection(
        ctx,
        { network: filter.network, list: [filter] },
        args,
        info,
        (query, range) => consolidations(ctx, filter, query, range),
      );
    },
  }),
);

builder.objectField(ValidatorType, 'consolidations', (t) =>
  consolidationPages(t, {
    extensions: { operation: 'listConsolidations' },
    description: `Its consolidations, as source or as target, by default newest first. ${sizes}`,
    args: queryArgs,
    resolve: ({ network, validatorIndex }, args, ctx, info) =>
      consolidationConnection(ctx, { network, list: [network, validatorIndex] }, args, info, (query, range) =>
        consolidationPageOf(ctx, { network, validatorIndex, entity: null }, query, range),
      ),
  }),
);

builder.objectField(Operator, 'consolidations', (t) =>
  consolidationPages(t, {
    extensions: { operation: 'listConsolidations' },
    description: `Consolidations of its validators, as source or as target, by default newest first; empty for classes that validators do not belong to. ${sizes}`,
    args: queryArgs,
    resolve: ({ network, idType, id }, args, ctx, info) => {
      const entity = { idType: idType as EntityClass, id };
      return consolidationConnection(
        ctx,
        { network, list: [network, idType, id] },
        args,
        info,
        (query, range) => consolidationPageOf(ctx, { network, validatorIndex: null, entity }, query, range),
      );
    },
  }),
);

/**
 * Adds the consolidations of private sets, of which the caller has found only those of the account. Each of the validators is
 * looked up, and `countMembers` tells how many there are.
 */
export const consolidationsOfSets = <Set extends SetKey>(
  owner: ObjectRef<Schema, Set, Set>,
  countMembers: (ctx: Context, set: Set) => Promise<number>,
) =>
  builder.objectField(owner, 'consolidations', (t) =>
    consolidationPages(t, {
      extensions: { operation: 'listConsolidations' },
      description: `Consolidations of the validators that are in it now, as source or as target, by default newest first. ${sizes} REST has no such path.`,
      args: queryArgs,
      resolve: async (set, args, ctx, info) => {
        const key = { network: set.network, id: set.id };
        const members = await countMembers(ctx, set);
        return consolidationConnection(
          ctx,
          { network: key.network, list: ['set', key] },
          args,
          info,
          (query, range) => consolidationsOfSet(ctx, key, members, query, range),
        );
      },
    }),
  );

const PendingType = builder.objectRef<QueueRow>('PendingConsolidation');
node(PendingType, {
  description: PendingConsolidation.meta()?.description as string,
  id: sourceText,
  idDescription: 'Global id, for `node`, while it is in the queue.',
  load: async (id, ctx) => {
    const found = networkNumber(id);
    return (
      found && loadPendingConsolidation(ctx, { network: found.network, sourceValidatorIndex: found.number })
    );
  },
  fields: (t) => {
    const validator = (side: 'source' | 'target') =>
      t.field({
        type: ValidatorType,
        nullable: true,
        description: `The ${side} validator; null when it is not stored.`,
        resolve: (row, _args, ctx) => loadValidator(ctx, sideOf(row, side)),
      });
    return {
      network: networkField(t, 'Network of the validators.'),
      ...columns(t, PendingConsolidation),
      source: validator('source'),
      target: validator('target'),
    };
  },
});
const PendingOrder = orderInput('PendingConsolidation', ['position'], () => 'The place in the queue.');
const pendingPages = pagesOf(PendingType, {
  name: 'PendingConsolidation',
  row: 'An entry of the queue',
  list: 'The queue of consolidations',
});

builder.queryField('pendingConsolidations', (t) =>
  pendingPages(t, {
    extensions: { operation: 'listConsolidations' },
    description: `The queue of consolidations in the newest state that an index has processed, by default the first in it first; empty without an index. ${sizes} REST has no such path.`,
    args: {
      by: t.arg({ type: ValidatorBy, description: 'A validator, on either side.' }),
      orderBy: t.arg({
        type: PendingOrder,
        description: 'The order; default: by position, ascending.',
      }),
      ...networkArgs,
    },
    resolve: (_root, args, ctx: Context, info) => {
      const filter = {
        network: args.network ?? ctx.network,
        validator: validatorOf(args.by),
      };
      const ascending = isAscending(args.orderBy, true);
      return connectionOf(args, info, {
        ...CONSOLIDATIONS_SIZES,
        cursors: integerCursors(
          () => `pendingConsolidations:${JSON.stringify([filter, ascending])}`,
          (row: QueueRow) => row.position,
        ),
        read: (range) => pendingConsolidations(ctx, filter, { ...range, ascending }),
        total: (page) => page.total(),
      });
    },
  }),
);
