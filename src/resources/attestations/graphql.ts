import type { ObjectRef } from '@pothos/core';
import type { Context } from '../../context.ts';
import { builder, type Schema } from '../../graphql/schema/builder.ts';
import { sizesText } from '../../graphql/schema/connection.ts';
import { networkArgs } from '../../graphql/schema/enums.ts';
import { periodType } from '../../periods/graphql.ts';
import { PERIODS_SIZES } from '../../periods/params.ts';
import { storedDates } from '../../periods/stored.ts';
import { checkId, IdTypeEnum, Operator, operatorOfPeriod } from '../operators/graphql.ts';
import type { OperatorId } from '../operators/loaders.ts';
import { normaliseId } from '../operators/record.ts';
import { ValidatorType } from '../validators/graphql.ts';
import { type AttestationField, AttestationRecord } from './record.ts';
import { attestationPageOf, attestations, storedAttestations, validatorAttestations } from './resolve.ts';

const periods = periodType<AttestationField, AttestationRecord>('AttestationRecord', AttestationRecord, {
  description: 'Attestation duties of an operator, private set or validator over a period.',
  list: 'Attestation duties over time',
  cursors: 'attestations',
  operator: operatorOfPeriod,
});

const sizes = sizesText(PERIODS_SIZES);

type Read<Row> = (
  ctx: Context,
  row: Row,
  ...page: Parameters<Parameters<typeof periods.read>[3]['read']>
) => ReturnType<typeof attestationPageOf>;

export function attestationsOf<Row>(
  type: ObjectRef<Schema, Row, Row>,
  keyOf: (row: Row) => OperatorId,
  description: string,
  read: Read<Row> = (ctx, row, ...page) => attestationPageOf(ctx, keyOf(row), ...page),
  stored: (
    ...page: Parameters<typeof storedAttestations>
  ) => ReturnType<typeof storedDates> = storedAttestations,
) {
  builder.objectField(type, 'attestations', (t) =>
    periods.pages(t, {
      extensions: { operation: 'listEntityAttestations' },
      description: `${description} ${sizes}`,
      args: periods.args,
      resolve: (row, args, ctx, info) =>
        periods.read(keyOf(row), args, info, {
          read: (...page) => read(ctx, row, ...page),
          stored: (query) => stored(ctx, keyOf(row), query),
        }),
    }),
  );
}

attestationsOf(Operator, (row) => row, 'Attestation duties of the operator over time.');

attestationsOf(
  ValidatorType,
  ({ network, validatorIndex }) => ({ network, idType: 'validator', id: String(validatorIndex) }),
  "The validator's own attestation duties over time, from its stored days; there are no hours.",
  validatorAttestations,
  storedDates,
);

builder.queryField('attestations', (t) =>
  periods.pages(t, {
    extensions: { operation: 'listEntityAttestations' },
    description: `Attestation duties of an operator over time. ${sizes} REST: GET /v1/eth/entities/{entity_id}/attestations.`,
    args: {
      operatorId: t.arg.string({ required: true, description: 'Name, address, public key or index.' }),
      idType: t.arg({ type: IdTypeEnum, required: true, description: 'Class of the operator.' }),
      ...networkArgs,
      ...periods.args,
    },
    resolve: (_root, args, ctx: Context, info) => {
      const { idType, operatorId } = args;
      const key = { network: args.network ?? ctx.network, idType, id: normaliseId(operatorId) };
      return periods.read(
        key,
        args,
        info,
        {
          read: (...page) => attestations(ctx, key, ...page),
          stored: (query) => storedAttestations(ctx, key, query),
        },
        () => checkId('operatorId', operatorId),
      );
    },
  }),
);
