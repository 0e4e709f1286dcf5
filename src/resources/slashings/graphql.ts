import type { Context } from '../../context.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { columns } from '../../graphql/schema/columns.ts';
import { connection, connectionRange } from '../../graphql/schema/connection.ts';
import { pageTypes } from '../../graphql/schema/connection-types.ts';
import { replacedBy } from '../../graphql/schema/deprecated.ts';
import { NetworkEnum, networkArgs } from '../../graphql/schema/enums.ts';
import { loadNodes, networkNumber } from '../../graphql/schema/nodes.ts';
import { ValidatorBy } from '../../graphql/schema/validator-by.ts';
import { badArgument } from '../../kernel/refusal.ts';
import { parseDateTime } from '../../kernel/time.ts';
import { Operator } from '../operators/graphql.ts';
import { validatorAsked } from '../validators/record.ts';
import { loadOperatorSlashingTotal, loadSlashing } from './loaders.ts';
import type { SlashingRow } from './queries.ts';
import { Slashing } from './record.ts';
import {
  epochFrom,
  LAST_START_DAY,
  operatorSlashingCursor,
  operatorSlashingPosition,
  operatorSlashings,
  SLASHINGS_SIZES,
  slashing,
  slashingCursor,
  slashingPosition,
  slashings,
  totalSlashings,
} from './resolve.ts';

export const SlashingType = builder.objectRef<SlashingRow>('Slashing');
builder.node(SlashingType, {
  description: 'A slashed validator and its penalties.',
  id: { resolve: (row) => `${row.network}:${row.validatorIndex}`, description: 'Global id, for `node`.' },
  loadMany: loadNodes('Slashing', async (id, ctx) => {
    const found = networkNumber(id);
    return found && loadSlashing(ctx, { network: found.network, validatorIndex: found.number });
  }),
  fields: (t) => ({
    network: t.expose('network', {
      type: NetworkEnum,
      description: 'Network of the validator.',
    }),
    ...columns(t, Slashing),
  }),
});

const slashingPages = pageTypes(SlashingType, {
  name: 'Slashing',
  row: 'A slashing',
  list: 'A list of slashings',
});

builder.queryField('slashings', (t) =>
  t.connection(
    {
      type: SlashingType,
      nullable: true,
      extensions: { operation: 'listSlashings', rows: SLASHINGS_SIZES.defaultSize },
      description: `Slashed validators, ascending by slashing epoch and validator index. At most ${SLASHINGS_SIZES.maxSize} a page, ${SLASHINGS_SIZES.defaultSize} by default. REST: GET /v0/eth/slashings.`,
      args: {
        fromDay: t.arg.int({
          description: `First chain day, inclusive, 0 to ${LAST_START_DAY}.`,
        }),
        fromTimestamp: t.arg({
          type: 'DateTime',
          description: 'First moment, inclusive; with fromDay, the later of the two applies.',
        }),
        ...networkArgs,
      },
      resolve: async (_root, args, ctx: Context, info) => {
        const network = args.network ?? ctx.network;
        const fromDay = args.fromDay ?? 0;
        if (fromDay < 0 || fromDay > LAST_START_DAY) {
          const needed = `an integer from 0 to ${LAST_START_DAY} is needed`;
          throw badArgument('fromDay', `fromDay is ${fromDay}; ${needed}.`);
        }
        const seconds = args.fromTimestamp == null ? undefined : parseDateTime(args.fromTimestamp);
        const fromEpoch = Math.max(
          epochFrom(network, { day: fromDay }),
          seconds === undefined ? 0 : epochFrom(network, { seconds }),
        );
        const list = { network, fromEpoch };
        const range = connectionRange(args, info, {
          ...SLASHINGS_SIZES,
          decode: (cursor) => slashingPosition(list, cursor),
        });
        const page = await slashings(ctx, list, range);
        return connection(
          page,
          (row) => slashingCursor(list, row),
          () => totalSlashings(ctx, list),
        );
      },
    },
    ...slashingPages,
  ),
);

builder.queryField('slashing', (t) =>
  t.field({
    type: SlashingType,
    nullable: true,
    extensions: { operation: 'slashing' },
    description: 'The slashing of one validator; null when it was never slashed.',
    args: {
      by: t.arg({ type: ValidatorBy, description: 'The validator; required.' }),
      validatorIndex: t.arg.int({
        description: 'Index of the validator, >= 0.',
        deprecationReason: replacedBy('by'),
      }),
      validatorPubkey: t.arg.string({
        description: 'Public key of the validator, 0x and 96 hex digits.',
        deprecationReason: replacedBy('by'),
      }),
      ...networkArgs,
    },
    resolve: (_root, { by, validatorIndex, validatorPubkey, network }, ctx) => {
      const names = { index: 'validatorIndex', pubkey: 'validatorPubkey' };
      const asked = validatorAsked(by, names, validatorIndex, validatorPubkey);
      return slashing(ctx, network ?? ctx.network, asked);
    },
  }),
);

builder.objectField(Operator, 'slashings', (t) =>
  t.connection(
    {
      type: SlashingType,
      nullable: true,
      extensions: { operation: 'listSlashings', rows: SLASHINGS_SIZES.defaultSize },
      description: `Slashings of its validators, ascending by slashing epoch and validator index, independent of its window. Empty for classes other than deposit address, withdrawal address, node operator, pool and pool share; for a single validator see \`slashing\`. At most ${SLASHINGS_SIZES.maxSize} a page, ${SLASHINGS_SIZES.defaultSize} by default.`,
      resolve: async (operator, args, ctx, info) => {
        const range = connectionRange(args, info, {
          ...SLASHINGS_SIZES,
          decode: (cursor) => operatorSlashingPosition(operator, cursor),
        });
        const page = await operatorSlashings(ctx, operator, range);
        return connection(
          page,
          (row) => operatorSlashingCursor(operator, row),
          () => loadOperatorSlashingTotal(ctx, operator),
        );
      },
    },
    ...slashingPages,
  ),
);
