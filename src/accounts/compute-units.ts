/** Compute units per call and per returned row. `reads`: what is read besides, at one unit for each thousand. */
export type Weight = { base: number; item: number; reads?: string };

/**
 * Keys are `operationId`s and names of GraphQL fields. `units` of a path, or `extensions.operation` of a field, can
 * name another key.
 */
export const computeUnits = {
  // REST paths and equivalent GraphQL fields
  listOperators: { base: 5, item: 1, reads: 'validators of private sets' },
  getOperatorSummary: { base: 1, item: 1, reads: 'validators of a private set, for clients and relays' },
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
  listConsolidations: {
    base: 5,
    item: 1,
    reads: 'validators of a private set, twice for a page and twice for its total',
  },
  listEntityConsolidations: {
    base: 20,
    item: 1,
    reads: 'consolidations, if the days are bounded',
  },
  listConsolidationCapacity: { base: 5, item: 1 },
  listEntityConsolidationCapacity: {
    base: 20,
    item: 1,
    reads: 'consolidations, in the window `all`',
  },
  listValidatorRewards: { base: 5, item: 1 },
  listNetworkRewards: { base: 5, item: 1 },
  listValidatorRanking: {
    base: 5,
    item: 1,
    reads:
      'days of validators that are scanned, of which twenty archived ones count as one, and a tenth of the validators of an operator',
  },
  listTags: { base: 1, item: 1 },
  getTag: { base: 1, item: 1 },
  createTag: { base: 5, item: 1, reads: 'validators × days, stored or archived' },
  renameTag: { base: 1, item: 1 },
  deleteTag: { base: 1, item: 0, reads: 'validators of the tag' },
  listTagValidators: { base: 1, item: 1, reads: 'validators before the page in REST' },
  addTagValidators: { base: 5, item: 1, reads: 'validators × days, stored or archived' },
  removeTagValidator: { base: 5, item: 0, reads: 'validators of the tag' },
  listSetEffectiveness: { base: 5, item: 1 },
  listSetAttestations: { base: 5, item: 1 },
  listSetProposals: { base: 5, item: 1 },
  listSetRewards: { base: 5, item: 1 },
  // GraphQL only
  builder: { base: 1, item: 1 },
  builders: { base: 5, item: 1 },
  consolidationHistory: { base: 20, item: 1 },
  datasets: { base: 1, item: 0 },
  history: { base: 5, item: 1 },
  networkOverview: { base: 1, item: 1 },
  networkValidators: { base: 5, item: 1 },
  introspection: { base: 1, item: 1 }, // 100 fields count as one row
  node: { base: 1, item: 1 },
  nodes: { base: 0, item: 2 },
  savedViews: { base: 1, item: 1 },
  createSavedView: { base: 1, item: 1 },
  renameSavedView: { base: 1, item: 1 },
  deleteSavedView: { base: 1, item: 0 },
  search: { base: 5, item: 1 },
  proposalCounts: { base: 5, item: 1 },
  slashing: { base: 1, item: 1 },
  slashingHistory: { base: 20, item: 1 },
  stakeAuthority: { base: 1, item: 1 },
  stakeConcentration: { base: 5, item: 1 },
  validator: { base: 1, item: 1 },
  validators: {
    base: 5,
    item: 1,
    reads:
      'validators of the operator that a total counts or another filter compares, and those whose epochs a total of a range counts',
  },
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

const READ_ROWS_A_UNIT = 1_000;

/** Units for rows that are read and not returned. */
export const unitsForReading = (rows: number): number => Math.floor(rows / READ_ROWS_A_UNIT);

/** Cost of an error of the caller. Errors of the server are free. */
export const CALLER_ERROR_UNITS = 1;
