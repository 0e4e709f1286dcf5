import type { InputShapeFromFields, ObjectRef } from '@pothos/core';
import { dateOfDay, dayOfDate, dayOfEpoch, epochsOfDay } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import { builder, type Schema } from '../../graphql/schema/builder.ts';
import { columns } from '../../graphql/schema/columns.ts';
import { checkSizes, connectionOf, sizesText } from '../../graphql/schema/connection.ts';
import { pagesOf } from '../../graphql/schema/connection-types.ts';
import { type EndArgs, endArgs, endsOf } from '../../graphql/schema/ends.ts';
import { networkArgs, networkField } from '../../graphql/schema/enums.ts';
import { networkNumber, node } from '../../graphql/schema/nodes.ts';
import { orderInput, orderOf } from '../../graphql/schema/order.ts';
import { ValidatorBy } from '../../graphql/schema/validator-by.ts';
import { badArgument, collectFaults } from '../../kernel/refusal.ts';
import { periodType } from '../../periods/graphql.ts';
import { PERIODS_SIZES } from '../../periods/params.ts';
import { datesOf } from '../../periods/stored.ts';
import { Operator } from '../operators/graphql.ts';
import { OperatorBy, readOperatorBy } from '../operators/operator-by.ts';
import type { SetKey } from '../private-sets/set-days.ts';
import { readValidatorBy } from '../validators/record.ts';
import {
  loadOperatorSlashingTotal,
  loadSetSlashingTotal,
  loadSlashing,
  loadStoredSlashingEpochs,
} from './loaders.ts';
import { type SlashingList, type SlashingRow, slashingOrders } from './queries.ts';
import { Slashing, SlashingRecord, type SlashingRecordField } from './record.ts';
import {
  operatorSlashingCursors,
  operatorSlashings,
  SLASHINGS_SIZES,
  setSlashingCursors,
  slashing,
  slashingCursors,
  slashingHistory,
  slashings,
  slashingsOfSet,
  totalSlashings,
} from './resolve.ts';

export const SlashingType = builder.objectRef<SlashingRow>('Slashing');
node(SlashingType, {
  description: 'A slashed validator and its penalties.',
  id: (row) => `${row.network}:${row.validatorIndex}`,
  load: async (id, ctx) => {
    const found = networkNumber(id);
    return found && loadSlashing(ctx, { network: found.network, validatorIndex: found.number });
  },
  fields: (t) => ({
    network: networkField(t, 'Network of the validator.'),
    ...columns(t, Slashing),
    date: t.field({
      type: 'Date',
      description: 'UTC date on which slashingEpoch starts.',
      resolve: ({ network, slashingEpoch }) => dateOfDay(network, dayOfEpoch(network, 'utc', slashingEpoch)),
    }),
  }),
});

const slashingPages = pagesOf(SlashingType, {
  name: 'Slashing',
  row: 'A slashing',
  list: 'A list of slashings',
  stored: 'epoch',
});

const SlashingOrder = orderInput(
  'Slashing',
  slashingOrders,
  (field) => ({ epoch: 'By slashingEpoch.', penalty: 'By slashingPenalties.' })[field],
);

const orderArg = builder.args((t) => ({
  orderBy: t.field({
    type: SlashingOrder,
    description: 'The order, ties by validator index in the same direction; default: newest first.',
  }),
}));
function slashingOrderOf(args: InputShapeFromFields<typeof orderArg>): SlashingList['order'] {
  const { field, direction } = orderOf(args.orderBy, 'epoch');
  return { field, ascending: direction === 'asc' };
}

const SlashingWhere = builder.inputType('SlashingWhere', {
  description: 'Which slashings are listed: those that match all fields given.',
  fields: (t) => ({
    operator: t.field({ type: OperatorBy, description: 'An operator of the validator.' }),
    minPenalty: t.field({ type: 'BigInt', description: 'Smallest slashingPenalties, in Gwei, inclusive.' }),
    maxPenalty: t.field({ type: 'BigInt', description: 'Largest slashingPenalties, in Gwei, inclusive.' }),
  }),
});

/** A slashing belongs to the UTC date on which its epoch starts. */
const epochsOf = (network: Network, args: EndArgs) =>
  endsOf(args, {
    Epoch: (epoch) => ({ first: epoch, last: epoch }),
    Day: (day) => epochsOfDay(network, 'chain', day),
    Date: (date) => epochsOfDay(network, 'utc', dayOfDate(network, date)),
  });

const whereOf = (where: typeof SlashingWhere.$inferInput | null | undefined) => {
  const [operator, penalties] = collectFaults(
    () => readOperatorBy(where?.operator, 'where.operator'),
    () => penaltiesOf(where ?? {}),
  );
  return { operator, ...penalties };
};

function penaltiesOf(where: {
  minPenalty?: string | null | undefined;
  maxPenalty?: string | null | undefined;
}) {
  const [minPenalty, maxPenalty] = [where.minPenalty ?? null, where.maxPenalty ?? null];
  if (minPenalty !== null && maxPenalty !== null && BigInt(minPenalty) > BigInt(maxPenalty)) {
    const msg = `where.minPenalty is ${minPenalty}, above where.maxPenalty ${maxPenalty}.`;
    throw badArgument('where', msg, 'range');
  }
  return { minPenalty, maxPenalty };
}

