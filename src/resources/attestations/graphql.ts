import type { InputShapeFromFields } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../context.ts';
import { builder } from '../../graphql/builder.ts';
import { columns } from '../../graphql/columns.ts';
import { type ConnectionArgs, connection, connectionRange } from '../../graphql/connection.ts';
import { NetworkEnum } from '../../graphql/enums.ts';
import { selectedFields } from '../../graphql/selection.ts';
import { decodePosition, encodeCursor } from '../../kernel/cursor.ts';
import { badArgument } from '../../kernel/refusal.ts';
import { checkId, IdTypeEnum, Operator } from '../operators/graphql.ts';
import { normaliseId } from '../operators/record.ts';
import type { AttestationQuery, AttestationRange, AttestationRow, EntityKey } from './queries.ts';
import {
  type AttestationField,
  AttestationRecord,
  attestationFields,
  granularities,
  type SortField,
  sortFields,
} from './record.ts';
import {
  ATTESTATIONS_DEFAULT_SIZE,
  ATTESTATIONS_MAX_SIZE,
  type AttestationPage,
  attestationPageOf,
  attestations,
  checkBounds,
} from './resolve.ts';

const enumName = (value: string) => value.replace(/[A-Z]/g, '_$&').toUpperCase();
const valuesOf = <V extends string>(values: readonly V[], description: (value: V) => string) =>
  Object.fromEntries(
    values.map((value) => [enumName(value), { value, description: description(value) }]),
  ) as Record<string, { value: V; description: string }>;

const lengths: Record<string, string> = {
  hour: 'An hour.',
  day: 'A day of the calendar in use.',
  week: 'An ISO week.',
  month: 'A calendar month.',
  quarter: 'A calendar quarter.',
  year: 'A calendar year.',
  all: 'All in one row.',
};
const GranularityEnum = builder.enumType('Granularity', {
  description: 'The size of time increments.',
  values: valuesOf(granularities, (name) => lengths[name] as string),
});
const AttestationSortEnum = builder.enumType('AttestationSort', {
  description: 'What attestation records are sorted by; ties by period.',
  values: valuesOf(sortFields, (name) => (name === 'day' ? 'The period itself.' : `By ${name}.`)),
});
const SortOrderEnum = builder.enumType('SortOrder', {
  description: 'A sort order.',
  values: {
    ASC: { value: 'asc', description: 'Smallest first.' },
    DESC: { value: 'desc', description: 'Largest first.' },
  } as const,
});

const AttestationRecordType = builder.objectRef<AttestationRow>('AttestationRecord').implement({
  description: "An entity's attestation duties over a period.",
  fields: (t) => ({
    entityId: t.string({
      description: 'Identifier of the entity; `id` in REST.',
      resolve: (row) => row.id as string,
    }),
    ...columns(t, AttestationRecord.omit({ id: true })),
  }),
});
const AttestationRecordEdge = builder.edgeObject({
  type: AttestationRecordType,
  name: 'AttestationRecordEdge',
  description: 'A period and its place in the list.',
});
const AttestationRecordConnection = builder.connectionObject(
  {
    type: AttestationRecordType,
    name: 'AttestationRecordConnection',
    description: 'Attestation duties over time, page by page.',
  },
  AttestationRecordEdge,
);

const queryArgs = builder.args((t) => ({
  granularity: t.field({
    type: GranularityEnum,
    defaultValue: 'day',
    description: 'Size of the time increments.',
  }),
  utc: t.boolean({ defaultValue: false, description: 'By UTC days instead of Ethereum chain days.' }),
  fromDate: t.field({ type: 'Date', description: 'First date, inclusive.' }),
  toDate: t.field({ type: 'Date', description: 'Last date, inclusive.' }),
  fromDay: t.int({ description: 'First day of the calendar in use, inclusive, >= 0.' }),
  toDay: t.int({ description: 'Last day of the calendar in use, inclusive, >= 0.' }),
  sortBy: t.field({ type: AttestationSortEnum, defaultValue: 'day', description: 'What to sort by.' }),
  sortOrder: t.field({ type: SortOrderEnum, defaultValue: 'asc', description: 'Sort order.' }),
}));
type QueryArgs = InputShapeFromFields<typeof queryArgs>;

