import { TimeWindow } from '../../chain/windows.ts';
import { asOfField } from '../../graphql/schema/as-of.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { columns, type FieldsOf, rounded } from '../../graphql/schema/columns.ts';
import { TimeWindowEnum } from '../../graphql/schema/enums.ts';
import { node } from '../../graphql/schema/nodes.ts';
import type { SolanaOverviewRow } from './queries.ts';
import { SolanaNetworkOverview } from './record.ts';
import { solanaOverview, solanaOverviews } from './resolve.ts';

const ratios = {
  stakeAccountWithdrawAuthorityRatio: true,
  stakeAccountStakeAuthorityRatio: true,
  networkEffectivenessDiff: true,
  giniCoefficient: true,
} as const;
const diff = 'activeValidatorDiff';

export const overviewFigures = <Row extends SolanaOverviewRow>(t: FieldsOf<Row>) => ({
  ...columns(t, SolanaNetworkOverview.omit({ ...ratios, [diff]: true })),
  activeValidatorCountDiff: t.int({
    description: SolanaNetworkOverview.shape[diff].description as string,
    resolve: (row) => row[diff],
  }),
  ...rounded(t, SolanaNetworkOverview.pick(ratios)),
  asOf: asOfField(t, ({ asOf }) => asOf),
});

export const SolanaNetworkOverviewType = builder.objectRef<SolanaOverviewRow>('SolanaNetworkOverview');
node(SolanaNetworkOverviewType, {
  description: SolanaNetworkOverview.meta()?.description as string,
  id: (row) => row.timeWindow,
  load: async (id, ctx) => {
    const window = TimeWindow.safeParse(id).data;
    return window && solanaOverview(ctx, window);
  },
  fields: (t) => ({
    window: t.expose('timeWindow', {
      type: TimeWindowEnum,
      description: 'Window that the figures cover.',
    }),
    ...overviewFigures(t),
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
    extensions: { operation: 'getSolanaNetworkOverviewV1', rows: TimeWindow.options.length },
    description: 'Solana as a whole in every window, shortest first. REST: GET /v1/solana/network/overview.',
    resolve: (_root, _args, ctx) => solanaOverviews(ctx, null),
  }),
);
