import { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import { selectedInPage } from '../../fast-rows/index.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { columns } from '../../graphql/schema/columns.ts';
import { checkSizes, connectionOf, sizesText } from '../../graphql/schema/connection.ts';
import { pagesOf } from '../../graphql/schema/connection-types.ts';
import { networkArgs, networkField } from '../../graphql/schema/enums.ts';
import { node } from '../../graphql/schema/nodes.ts';
import { isAscending, orderInput, orderOf } from '../../graphql/schema/order.ts';
import { collectFaults } from '../../kernel/refusal.ts';
import { BidBuilderType, blockOrderArg, blockPages, selectedBlockFields } from '../blocks/graphql.ts';
import { loadBuilderBlocks, loadBuilderBlockTotal, loadStoredSlots } from '../blocks/loaders.ts';
import { builderBlockCursors, PROPOSED_BLOCKS_SIZES } from '../blocks/resolve.ts';
import { readPubkey } from '../validators/record.ts';
import { loadBuilder } from './loaders.ts';
import { type BuilderList, type BuilderRow, builderOrders } from './queries.ts';
import { Builder, readAddress } from './record.ts';
import { BUILDERS_SIZES, builderCursors, builders, totalBuilders } from './resolve.ts';

const BuilderType = builder.objectRef<BuilderRow>('Builder');
node(BuilderType, {
  description:
    'A builder of payloads, and its bids in final blocks. GraphQL only: no REST path is documented for it.',
  id: ({ network, pubkey }) => `${network}:${pubkey}`,
  load: async (id, ctx) => {
    const [, name, pubkey] = /^(\w+):(0x[0-9a-f]{96})$/.exec(id) ?? [];
    const network = Network.safeParse(name).data;
    return network && pubkey ? loadBuilder(ctx, { network, pubkey }) : null;
  },
  fields: (t) => ({
    network: networkField(t, 'Network of the builder.'),
    ...columns(t, Builder),
    blocks: blockPages(t, {
      extensions: { operation: 'listBlocks' },
      description: `Stored slots whose block has its bid, by default newest first. ${sizesText(PROPOSED_BLOCKS_SIZES)}`,
      args: blockOrderArg,
      resolve: ({ network, pubkey: builderPubkey }, args, ctx: Context, info) => {
        const of = { network, builderPubkey };
        const ascending = isAscending(args.orderBy);
        const selected = selectedBlockFields(selectedInPage(info));
        return connectionOf(args, info, {
          ...PROPOSED_BLOCKS_SIZES,
          cursors: builderBlockCursors(of, ascending),
          read: (range) => loadBuilderBlocks(ctx, of, { ...range, ascending }, selected),
          total: () => loadBuilderBlockTotal(ctx, of),
          stored: () => loadStoredSlots(ctx, { network }),
        });
      },
    }),
  }),
});

const builderPages = pagesOf(BuilderType, {
  name: 'Builder',
  row: 'A builder',
  list: 'A list of builders',
});

const orderTexts: Record<(typeof builderOrders)[number], string> = {
  bidCount: 'Blocks with its bid.',
  fullCount: 'Blocks whose payload is on the chain.',
  withheldCount: 'Blocks whose payload is not on the chain.',
  sumPaidValue: 'Bids that were paid, added up.',
  balance: 'The balance.',
  index: 'The index.',
};
const BuilderOrder = orderInput('Builder', builderOrders, (field) => orderTexts[field]);

const BuilderWhere = builder.inputType('BuilderWhere', {
  description: 'Which builders are listed: those that match all fields given.',
  fields: (t) => ({
    executionAddress: t.string({
      description: 'Address that the stake is paid back to, 40 hex digits in any case, with or without 0x.',
    }),
    exited: t.boolean({ description: 'Whether the builder has left: its withdrawableEpoch is set.' }),
  }),
});

builder.queryField('builders', (t) =>
  builderPages(t, {
    extensions: { operation: 'builders' },
    description: `Builders of payloads, of which there are none before the fork Gloas; by default those with most bids first. ${sizesText(BUILDERS_SIZES)} REST has no such path.`,
    args: {
      where: t.arg({ type: BuilderWhere, description: 'Filter; default: all builders.' }),
      orderBy: t.arg({
        type: BuilderOrder,
        description: 'The order, ties by public key in the same direction; default: most bids first.',
      }),
      ...networkArgs,
    },
    resolve: async (_root, { where, orderBy, ...args }, ctx: Context, info) => {
      const [executionAddress] = collectFaults(
        () => readAddress(where?.executionAddress, ['where', 'executionAddress']),
        () => checkSizes(args, BUILDERS_SIZES.maxSize),
      );
      const list: BuilderList = {
        network: args.network ?? ctx.network,
        where: { executionAddress, exited: where?.exited ?? null },
        order: orderOf(orderBy, 'bidCount'),
      };
      return connectionOf(args, info, {
        ...BUILDERS_SIZES,
        cursors: builderCursors(list),
        read: (range) => builders(ctx, list, range),
        total: () => totalBuilders(ctx, list),
      });
    },
  }),
);

builder.queryField('builder', (t) =>
  t.field({
    type: BuilderType,
    nullable: true,
    extensions: { operation: 'builder' },
    description: 'One builder; null when it is not known. REST has no such path.',
    args: {
      pubkey: t.arg.string({
        required: true,
        description: 'Public key of the builder, 96 hex digits in any case, with or without 0x.',
      }),
      ...networkArgs,
    },
    resolve: (_root, { pubkey, network }, ctx) =>
      loadBuilder(ctx, { network: network ?? ctx.network, ...readPubkey(['pubkey'], pubkey) }),
  }),
);

builder.objectField(BidBuilderType, 'builder', (t) =>
  t.field({
    type: BuilderType,
    nullable: true,
    description: 'The builder as it is now; null when it is not stored.',
    resolve: ({ network, pubkey }, _args, ctx) => (pubkey ? loadBuilder(ctx, { network, pubkey }) : null),
  }),
);
