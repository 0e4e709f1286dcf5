import { Network } from '../../chain/networks.ts';
import { asOfField } from '../../graphql/schema/as-of.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { columns } from '../../graphql/schema/columns.ts';
import { sizesText } from '../../graphql/schema/connection.ts';
import { networkArgs, networkField, TimeWindowEnum } from '../../graphql/schema/enums.ts';
import { networkWindow, node } from '../../graphql/schema/nodes.ts';
import { periodType } from '../../periods/graphql.ts';
import { PERIODS_SIZES } from '../../periods/params.ts';
import { loadStoredNetworkDates } from './loaders.ts';
import { NetworkRecord, type NetworkRecordField } from './record.ts';
import { clientShares, type NetworkOverview, networkHistory, networkOverview } from './resolve.ts';

const figures = NetworkRecord.omit({ id: true });

const periods = periodType<NetworkRecordField, NetworkRecord>('NetworkRecord', NetworkRecord, {
  description: 'An Ethereum network over a period.',
  list: 'A network over time',
  cursors: 'networkHistory',
});

const ClientShare = builder.objectRef<Awaited<ReturnType<typeof clientShares>>[number]>('NetworkClientShare');
node(ClientShare, {
  description: "A consensus client's share of the validators of a network.",
  id: ({ network, client }) => `${network}:${client}`,
  load: async (id, ctx) => {
    const [, name, client] = /^(\w+):(.+)$/s.exec(id) ?? [];
    const network = Network.safeParse(name).data;
    return network && (await clientShares(ctx, { network })).find((share) => share.client === client);
  },
  fields: (t) => ({
    network: networkField(t, 'The network.'),
    client: t.exposeString('client', { description: 'Name of the client.' }),
    validatorCount: t.exposeInt('validatorCount', {
      description: 'Active validators that are known to run it, at least 0.',
    }),
    ratio: t.exposeFloat('ratio', {
      description: 'Its share of the active validators whose client is known, as a ratio, 0..1.',
    }),
  }),
});

const NetworkOverviewType = builder.objectRef<NetworkOverview>('NetworkOverview');
node(NetworkOverviewType, {
  description:
    'An Ethereum network as a whole over the last 1, 7 or 30 stored chain days, or all. GraphQL only: no REST path is documented for it.',
  id: ({ network, timeWindow }) => `${network}:${timeWindow}`,
  load: async (id, ctx) => {
    const key = networkWindow(id);
    return key && networkOverview(ctx, key.network, key.window);
  },
  fields: (t) => ({
    network: networkField(t, 'The network.'),
    window: t.expose('timeWindow', { type: TimeWindowEnum, description: 'Window that the figures cover.' }),
    asOf: asOfField(
      t,
      ({ network, endEpoch }) => ({ network, epoch: endEpoch }),
      'End of the newest day in the window.',
    ),
    ...columns(t, figures.omit({ day: true, date: true })),
    clients: t.field({
      type: [ClientShare],
      extensions: { rows: 6 },
      description:
        'Consensus clients of the active validators, most first; empty where no client of a validator is known. Independent of the window.',
      resolve: ({ network }, _args, ctx) => clientShares(ctx, { network }),
    }),
    history: periods.pages(t, {
      extensions: { operation: 'listChainDailyRewards' },
      description: `The network over time, by default newest first, independent of the window. Daily rewards are stored by chain day; with \`utc\`, all figures come from days of all validators. There are no hours. ${sizesText(PERIODS_SIZES)}`,
      args: periods.args,
      resolve: ({ network }, args, ctx, info) =>
        periods.read({ network, idType: 'network', id: network }, args, info, {
          read: (...page) => networkHistory(ctx, { network }, ...page),
          stored: ({ calendar }) => loadStoredNetworkDates(ctx, { network }, calendar === 'utc'),
        }),
    }),
  }),
});

builder.queryField('networkOverview', (t) =>
  t.field({
    type: NetworkOverviewType,
    nullable: true,
    extensions: { operation: 'networkOverview' },
    description: 'An Ethereum network as a whole in one window; null when no day of it is stored.',
    args: {
      window: t.arg({
        type: TimeWindowEnum,
        defaultValue: '1d',
        description: 'Aggregation window.',
      }),
      ...networkArgs,
    },
    resolve: (_root, args, ctx) => networkOverview(ctx, args.network ?? ctx.network, args.window ?? '1d'),
  }),
);