builder.queryField('slashings', (t) =>
  slashingPages(t, {
    extensions: { operation: 'listSlashings' },
    description: `Slashed validators, by default newest first. ${sizesText(SLASHINGS_SIZES)} REST: GET /v0/eth/slashings.`,
    args: {
      where: t.arg({ type: SlashingWhere, description: 'Filter; default: all slashings.' }),
      ...endArgs.Date,
      ...endArgs.Day,
      ...endArgs.Epoch,
      ...orderArg,
      ...networkArgs,
    },
    resolve: async (_root, args, ctx: Context, info) => {
      const network = args.network ?? ctx.network;
      const { where } = args;
      const [filter, epochs] = collectFaults(
        () => whereOf(where),
        () => epochsOf(network, args),
        () => checkSizes(args, SLASHINGS_SIZES.maxSize),
      );
      const list: SlashingList = {
        network,
        epochs,
        where: filter,
        order: slashingOrderOf(args),
      };
      return connectionOf(args, info, {
        ...SLASHINGS_SIZES,
        cursors: slashingCursors(list),
        read: (range) => slashings(ctx, list, range),
        total: () => totalSlashings(ctx, list),
        stored: () => loadStoredSlashingEpochs(ctx, { network }),
      });
    },
  }),
);

const periods = periodType<SlashingRecordField, SlashingRecord>('SlashingRecord', SlashingRecord, {
  description: 'Slashings of a period.',
  list: 'Slashings over time',
  cursors: 'slashingHistory',
});

builder.queryField('slashingHistory', (t) =>
  periods.pages(t, {
    extensions: { operation: 'slashingHistory' },
    description: `Slashings counted and summed by period, by default newest first. A slashing belongs to the day in which its epoch starts; periods without slashings have no row, and there are no hours. ${sizesText(PERIODS_SIZES)} REST has no such path.`,
    args: {
      where: t.arg({ type: SlashingWhere, description: 'Filter; default: all slashings.' }),
      ...periods.args,
      ...networkArgs,
    },
    resolve: (_root, args, ctx: Context, info) => {
      const network = args.network ?? ctx.network;
      const where = whereOf(args.where);
      const owner = { network, idType: 'slashings', id: JSON.stringify(where) };
      return periods.read(owner, args, info, {
        read: (...page) => slashingHistory(ctx, { network, where }, ...page),
        stored: async ({ calendar }) =>
          datesOf(await loadStoredSlashingEpochs(ctx, { network }), network, calendar),
      });
    },
  }),
);

builder.queryField('slashing', (t) =>
  t.field({
    type: SlashingType,
    nullable: true,
    extensions: { operation: 'slashing' },
    description: 'The slashing of one validator; null when it was never slashed.',
    args: {
      by: t.arg({ type: ValidatorBy, required: true, description: 'The validator.' }),
      ...networkArgs,
    },
    resolve: (_root, { by, network }, ctx) =>
      slashing(ctx, network ?? ctx.network, readValidatorBy(by, ['by'])),
  }),
);

builder.objectField(Operator, 'slashings', (t) =>
  slashingPages(t, {
    extensions: { operation: 'listSlashings' },
    description: `Slashings of its validators, by default newest first. Empty for classes other than deposit address, withdrawal address, node operator, pool and pool share; for a single validator see \`slashing\`. ${sizesText(SLASHINGS_SIZES)}`,
    args: orderArg,
    resolve: (operator, args, ctx, info) => {
      const order = slashingOrderOf(args);
      return connectionOf(args, info, {
        ...SLASHINGS_SIZES,
        cursors: operatorSlashingCursors(operator, order),
        read: (range) => operatorSlashings(ctx, operator, order, range),
        total: () => loadOperatorSlashingTotal(ctx, operator),
        stored: () => loadStoredSlashingEpochs(ctx, { network: operator.network }),
      });
    },
  }),
);

/** Adds the slashings of private sets, of which the caller has found only those of the account. */
export const slashingsOfSets = <Set extends SetKey>(owner: ObjectRef<Schema, Set, Set>) =>
  builder.objectField(owner, 'slashings', (t) =>
    slashingPages(t, {
      extensions: { operation: 'listSlashings' },
      description: `Slashings of the validators that are in it now, by default newest first. ${sizesText(SLASHINGS_SIZES)} REST has no such path.`,
      args: { ...endArgs.Date, ...orderArg },
      resolve: (set, args, ctx, info) => {
        const key = { network: set.network, id: set.id };
        const list = { epochs: epochsOf(key.network, args), order: slashingOrderOf(args) };
        return connectionOf(args, info, {
          ...SLASHINGS_SIZES,
          cursors: setSlashingCursors(key, list),
          read: (range) => slashingsOfSet(ctx, key, list, range),
          total: () => loadSetSlashingTotal(ctx, key, list.epochs),
          stored: () => loadStoredSlashingEpochs(ctx, { network: key.network }),
        });
      },
    }),
  );
