import type { ObjectRef } from '@pothos/core';
import type { Context } from '../../context.ts';
import { builder, type Schema } from '../../graphql/schema/builder.ts';
import { checkSizes, sizesText } from '../../graphql/schema/connection.ts';
import { pageTypes } from '../../graphql/schema/connection-types.ts';
import { replacedBy } from '../../graphql/schema/deprecated.ts';
import { networkArgs } from '../../graphql/schema/enums.ts';
import { checkReplaced } from '../../graphql/schema/replaced.ts';
import { badArgument, collectFaults } from '../../kernel/refusal.ts';
import {
  type OwnedPeriod,
  periodArgs,
  periodFields,
  periodLists,
  periodQuery,
  recordIsNoNode,
  sortedPeriodArgs,
} from '../../periods/graphql.ts';
import { PERIODS_SIZES } from '../../periods/params.ts';
import { checkId, IdTypeEnum, Operator } from '../operators/graphql.ts';
import { loadOperatorNode, type OperatorId } from '../operators/loaders.ts';
import { normaliseId } from '../operators/record.ts';
import { ValidatorType } from '../validators/graphql.ts';
import { type AttestationField, AttestationRecord, sortFields } from './record.ts';
import { attestationPageOf, attestations, validatorAttestations } from './resolve.ts';

const TYPE = 'AttestationRecord';
const AttestationRecordType = builder.objectRef<OwnedPeriod<AttestationRecord>>(TYPE).implement({
  description: `Attestation duties of an operator, private set or validator over a period. ${recordIsNoNode}`,
  fields: (t) => periodFields(t, TYPE, AttestationRecord, 'entityId'),
});

export const addOperator = <Record>(type: ObjectRef<Schema, OwnedPeriod<Record>>) =>
  builder.objectField(type, 'operator', (t) =>
    t.field({
      type: Operator,
      nullable: true,
      description:
        'The operator or private set as an operator; null when it has no summary, as most single validators.',
      resolve: ({ of }, _args, ctx) => (of ? loadOperatorNode(ctx, of.owner as OperatorId) : null),
    }),
  );
addOperator(AttestationRecordType);

const attestationRecordPages = pageTypes(AttestationRecordType, {
  name: TYPE,
  row: 'A period',
  list: 'Attestation duties over time',
});

const queryArgs = sortedPeriodArgs(periodArgs(TYPE, AttestationRecord), AttestationRecord, {
  name: 'AttestationSort',
  fields: sortFields,
});

const sizes = sizesText(PERIODS_SIZES);

const recordsOf = periodLists<AttestationField, AttestationRecord>('attestations', AttestationRecord);

type Read<Row> = (
  ctx: Context,
  row: Row,
  ...asked: Parameters<Parameters<typeof recordsOf>[3]>
) => ReturnType<typeof attestationPageOf>;

export function attestationsOf<Row>(
  type: ObjectRef<Schema, Row, Row>,
  keyOf: (row: Row) => OperatorId,
  description: string,
  read: Read<Row> = (ctx, row, ...asked) => attestationPageOf(ctx, keyOf(row), ...asked),
) {
  builder.objectField(type, 'attestations', (t) =>
    t.connection(
      {
        type: AttestationRecordType,
        nullable: true,
        extensions: { operation: 'listEntityAttestations' },
        description: `${description} ${sizes}`,
        args: queryArgs,
        resolve: (row, args, ctx, info) =>
          recordsOf(keyOf(row), args, info, (...asked) => read(ctx, row, ...asked)),
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

attestationsOf(
  ValidatorType,
  ({ network, validatorIndex }) => ({ network, idType: 'validator', id: String(validatorIndex) }),
  "The validator's own attestation duties over time, from its stored days; there are no hours.",
  validatorAttestations,
);

function either<Args extends object, Name extends keyof Args & string, Old extends keyof Args & string>(
  args: Args,
  name: Name,
  old: Old,
) {
  checkReplaced(args, name, [old]);
  const given = args[name] ?? args[old];
  if (given == null) throw badArgument(name, `${name} is required.`);
  return given;
}

builder.queryField('attestations', (t) =>
  t.connection(
    {
      type: AttestationRecordType,
      nullable: true,
      extensions: { operation: 'listEntityAttestations' },
      description: `Attestation duties of an operator over time. ${sizes} REST: GET /v1/eth/entities/{entity_id}/attestations.`,
      args: {
        operatorId: t.arg.string({ description: 'Name, address, public key or index.' }),
        idType: t.arg({ type: IdTypeEnum, description: 'Class of the operator.' }),
        entityId: t.arg.string({
          deprecationReason: replacedBy('operatorId'),
          description: 'The same as operatorId.',
        }),
        entityType: t.arg({
          type: IdTypeEnum,
          deprecationReason: replacedBy('idType'),
          description: 'The same as idType.',
        }),
        ...networkArgs,
        ...queryArgs,
      },
      resolve: (_root, args, ctx: Context, info) => {
        const [id, idType] = collectFaults(
          () => either(args, 'operatorId', 'entityId'),
          () => either(args, 'idType', 'entityType'),
          () => checkId('operatorId', args.operatorId),
          () => checkId('entityId', args.entityId),
          () => periodQuery(args),
          () => checkSizes(args, PERIODS_SIZES.maxSize),
        );
        const key = { network: args.network ?? ctx.network, idType, id: normaliseId(id) };
        return recordsOf(key, args, info, (...asked) => attestations(ctx, key, ...asked));
      },
    },
    ...attestationRecordPages,
  ),
);
