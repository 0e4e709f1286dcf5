/** Compute units per call and per returned row. */
export type Weight = { base: number; item: number };

/**
 * Keys are `operationId`s and names of GraphQL fields. `units` of a path, or `extensions.operation` of a field, can
 * name another key.
 */
export const computeUnits = {
  // REST paths and equivalent GraphQL fields
  listOperators: { base: 5, item: 1 },
  getOperatorSummary: { base: 1, item: 1 },
  listEntityAttestations: { base: 5, item: 1 },
  listSlashings: { base: 5, item: 1 },
  listSyncCommitteeRewards: { base: 5, item: 1 },
  getSolanaNetworkOverview: { base: 1, item: 1 },
  getSolanaNetworkOverviewV1: { base: 1, item: 1 },
  listStakeAuthorities: { base: 5, item: 1 },
  listStakeAuthoritiesV1: { base: 5, item: 1 },
  listBlocks: { base: 5, item: 1 },
  getBlock: { base: 1, item: 1 },
  listChainDailyRewards: { base: 5, item: 1 },
  getChainDailyReward: { base: 1, item: 1 },
  listConsolidations: { base: 5, item: 1 },
  listEntityConsolidations: { base: 20, item: 1 },
  listConsolidationCapacity: { base: 5, item: 1 },
  listEntityConsolidationCapacity: { base: 20, item: 1 },
  listValidatorRewards: { base: 5, item: 1 },
  listNetworkRewards: { base: 5, item: 1 },
  listTags: { base: 1, item: 1 },
  getTag: { base: 1, item: 1 },
  createTag: { base: 5, item: 1 },
  renameTag: { base: 1, item: 1 },
  deleteTag: { base: 1, item: 0 },
  listTagValidators: { base: 1, item: 1 },
  addTagValidators: { base: 5, item: 1 },
  removeTagValidator: { base: 5, item: 0 },
  listSetEffectiveness: { base: 5, item: 1 },
  listSetAttestations: { base: 5, item: 1 },
  listSetProposals: { base: 5, item: 1 },
  listSetRewards: { base: 5, item: 1 },
  // GraphQL only
  consolidationHistory: { base: 20, item: 1 },
  datasets: { base: 1, item: 0 },
  history: { base: 5, item: 1 },
  networkOverview: { base: 1, item: 1 },
  networkValidators: { base: 5, item: 1 },
  introspection: { base: 1, item: 1 }, // 100 fields count as one row
  node: { base: 1, item: 1 },
  nodes: { base: 0, item: 2 },
  search: { base: 5, item: 1 },
  proposalCounts: { base: 5, item: 1 },
  slashing: { base: 1, item: 1 },
  slashingHistory: { base: 20, item: 1 },
  stakeAuthority: { base: 1, item: 1 },
  stakeConcentration: { base: 5, item: 1 },
  validator: { base: 1, item: 1 },
  validators: { base: 5, item: 1 },
  viewer: { base: 0, item: 0 },
  // subscriptions; `base` is the cost of opening the stream
  blockAdded: { base: 5, item: 1 },
  datasetChanged: { base: 1, item: 1 },
  operatorChanged: { base: 1, item: 1 },
  privateSetChanged: { base: 1, item: 1 },
  slashingAdded: { base: 5, item: 1 },
} as const satisfies Record<string, Weight>;

export function weightOf(operation: string): Weight {
  if (Object.hasOwn(computeUnits, operation)) return computeUnits[operation as keyof typeof computeUnits];
  throw new Error(`Operation ${operation} has no weight: add its line to src/accounts/compute-units.ts.`);
}

/** Most lists without pages have one row for each of the four windows. */
export const PLAIN_LIST_SIZE = 4;

export const unitsFor = ({ base, item }: Weight, rows: number): number => base + item * rows;

/** Cost of an error of the caller. Errors of the server are free. */
export const CALLER_ERROR_UNITS = 1;
