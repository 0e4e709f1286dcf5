import type { ObjectRef } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../context.ts';
import { type Selection, selectionFor } from '../../fast-rows/index.ts';
import { builder, type Types } from '../../graphql/schema/builder.ts';
import { columns, renamed } from '../../graphql/schema/columns.ts';
import {
  type ConnectionArgs,
  checkSizes,
  connection,
  connectionRange,
} from '../../graphql/schema/connection.ts';
import { pageTypes } from '../../graphql/schema/connection-types.ts';
import { networkArgs } from '../../graphql/schema/enums.ts';
import { IN_PAGE } from '../../graphql/schema/selection.ts';
import { integerCursors } from '../../kernel/cursor.ts';
import type { Range } from '../../kernel/page.ts';
import { collectFaults } from '../../kernel/refusal.ts';
import { type PeriodArgs, periodArgs, periodQuery } from '../../periods/graphql.ts';
import { PERIODS_SIZES } from '../../periods/params.ts';
import { checkId, IdTypeEnum, Operator } from '../operators/graphql.ts';
import { normaliseId } from '../operators/record.ts';
import type { AttestationQuery, AttestationRow, EntityKey } from './queries.ts';
import {
  type AttestationField,
  AttestationRecord,
  attestationFields,
  type SortField,
  sortFields,
} from './record.ts';
import { type AttestationPage, attestationPageOf, attestations } from './resolve.ts';

const AttestationRecordType = builder.objectRef<AttestationRow>('AttestationRecord').implement({
  description: "An entity's attestation duties over a period.",
  fields: (t) => ({
    entityId: renamed(t, 'id', 'Identifier of the entity; `id` in REST.'),
    ...columns(t, AttestationRecord.omit({ id: true })),
  }),
});
const attestationRecordPages = pageTypes(AttestationRecordType, {
  name: 'AttestationRecord',
  row: 'A period',
  list: 'Attestation duties over time',
});

const queryArgs = periodArgs('AttestationSort', 'attestation records', sortFields);
type QueryArgs = PeriodArgs;
type SchemaTypes = PothosSchemaTypes.ExtendDefaultTypes<Types>;

/** The record's fields that the selection needs; `entityId` is the record's `id`. */
const selectionOf = (info: GraphQLResolveInfo): Selection<AttestationField> =>
  selectionFor(info, attestationFields, IN_PAGE, 'entityId');

async function attestationConnection(
  key: EntityKey,
  args: QueryArgs & ConnectionArgs,
  info: GraphQLResolveInfo,
  read: (query: AttestationQuery, range: Range<number>) => Promise<AttestationPage>,
) {
  const query = periodQuery<SortField>(args);
  const cursors = integerCursors(
    () => `attestations:${JSON.stringify([key.network, key.idType, key.id, query])}`,
  );
  const range = connectionRange(args, info, { ...PERIODS_SIZES, decode: cursors.read });
  const page = await read(query, range);
  return connection(
    page,
    (row) => cursors.of(row.position),
    () => page.total as number,
  );
}

const sizes = `At most ${PERIODS_SIZES.maxSize} a page, ${PERIODS_SIZES.defaultSize} by default.`;

export function attestationsOf<Row>(
  type: ObjectRef<SchemaTypes, Row, Row>,
  keyOf: (row: Row) => EntityKey,
  description: string,
) {
  builder.objectField(type, 'attestations', (t) =>
    t.connection(
      {
        type: AttestationRecordType,
        nullable: true,
        extensions: { operation: 'listEntityAttestations', rows: PERIODS_SIZES.defaultSize },
        description: `${description} ${sizes}`,
        args: queryArgs,
        resolve: (row, args, ctx, info) => {
          const key = keyOf(row);
          return attestationConnection(key, args, info, (query, range) =>
            attestationPageOf(ctx, key, query, range, selectionOf(info)),
          );
        },
      },
      ...attestationRecordPages,
    ),
  );
}

attestationsOf(
  Operator,
  (row) => row,
  'Attestation duties of the operator over time, independent of its window.',
);

builder.queryField('attestations', (t) =>
  t.connection(
    {
      type: AttestationRecordType,
      nullable: true,
      extensions: { operation: 'listEntityAttestations', rows: PERIODS_SIZES.defaultSize },
      description: `Attestation duties of an entity over time. ${sizes} REST: GET /v1/eth/entities/{entity_id}/attestations.`,
      args: {
        entityId: t.arg.string({ required: true, description: 'Name, address, public key or index.' }),
        entityType: t.arg({ type: IdTypeEnum, required: true, description: 'Class of the entity.' }),
        ...networkArgs,
        ...queryArgs,
      },
      resolve: (_root, args, ctx: Context, info) => {
        collectFaults(
          () => checkId('entityId', args.entityId),
          () => periodQuery<SortField>(args),
          () => checkSizes(args, PERIODS_SIZES.maxSize),
        );
        const key = {
          network: args.network ?? ctx.network,
          idType: args.entityType,
          id: normaliseId(args.entityId),
        };
        return attestationConnection(key, args, info, (query, range) =>
          attestations(ctx, key, query, range, selectionOf(info)),
        );
      },
    },
    ...attestationRecordPages,
  ),
);