function queryOf(args: QueryArgs): AttestationQuery {
  for (const name of ['fromDay', 'toDay'] as const) {
    const day = args[name];
    if (day != null && day < 0) throw badArgument(name, `${name} is ${day}; an integer >= 0 is needed.`);
  }
  const query: AttestationQuery = {
    granularity: args.granularity ?? 'day',
    calendar: args.utc ? 'utc' : 'chain',
    fromDate: args.fromDate ?? null,
    toDate: args.toDate ?? null,
    fromDay: args.fromDay ?? null,
    toDay: args.toDay ?? null,
    sortBy: (args.sortBy ?? 'day') as SortField,
    sortOrder: args.sortOrder ?? 'asc',
  };
  checkBounds(query, 'argument');
  return query;
}

/** The fields to read for what is selected; `entityId` is the record's `id`. */
function askedFields(info: GraphQLResolveInfo): AttestationField[] {
  const selected = selectedFields(info, ['edges', 'node'], ['nodes']);
  return attestationFields.filter((name) => selected.has(name === 'id' ? 'entityId' : name));
}

async function attestationConnection(
  key: EntityKey,
  args: QueryArgs & ConnectionArgs,
  info: GraphQLResolveInfo,
  read: (query: AttestationQuery, range: AttestationRange) => Promise<AttestationPage>,
) {
  const query = queryOf(args);
  const name = `attestations:${JSON.stringify([key.network, key.idType, key.id, query])}`;
  const range = connectionRange(args, {
    defaultSize: ATTESTATIONS_DEFAULT_SIZE,
    maxSize: ATTESTATIONS_MAX_SIZE,
    decode: (cursor) => decodePosition(name, cursor, 1)?.[0],
  });
  const page = await read(query, { ...range, counted: selectedFields(info, []).has('totalCount') });
  return connection(
    page,
    (row) => encodeCursor(name, [row.position]),
    () => page.total as number, // counted, since it is selected
  );
}

const sizes = `At most ${ATTESTATIONS_MAX_SIZE} a page, ${ATTESTATIONS_DEFAULT_SIZE} by default.`;

builder.objectField(Operator, 'attestations', (t) =>
  t.connection(
    {
      type: AttestationRecordType,
      extensions: { operation: 'listEntityAttestations', rows: ATTESTATIONS_DEFAULT_SIZE },
      description: `Attestation duties of the operator over time, whatever its window. ${sizes}`,
      args: queryArgs,
      resolve: (row, args, ctx, info) =>
        attestationConnection(row, args, info, (query, range) =>
          attestationPageOf(ctx, row, query, range, askedFields(info)),
        ),
    },
    AttestationRecordConnection,
    AttestationRecordEdge,
  ),
);

builder.queryField('attestations', (t) =>
  t.connection(
    {
      type: AttestationRecordType,
      nullable: true, // so that a refusal leaves the other root fields whole
      extensions: { operation: 'listEntityAttestations', rows: ATTESTATIONS_DEFAULT_SIZE },
      description: `Attestation duties of an entity over time. ${sizes} REST: GET /v1/eth/entities/{entity_id}/attestations.`,
      args: {
        entityId: t.arg.string({ required: true, description: 'Name, address, public key or index.' }),
        entityType: t.arg({ type: IdTypeEnum, required: true, description: 'Class of the entity.' }),
        network: t.arg({
          type: NetworkEnum,
          description: 'Network; default: that of the network header, else MAINNET.',
        }),
        ...queryArgs,
      },
      resolve: (_root, args, ctx: Context, info) => {
        checkId('entityId', args.entityId);
        const key = {
          network: args.network ?? ctx.network,
          idType: args.entityType,
          id: normaliseId(args.entityId),
        };
        return attestationConnection(key, args, info, (query, range) =>
          attestations(ctx, key, query, range, askedFields(info)),
        );
      },
    },
    AttestationRecordConnection,
    AttestationRecordEdge,
  ),
);
