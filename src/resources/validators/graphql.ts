import { isBounded } from '../../chain/bounds.ts';
import type { Context } from '../../context.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { columns } from '../../graphql/schema/columns.ts';
import { type ConnectionArgs, checkSizes, connectionOf, sizesText } from '../../graphql/schema/connection.ts';
import { pagesOf } from '../../graphql/schema/connection-types.ts';
import { type EndArgs, endsOf } from '../../graphql/schema/ends.ts';
import { enumName, enumValues, networkArgs, networkField } from '../../graphql/schema/enums.ts';
import type { Reads } from '../../graphql/schema/field-cost.ts';
import { networkNumber, node } from '../../graphql/schema/nodes.ts';
import { isAscending, orderInput } from '../../graphql/schema/order.ts';
import { ValidatorBy } from '../../graphql/schema/validator-by.ts';
import { badArgument, collectFaults } from '../../kernel/refusal.ts';
import { Operator } from '../operators/graphql.ts';
import { OperatorBy, readOperatorBy } from '../operators/operator-by.ts';
import { sizeOfNamed, sizeOfParent } from '../operators/reads.ts';
import { operatorSelections } from '../operators/summary.ts';
import { SlashingType } from '../slashings/graphql.ts';
import { loadSlashing } from '../slashings/loaders.ts';
import {
  loadNewestEpoch,
  loadOperatorValidators,
  loadOperatorValidatorTotal,
  loadValidator,
  validatorKeyText,
} from './loaders.ts';
import { type ValidatorRow, validatorOrders } from './queries.ts';
import { readValidatorBy, Validator } from './record.ts';
import {
  operatorsOf,
  operatorValidatorCursors,
  totalValidators,
  VALIDATORS_SIZES,
  type ValidatorList,
  validator,
  validatorCursors,
  validators,
  validatorsOf,
} from './resolve.ts';
import { statusOf, type ValidatorStatus, validatorStatuses } from './status.ts';

const statusTexts: Record<ValidatorStatus, string> = {
  pending: 'Has no duties yet: its activation epoch is not known or to come.',
  active: 'Has duties; its exit epoch is not known.',
  exiting: 'Has duties until its exit epoch, which is known. Slashed validators exit too.',
  exited: 'No longer has duties.',
};
const ValidatorStatusEnum = builder.enumType('ValidatorStatus', {
  description:
    'What a validator does at the newest stored epoch of its network: that of the newest slot or active balance. Without one, known epochs count as past.',
  values: enumValues(validatorStatuses, (status) => statusTexts[status]),
});

export const ValidatorType = builder.objectRef<ValidatorRow>('Validator');
node(ValidatorType, {
  description: 'A validator and the entities it belongs to. GraphQL only: no REST path is documented for it.',
  id: validatorKeyText,
  load: async (id, ctx) => {
    const found = networkNumber(id);
    return found && loadValidator(ctx, { network: found.network, validatorIndex: found.number });
  },
  fields: (t) => ({
    network: networkField(t, 'Network of the validator.'),
    ...columns(t, Validator),
    status: t.field({
      type: ValidatorStatusEnum,
      description: 'Its status at the newest stored epoch of the network.',
      resolve: async (row, _args, ctx) => statusOf(row, await loadNewestEpoch(ctx, row.network)),
    }),
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
      resolve: (row, _args, ctx, info) => operatorsOf(ctx, row, operatorSelections.firstBeside(info)),
    }),
  }),
});

const validatorPages = pagesOf(ValidatorType, {
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
      by: t.arg({ type: ValidatorBy, required: true, description: 'The validator.' }),
      ...networkArgs,
    },
    resolve: (_root, { by, network }, ctx: Context) =>
      validator(ctx, network ?? ctx.network, readValidatorBy(by, ['by'])),
  }),
);

const orderTexts = {
  index: 'The index.',
  activationEpoch: 'The activation epoch; epochs that are not known count as the last.',
  exitEpoch: 'The exit epoch; epochs that are not known count as the last.',
};
const ValidatorOrder = orderInput('Validator', validatorOrders, (field) => orderTexts[field]);

const ValidatorWhere = builder.inputType('ValidatorWhere', {
  description: 'Which validators are listed: those that match all fields given.',
  fields: (t) => ({
    operator: t.field({
      type: OperatorBy,
      description:
        'An operator of the validator, such as its withdrawal address; only in the order of indices.',
    }),
    slashed: t.boolean({ description: 'Whether the validator was slashed.' }),
    status: t.field({
      type: ValidatorStatusEnum,
      description:
        'Its status. The order by activation epoch takes PENDING, ACTIVE and EXITING, that by exit epoch EXITING and EXITED.',
    }),
  }),
});

type ListArgs = ConnectionArgs &
  EndArgs & {
    indices?: readonly number[] | null | undefined;
    where?: unknown;
    orderBy?: { field: (typeof validatorOrders)[number] } | null | undefined;
  };

function indicesOf(args: ListArgs): readonly number[] | null {
  const { indices } = args;
  if (indices == null) return null;
  const others = ['where', 'orderBy', 'fromEpoch', 'toEpoch', 'first', 'last', 'after', 'before'] as const;
  const other = others.find((name) => args[name] != null);
  if (other) throw badArgument('indices', `indices cannot be given together with ${other}; give one.`);
  if (indices.length > VALIDATORS_SIZES.maxSize) {
    const msg = `indices has ${indices.length} entries; at most ${VALIDATORS_SIZES.maxSize} are accepted.`;
    throw badArgument('indices', msg);
  }
  const negative = indices.find((index) => index < 0);
  if (negative !== undefined)
    throw badArgument('indices', `indices has ${negative}; integers >= 0 are needed.`);
  return indices;
}

