import { TimeWindow } from '../../chain/windows.ts';
import { asOfField } from '../../graphql/schema/as-of.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { columns, exposed, rounded, shareObject } from '../../graphql/schema/columns.ts';
import { TimeWindowEnum } from '../../graphql/schema/enums.ts';
import { node } from '../../graphql/schema/nodes.ts';
import { summaryField, summarySelections } from '../../graphql/schema/summaries.ts';
import { loadStakeAuthority } from './loaders.ts';
import type { StakeAuthorityNode, StakeAuthorityRow } from './queries.ts';
import {
  type StakeAuthorityField,
  StakeAuthoritySummary,
  StakeDelegation,
  stakeAuthorityFields,
} from './record.ts';

/** A row of a list also has the authority's summary in the window of the list, which is not read again. */
export const StakeAuthority = builder.objectRef<StakeAuthorityNode>('StakeAuthority');

export const StakeDelegationType = shareObject(StakeDelegation);
const delegations = {
  type: [StakeDelegationType],
  stored: StakeDelegation,
  rows: 30,
  description: 'Where its stake is delegated to.',
};

const ratios = {
  stakingRewardsApy: true,
  mevRewardsApr: true,
  delegatorApy: true,
  networkPenetration: true,
  aggregateValidatorEffectiveness: true,
  blendedVoteCommissionRate: true,
  blendedMevCommissionRate: true,
} as const;

const authorityFigures: readonly StakeAuthorityField[] = [
  ...stakeAuthorityFields.filter((name) => name !== 'poolName'),
  'name',
  'change',
  'asOf',
];
export const authoritySelections = summarySelections('authority', authorityFigures, { name: 'poolName' });

export const StakeAuthoritySummaryType = builder.objectRef<StakeAuthorityRow>('StakeAuthoritySummary');
node(StakeAuthoritySummaryType, {
  description: StakeAuthoritySummary.meta()?.description as string,
  id: (row) => `${row.timeWindow}:${row.stakeAuthority}`,
  load: async (id, ctx) => {
    const [window, ...rest] = id.split(':');
    const timeWindow = TimeWindow.safeParse(window).data;
    if (!timeWindow) return undefined;
    const row = await loadStakeAuthority(
      ctx,
      { timeWindow, stakeAuthority: rest.join(':') },
      authorityFigures,
    );
    return row && { ...row }; // a copy, because the row may also be a StakeAuthority
  },
  fields: (t) => ({
    window: exposed(t, 'timeWindow', {
      type: TimeWindowEnum,
      column: 'timeWindow',
      description: 'Window that the figures cover.',
    }),
    ...columns(t, StakeAuthoritySummary.omit({ stakeAuthority: true, poolName: true, ...ratios })),
    ...rounded(t, StakeAuthoritySummary.pick(ratios)),
    delegations: exposed(t, 'delegations', delegations),
    asOf: asOfField(t, ({ asOf }) => asOf),
    authority: t.field({
      type: StakeAuthority,
      description: 'The stake authority.',
      resolve: (row) => row,
    }),
  }),
});

summaryField(
  StakeAuthority,
  StakeAuthoritySummaryType,
  'stakeAuthority',
  (ctx, { stakeAuthority }, timeWindow, info) =>
    loadStakeAuthority(ctx, { timeWindow, stakeAuthority }, authoritySelections.ofSummary(info)),
);
