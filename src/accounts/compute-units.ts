/** What an operation costs: once for the call, and for each row that it answers. */
export type Weight = { base: number; item: number };

/**
 * The weights, in compute units: of REST paths by `operationId`, and of what only GraphQL has by name. Charged is base +
 * item × rows. A path names its line in `units` where it shares one, a GraphQL field in `extensions.operation`. Tests fail for a path or field without a line,
 * for a line without either, and for one that the README lacks.
 */
export const computeUnits = {
  // REST, and the GraphQL fields that take its place
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
  // GraphQL alone
  datasets: { base: 1, item: 0 },
  introspection: { base: 1, item: 1 }, // a row is a hundred fields
  node: { base: 1, item: 1 },
  nodes: { base: 0, item: 2 },
  slashing: { base: 1, item: 1 },
  stakeAuthority: { base: 1, item: 1 },
  validator: { base: 1, item: 1 },
  validators: { base: 5, item: 1 },
  viewer: { base: 0, item: 0 },
} as const satisfies Record<string, Weight>;

/** The weight of an operation; throws for one without a line above, so that nothing is served for nothing. */
export function weightOf(operation: string): Weight {
  if (Object.hasOwn(computeUnits, operation)) return computeUnits[operation as keyof typeof computeUnits];
  throw new Error(`Operation ${operation} has no weight: add its line to src/accounts/compute-units.ts.`);
}

/** Estimated rows of a list without pages that declares no number of them: most have one for each window. */
export const PLAIN_LIST_SIZE = 4;

/** Compute units of an answer of so many rows. */
export const unitsFor = ({ base, item }: Weight, rows: number): number => base + item * rows;

/** What a refusal costs when the caller was at fault; one of ours costs nothing. */
export const CALLER_ERROR_UNITS = 1;
