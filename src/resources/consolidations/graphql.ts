import type { InputShapeFromFields } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../context.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { columns, exposed, type FieldsOf, renamed } from '../../graphql/schema/columns.ts';
import {
  type ConnectionArgs,
  checkSizes,
  connection,
  connectionRange,
} from '../../graphql/schema/connection.ts';
import { pageTypes } from '../../graphql/schema/connection-types.ts';
import { enumName, enumValues, NetworkEnum, networkArgs, SortOrderEnum } from '../../graphql/schema/enums.ts';
import { rangeArgs, rangeOf } from '../../graphql/schema/range.ts';
import type { Range } from '../../kernel/page.ts';
import { badArgument, collectFaults, quoted } from '../../kernel/refusal.ts';
import { checkId, IdTypeEnum, Operator } from '../operators/graphql.ts';
import type { IdType } from '../operators/record.ts';
import { ValidatorType } from '../validators/graphql.ts';
import { loadValidator } from '../validators/loaders.ts';
import { readValidatorName } from '../validators/record.ts';
import { loadEntities } from './loaders.ts';
import {
  Consolidation,
  ConsolidationEntity,
  type ConsolidationSortField,
  consolidationSortFields,
  EntityClass,
  entityClasses,
} from './record.ts';
import {
  CONSOLIDATIONS_SIZES,
  type ConsolidationArgs,
  type ConsolidationPage,
  type ConsolidationRow,
  consolidationCursor,
  consolidationPageOf,
  consolidationPosition,
  consolidations,
} from './resolve.ts';

const times = ['day', 'date', 'epoch', 'timestamp'];
const ConsolidationSortEnum = builder.enumType('ConsolidationSort', {
  description: 'What consolidations are sorted by; ties by epoch and source validator index.',
  values: enumValues(consolidationSortFields, (name) => (times.includes(name) ? 'By time.' : `By ${name}.`)),
});

export const entityFields = <Row extends ConsolidationEntity>(t: FieldsOf<Row>) => ({
  entityId: renamed(t, 'id', 'Name or address of the entity; `id` in REST.'),
  idType: exposed(t, 'idType', {
    type: IdTypeEnum,
    description: 'Class of the entity.',
  }),
});

const ConsolidationEntityType = builder.objectRef<ConsolidationEntity>('ConsolidationEntity').implement({
  description: ConsolidationEntity.meta()?.description as string,
  fields: (t) => entityFields(t),
});

const sideOf = (row: ConsolidationRow, side: 'source' | 'target') => ({
  network: row.network,
  validatorIndex: side === 'source' ? row.sourceValidatorIndex : row.targetValidatorIndex,
});

const ConsolidationType = builder.objectRef<ConsolidationRow>('Consolidation').implement({
  description: Consolidation.meta()?.description as string,
  fields: (t) => {
    const entities = (side: 'source' | 'target') =>
      t.field({
        type: [ConsolidationEntityType],
        description: Consolidation.shape[`${side}Entities`].description as string,
        resolve: (row, _args, ctx) => loadEntities(ctx, sideOf(row, side)),
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
  sortBy: t.field({ type: ConsolidationSortEnum, defaultValue: 'day', description: 'What to sort by.' }),
  sortOrder: t.field({
    type: SortOrderEnum,
    defaultValue: 'asc',
    description: 'Sort order; DESC also reverses ties.',
  }),
}));

const queryOf = (args: InputShapeFromFields<typeof queryArgs>) => ({
  ...rangeOf(args),
  sortBy: (args.sortBy ?? 'day') as ConsolidationSortField,
  sortOrder: args.sortOrder ?? 'asc',
});

/** Cursors depend on `of`, which identifies the list together with `args`. */
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

const sizes = `At most ${CONSOLIDATIONS_SIZES.maxSize} a page, ${CONSOLIDATIONS_SIZES.defaultSize} by default.`;

/** Throws BAD_INPUT for a class that no validator belongs to. */
export function entityClassOf(idType: IdType) {
  const known = EntityClass.safeParse(idType).data;
  if (known) return known;
  const msg = `entityType is ${enumName(idType)}; one of ${entityClasses.map(enumName).join(', ')} is needed.`;
  throw badArgument('entityType', msg);
}

function entityOf(entityId: string | null | undefined, entityType: IdType | null | undefined) {
  if (entityId == null && entityType == null) return null;
  if (entityId == null) throw badArgument('entityId', 'entityId is required together with entityType.');
  if (entityType == null) throw badArgument('entityType', 'entityType is required together with entityId.');
  checkId('entityId', entityId);
  return { id: entityId, idType: entityClassOf(entityType) };
}

function validatorOf(text: string | null | undefined) {
  if (text == null) return null;
  const found = readValidatorName(text);
  if (!found) {
    const msg = `validator is ${quoted(text)}; the index or the public key of a validator is needed.`;
    throw badArgument('validator', msg);
  }
  return found;
}

builder.queryField('consolidations', (t) =>
  t.connection(
    {
      type: ConsolidationType,
      nullable: true,
      extensions: { operation: 'listConsolidations', rows: CONSOLIDATIONS_SIZES.defaultSize },
      description: `Processed consolidations, oldest first. ${sizes} REST: GET /v1/eth/validators/consolidations.`,
      args: {
        validator: t.arg.string({ description: 'Index or public key of a validator, on either side.' }),
        entityId: t.arg.string({ description: 'Entity of a validator on either side; with entityType.' }),
        entityType: t.arg({
          type: IdTypeEnum,
          description: 'Class of that entity, with entityId; only classes that validators belong to.',
        }),
        ...networkArgs,
        ...queryArgs,
      },
      resolve: (_root, args, ctx: Context, info) => {
        const [validator, entity] = collectFaults(
          () => validatorOf(args.validator),
          () => entityOf(args.entityId, args.entityType),
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
      extensions: { operation: 'listConsolidations', rows: CONSOLIDATIONS_SIZES.defaultSize },
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
      extensions: { operation: 'listConsolidations', rows: CONSOLIDATIONS_SIZES.defaultSize },
      description: `Consolidations of its validators, as source or as target, oldest first, independent of its window; empty for classes that validators do not belong to. ${sizes}`,
      args: queryArgs,
      resolve: ({ network, idType, id }, args, ctx, info) => {
        // Other classes match no rows.
        const entity = { idType: idType as EntityClass, id };
        return consolidationConnection([network, idType, id], args, info, (query, range) =>
          consolidationPageOf(ctx, { network, validatorIndex: null, entity }, query, range),
        );
      },
    },
    ...consolidationPages,
  ),
);
