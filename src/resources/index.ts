import type { Context } from '../context.ts';
import type { Route } from '../kernel/route.ts';
import { attestationRoutes } from './attestations/rest.ts';
import { blockRoutes } from './blocks/rest.ts';
import { chainDailyRewardRoutes } from './chain-daily-rewards/rest.ts';
import { consolidationTotalRoutes } from './consolidation-totals/rest.ts';
import { consolidationRoutes } from './consolidations/rest.ts';
import { networkRewardRoutes } from './network-rewards/rest.ts';
import { operatorRoutes } from './operators/rest.ts';
import { setRoutes } from './private-sets/rest.ts';
import { setFigureRoutes } from './private-sets/set-figures-rest.ts';
import { slashingRoutes } from './slashings/rest.ts';
import { solanaOverviewRoutes } from './solana-overview/rest.ts';
import { stakeAuthorityRoutes } from './stake-authorities/rest.ts';
import { syncCommitteeRewardRoutes } from './sync-committee-rewards/rest.ts';
import { validatorRankingRoutes } from './validator-ranking/rest.ts';

// These imports add types to the builder.
import './attestations/graphql.ts';
import './blocks/graphql.ts';
import './blocks/subscriptions.ts';
import './builders/graphql.ts';
import './chain-daily-rewards/graphql.ts';
import './history/graphql.ts';
import './network-overview/graphql.ts';
import './network-rewards/graphql.ts';
import './consolidation-totals/graphql.ts';
import './consolidations/graphql.ts';
import './figures/graphql.ts';
import './operators/graphql.ts';
import './operators/subscriptions.ts';
import './private-sets/set-figures.ts';
import './search/graphql.ts';
import './slashings/graphql.ts';
import './slashings/subscriptions.ts';
import './solana-overview/graphql.ts';
import './stake-authorities/graphql.ts';
import './sync-committee-rewards/graphql.ts';
import './private-sets/graphql.ts';
import './private-sets/mutations.ts';
import './private-sets/subscriptions.ts';
import './saved-views/graphql.ts';
import './saved-views/mutations.ts';
import './validator-ranking/graphql.ts';
import './validators/graphql.ts';

export const rooms: Record<string, Route<Context>[]> = {
  attestations: attestationRoutes,
  blocks: blockRoutes,
  builders: [], // GraphQL only
  'chain-daily-rewards': chainDailyRewardRoutes,
  history: [], // GraphQL only
  'network-overview': [], // GraphQL only
  'network-rewards': networkRewardRoutes,
  'consolidation-totals': consolidationTotalRoutes,
  consolidations: consolidationRoutes,
  figures: [], // REST returns figures under private-sets only
  operators: operatorRoutes,
  'private-sets': [...setRoutes, ...setFigureRoutes],
  'saved-views': [], // GraphQL only
  search: [], // GraphQL only
  slashings: slashingRoutes,
  'solana-overview': solanaOverviewRoutes,
  'stake-authorities': stakeAuthorityRoutes,
  'sync-committee-rewards': syncCommitteeRewardRoutes,
  'validator-ranking': validatorRankingRoutes,
  validators: [], // GraphQL only
};

export const routes: Route<Context>[] = Object.values(rooms).flat();
