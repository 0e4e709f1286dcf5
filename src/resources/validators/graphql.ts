import type { Context } from '../../context.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { columns } from '../../graphql/schema/columns.ts';
import { connection, connectionRange } from '../../graphql/schema/connection.ts';
import { pageTypes } from '../../graphql/schema/connection-types.ts';
import { replacedBy } from '../../graphql/schema/deprecated.ts';
import { NetworkEnum, networkArgs, TimeWindowEnum } from '../../graphql/schema/enums.ts';
import { loadNodes, networkNumber } from '../../graphql/schema/nodes.ts';
import { selectedOf } from '../../graphql/schema/selection.ts';
import { ValidatorBy } from '../../graphql/schema/validator-by.ts';
import { Operator } from '../operators/graphql.ts';
import { IN_OPERATOR, operatorFigures } from '../operators/summary.ts';
import { SlashingType } from '../slashings/graphql.ts';
import { loadSlashing } from '../slashings/loaders.ts';
import { loadOperatorValidatorTotal, loadValidator, validatorKeyText } from './loaders.ts';
import type { ValidatorRow } from './queries.ts';
import { Validator, validatorAsked } from './record.ts';
import {
  operatorsOf,
  operatorValidatorCursors,
  operatorValidators,
  VALIDATORS_SIZES,
  validator,
} from './resolve.ts';

export const ValidatorType = builder.objectRef<ValidatorRow>('Validator');
builder.node(ValidatorType, {
  description: 'A validator and the entities it belongs to. GraphQL only: no REST path is documented for it.',
  id: { resolve: validatorKeyText, description: 'Global id, for `node`.' },
  loadMany: loadNodes('Validator', async (id, ctx) => {
    const found = networkNumber(id);
    return found && loadValidator(ctx, { network: found.network, validatorIndex: found.number });
  }),
  fields: (t) => ({
    network: t.expose('network', {
      type: NetworkEnum,
      description: 'Network of the validator.',
    }),
    ...columns(t, Validator),
    slashing: t.field({
      type: SlashingType,
      nullable: true,
      description: 'Its slashing; null when there is none.',
      resolve: (row, _args, ctx) => loadSlashing(ctx, row),
    }),
    operators: t.field({
      type: [Operator],
      extensions: { operation: 'listOperators', rows: 4 },
      description:
        'The operators it belongs to: deposit address, withdrawal address, node operator and pool, in this order.',
      args: {
        window: t.arg({
          type: TimeWindowEnum,
          deprecationReason: replacedBy('summary(window:) of each operator'),
          description: 'Window of the deprecated figures; leaves out operators without a summary in it.',
        }),
      },
      resolve: (row, args, ctx, info) =>
        operatorsOf(ctx, row, args.window ?? null, selectedOf(info, operatorFigures, IN_OPERATOR)),
    }),
  }),
});

const validatorPages = pageTypes(ValidatorType, {
  name: 'Validator',
  row: 'A validator',
  list: 'A list of validators',
});

builder.queryField('validator', (t) =>
  t.field({
    type: ValidatorType,
    nullable: true,
    extensions: { operation: 'validator' },
    description: 'One validator; null when it is not known.',
    args: {
      by: t.arg({ type: ValidatorBy, description: 'The validator; required.' }),
      index: t.arg.int({
        description: 'Index of the validator, >= 0.',
        deprecationReason: replacedBy('by'),
      }),
      pubkey: t.arg.string({
        description: 'Public key of the validator, 0x and 96 hex digits.',
        deprecationReason: replacedBy('by'),
      }),
      ...networkArgs,
    },
    resolve: (_root, { by, index, pubkey, network }, ctx: Context) =>
      validator(
        ctx,
        network ?? ctx.network,
        validatorAsked(by, { index: 'index', pubkey: 'pubkey' }, index, pubkey),
      ),
  }),
);

builder.objectField(SlashingType, 'validator', (t) =>
  t.field({
    type: ValidatorType,
    nullable: true,
    description: 'The slashed validator; null when only its slashing is stored.',
    resolve: (row, _args, ctx) => loadValidator(ctx, row),
  }),
);

builder.objectField(Operator, 'validators', (t) =>
  t.connection(
    {
      type: ValidatorType,
      nullable: true,
      extensions: { operation: 'validators', rows: VALIDATORS_SIZES.defaultSize },
      description: `Its validators by index, independent of its window. Empty for classes other than deposit address, withdrawal address, node operator, pool and pool share. At most ${VALIDATORS_SIZES.maxSize} a page, ${VALIDATORS_SIZES.defaultSize} by default.`,
      resolve: async (operator, args, ctx, info) => {
        const cursors = operatorValidatorCursors(operator);
        const range = connectionRange(args, info, { ...VALIDATORS_SIZES, decode: cursors.read });
        const page = await operatorValidators(ctx, operator, range);
        return connection(
          page,
          (row) => cursors.of(row.validatorIndex),
          () => loadOperatorValidatorTotal(ctx, operator),
        );
      },
    },
    ...validatorPages,
  ),
);
