import type { GraphQLResolveInfo } from 'graphql';
import { selectedInRow } from '../../fast-rows/index.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { TimeWindowEnum } from '../../graphql/schema/enums.ts';
import { attestationsOf } from '../attestations/graphql.ts';
import { consolidationsOfSets } from '../consolidations/graphql.ts';
import { figuresOf } from '../figures/graphql.ts';
import { figuresOfSet } from '../figures/resolve.ts';
import { OperatorSummaryType } from '../operators/summary.ts';
import { slashingsOfSets } from '../slashings/graphql.ts';
import { PrivateSetType } from './graphql.ts';
import type { SetRow } from './loaders.ts';
import { countSetMembers } from './resolve.ts';
import { loadSetSummary } from './summary-loaders.ts';

/** Whether clients or relays are selected, or may be through the operator of the summary. */
function hasShares(info: GraphQLResolveInfo): boolean {
  const selected = selectedInRow(info);
  return ['clientPercentages', 'relayerPercentages', 'operator'].some((name) => selected.has(name));
}

const keyOf = (set: SetRow) => ({ network: set.network, idType: 'privateSet' as const, id: set.id });

figuresOf(PrivateSetType, keyOf, figuresOfSet, {
  also: (name) => `REST: GET /v1/eth/sets/{id}/${name}.`,
});

attestationsOf(
  PrivateSetType,
  keyOf,
  'Attestation duties over time. REST: GET /v1/eth/sets/{id}/attestations.',
);

slashingsOfSets(PrivateSetType);
consolidationsOfSets(PrivateSetType, (ctx, { id }) => countSetMembers(ctx, id));

builder.objectField(PrivateSetType, 'summary', (t) =>
  t.field({
    type: OperatorSummaryType,
    nullable: true,
    extensions: { operation: 'getOperatorSummary' },
    description:
      'Its figures in a window; null when the set was deleted meanwhile. REST: GET /v0/eth/operators/{operator_id}/summary.',
    args: { window: t.arg({ type: TimeWindowEnum, required: true, description: 'The window.' }) },
    resolve: ({ id, network }, { window: timeWindow }, ctx, info) =>
      loadSetSummary(ctx, { id, network, timeWindow }, hasShares(info)),
  }),
);
