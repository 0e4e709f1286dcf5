import { TimeWindow } from '../../chain/windows.ts';
import { selectionFor } from '../../fast-rows/index.ts';
import { asOfField, asOfSolana } from '../../graphql/schema/as-of.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { columns, exposed, rounded, shareObject } from '../../graphql/schema/columns.ts';
import { TimeWindowEnum } from '../../graphql/schema/enums.ts';
import { loadNodes } from '../../graphql/schema/nodes.ts';
import { IN_PAGE, IN_ROW } from '../../graphql/schema/selection.ts';
import {
  isRead,
  ownWindow,
  summaryPaths,
  windowOf,
  windowText,
  withSummary,
} from '../../graphql/schema/summaries.ts';
import { loadStakeAuthority } from './loaders.ts';
import type { StakeAuthorityNode, StakeAuthorityRow } from './queries.ts';
import {
  type StakeAuthorityField,
  StakeAuthoritySummary,
  StakeDelegation,
  stakeAuthorityFields,
} from './record.ts';

/** A row of a list also contains the authority's summary in the window of the list. */
export const StakeAuthority = builder.objectRef<StakeAuthorityNode>('StakeAuthority');

export const IN_AUTHORITY = withSummary(IN_ROW, 'authority');
export const IN_AUTHORITY_PAGE = withSummary(IN_PAGE, 'authority');
const IN_SUMMARY = summaryPaths('authority');

export const StakeDelegationType = shareObject(StakeDelegation);
export const delegations = {
  type: [StakeDelegationType],
  stored: StakeDelegation,
  rows: 30,
  description: 'Where its stake is delegated to.',
};

export function keyOfNodeId(id: string): { stakeAuthority: string; timeWindow?: TimeWindow } {
  const [name, ...rest] = id.split(':');
  const timeWindow = TimeWindow.safeParse(name).data;
  return timeWindow ? { timeWindow, stakeAuthority: rest.join(':') } : { stakeAuthority: id };
}

const ratios = {
  stakingRewardsApy: true,
  mevRewardsApr: true,
  delegatorApy: true,
  networkPenetration: true,
  aggregateValidatorEffectiveness: true,
  blendedVoteCommissionRate: true,
  blendedMevCommissionRate: true,
} as const;

export const authorityFigures: readonly StakeAuthorityField[] = [...stakeAuthorityFields, 'change', 'asOf'];

export const StakeAuthoritySummaryType = builder.objectRef<StakeAuthorityRow>('StakeAuthoritySummary');
builder.node(StakeAuthoritySummaryType, {
  description: StakeAuthoritySummary.meta()?.description as string,
  id: {
    resolve: (row) => `${row.timeWindow}:${row.stakeAuthority}`,
    description: 'Global id, for `node`.',
  },
  loadMany: loadNodes('StakeAuthoritySummary', async (id, ctx) => {
    const { timeWindow, stakeAuthority } = keyOfNodeId(id);
    if (!timeWindow) return undefined;
    const row = await loadStakeAuthority(ctx, { timeWindow, stakeAuthority }, authorityFigures);
    return row && { ...row }; // a copy, because the row may also be a StakeAuthority
  }),
  fields: (t) => ({
    window: exposed(t, 'timeWindow', {
      type: TimeWindowEnum,
      column: 'timeWindow',
      description: 'Window that the figures cover.',
    }),
    ...columns(t, StakeAuthoritySummary.omit({ stakeAuthority: true, poolName: true, ...ratios })),
    ...rounded(t, StakeAuthoritySummary.pick(ratios)),
    delegations: exposed(t, 'delegations', delegations),
    asOf: asOfField(t, ({ asOf }) => asOfSolana(asOf)),
    authority: t.field({
      type: StakeAuthority,
      description: 'The stake authority.',
      resolve: (row) => row,
    }),
  }),
});

builder.objectField(StakeAuthority, 'summary', (t) =>
  t.field({
    type: StakeAuthoritySummaryType,
    nullable: true,
    extensions: { operation: 'stakeAuthority', paidBy: 'window', isRead, givesRow: true, ownRow: true },
    description:
      'Its figures in a window; null when it has none there. Costs nothing more without `window`, in a list of one window.',
    args: {
      window: t.arg({ type: TimeWindowEnum, description: `The window. ${windowText}` }),
    },
    resolve: (row, { window }, ctx, info) => {
      const timeWindow = windowOf(row, window, 'stake authority');
      if (timeWindow === ownWindow(row)) return row as StakeAuthorityRow;
      if (timeWindow === row.early?.window) return row.early.row;
      const selection = selectionFor(info, authorityFigures, IN_SUMMARY);
      return loadStakeAuthority(ctx, { timeWindow, stakeAuthority: row.stakeAuthority }, selection);
    },
  }),
);
