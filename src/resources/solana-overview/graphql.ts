import { timeWindows } from '../../chain/windows.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { columns } from '../../graphql/schema/columns.ts';
import { TimeWindowEnum } from '../../graphql/schema/enums.ts';
import { SolanaNetworkOverview } from './record.ts';
import { solanaOverview, solanaOverviews } from './resolve.ts';

const SolanaNetworkOverviewType = builder
  .objectRef<SolanaNetworkOverview>('SolanaNetworkOverview')
  .implement({
    description: SolanaNetworkOverview.meta()?.description as string,
    fields: (t) => ({
      timeWindow: t.expose('timeWindow', {
        type: TimeWindowEnum,
        description: 'Window that the figures cover.',
      }),
      ...columns(t, SolanaNetworkOverview),
    }),
  });

builder.queryField('solanaNetworkOverview', (t) =>
  t.field({
    type: SolanaNetworkOverviewType,
    nullable: true,
    extensions: { operation: 'getSolanaNetworkOverviewV1' },
    description: 'Solana as a whole in one window; null when none is stored.',
    args: { window: t.arg({ type: TimeWindowEnum, required: true, description: 'Aggregation window.' }) },
    resolve: (_root, { window }, ctx) => solanaOverview(ctx, window),
  }),
);

builder.queryField('solanaNetworkOverviews', (t) =>
  t.field({
    type: [SolanaNetworkOverviewType],
    nullable: true,
    extensions: { operation: 'getSolanaNetworkOverviewV1', rows: timeWindows.length },
    description: 'Solana as a whole in every window, shortest first. REST: GET /v1/solana/network/overview.',
    resolve: (_root, _args, ctx) => solanaOverviews(ctx, null),
  }),
);