const statusesOf = { activationEpoch: ['pending', 'active', 'exiting'], exitEpoch: ['exiting', 'exited'] };

function epochsOf(args: ListArgs, operator: unknown, status: ValidatorStatus | null) {
  const epochs = endsOf(args, { Epoch: (epoch) => ({ first: epoch, last: epoch }) });
  const field = args.orderBy?.field ?? 'index';
  const given = (['fromEpoch', 'toEpoch'] as const).find((name) => args[name] != null);
  if (given && field === 'index')
    throw badArgument(given, `${given} needs orderBy by ACTIVATION_EPOCH or EXIT_EPOCH.`);
  if (operator && field !== 'index')
    throw badArgument('orderBy', 'orderBy by an epoch cannot be given together with where.operator.');
  if (status && field !== 'index' && !statusesOf[field].includes(status)) {
    const names = statusesOf[field].map(enumName).join(', ');
    const msg = `where.status is ${enumName(status)}; orderBy by ${enumName(field)} needs one of ${names}.`;
    throw badArgument('where', msg);
  }
  return epochs;
}

/** A page of an operator passes over the validators that another filter leaves out. */
const listReads: Reads = ({ args, totals, sizes }) => {
  const { operator, slashed, status } = (args.where ?? {}) as {
    operator?: object;
    slashed?: boolean | null;
    status?: string | null;
  };
  if (args.indices != null || (slashed === true && !operator)) return 0;
  if (!operator) return isBounded(args) ? totals * sizes.validators : 0;
  const isNarrowed = slashed != null || status != null;
  return (totals + Number(isNarrowed)) * sizeOfNamed(sizes, operator);
};

const ownReads: Reads = (of) => of.totals * sizeOfParent(of);

builder.queryField('validators', (t) =>
  validatorPages(t, {
    extensions: { operation: 'validators', reads: listReads },
    description: `Validators, by default ascending by index. ${sizesText(VALIDATORS_SIZES)}`,
    args: {
      indices: t.arg.intList({
        description: `Lists these validators in this order, at most ${VALIDATORS_SIZES.maxSize}, without unknown ones; takes no other argument but network.`,
      }),
      where: t.arg({ type: ValidatorWhere, description: 'Filter; default: all validators.' }),
      fromEpoch: t.arg.int({
        description: 'First epoch, inclusive, >= 0, of the epoch of orderBy.',
      }),
      toEpoch: t.arg.int({ description: 'Last epoch, inclusive, >= 0, of the epoch of orderBy.' }),
      orderBy: t.arg({
        type: ValidatorOrder,
        description: 'The order, ties by index; default: by index, ascending.',
      }),
      ...networkArgs,
    },
    resolve: (_root, args, ctx: Context, info) => {
      const network = args.network ?? ctx.network;
      const { orderBy, where } = args;
      const [indices, operator, epochs] = collectFaults(
        () => indicesOf(args),
        () => readOperatorBy(where?.operator, 'where.operator'),
        () => epochsOf(args, where?.operator, where?.status ?? null),
        () => checkSizes(args, VALIDATORS_SIZES.maxSize),
      );
      const list: ValidatorList = {
        network,
        operator,
        slashed: where?.slashed ?? null,
        status: where?.status ?? null,
        order: {
          field: orderBy?.field ?? 'index',
          ascending: isAscending(orderBy, true),
        },
        epochs,
      };
      return connectionOf(args, info, {
        ...VALIDATORS_SIZES,
        cursors: validatorCursors(list),
        read: async (range) =>
          indices
            ? { rows: await validatorsOf(ctx, network, indices), hasNext: false, hasPrevious: false }
            : validators(ctx, list, range),
        total: ({ rows }) => (indices ? rows.length : totalValidators(ctx, list)),
      });
    },
  }),
);

builder.objectField(SlashingType, 'operators', (t) =>
  t.field({
    type: [Operator],
    extensions: { operation: 'listOperators', rows: 4 },
    description:
      'The operators of the slashed validator: deposit address, withdrawal address, node operator and pool, in this order; empty when only its slashing is stored.',
    resolve: async (row, _args, ctx, info) => {
      const found = await loadValidator(ctx, row);
      return found ? operatorsOf(ctx, found, operatorSelections.firstBeside(info)) : [];
    },
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

const OperatorValidatorOrder = orderInput(
  'OperatorValidator',
  ['index'],
  () => 'The index of the validator.',
);

builder.objectField(Operator, 'validators', (t) =>
  validatorPages(t, {
    extensions: { operation: 'validators', reads: ownReads },
    description: `Its validators, by default ascending by index. Empty for classes other than deposit address, withdrawal address, node operator, pool and pool share. ${sizesText(VALIDATORS_SIZES)}`,
    args: {
      orderBy: t.arg({
        type: OperatorValidatorOrder,
        description: 'The order; default: by index, ascending.',
      }),
    },
    resolve: (operator, args, ctx, info) => {
      const ascending = isAscending(args.orderBy, true);
      return connectionOf(args, info, {
        ...VALIDATORS_SIZES,
        cursors: operatorValidatorCursors(operator, ascending),
        read: (range) => loadOperatorValidators(ctx, operator, { ...range, ascending }),
        total: () => loadOperatorValidatorTotal(ctx, operator),
      });
    },
  }),
);
