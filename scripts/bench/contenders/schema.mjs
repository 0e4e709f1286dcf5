// The part of the gateway's schema that the benchmark asks for, and plain resolvers of it over the same tables: what
// Mercurius and Apollo Server run, so that all three answer the same documents.
import { operator, operators, stakeAuthorities } from './tables.mjs';

export const typeDefs = `
  scalar BigInt
  scalar Decimal
  scalar Date
  enum TimeWindow { ONE_DAY SEVEN_DAYS THIRTY_DAYS ALL }
  enum OperatorIdType { DEPOSIT_ADDRESS NODE_OPERATOR POOL ENTITY }
  type ClientPercentage { client: String! percentage: Float! }
  type RelayerPercentage { relayer: String! percentage: Float! }
  type OperatorTag { name: String! path: String idType: String }
  type AttestationRecord {
    day: Int date: Date validatorCount: Int! sumCorrectHead: BigInt! sumMissedAttestations: BigInt!
    avgAttesterEffectiveness: Float! sumEndEpochBalance: BigInt!
  }
  type AttestationConnection { nodes: [AttestationRecord!]! }
  type Operator {
    network: String! operatorId: String! idType: OperatorIdType! timeWindow: TimeWindow! validatorCount: Int!
    avgCorrectness: Float! avgInclusionDelay: Float avgUptime: Float! avgValidatorEffectiveness: Float!
    clientPercentages: [ClientPercentage!]! networkPenetration: Float relayerPercentages: [RelayerPercentage!]!
    nodeOperatorCount: Int operatorTags: [OperatorTag!]! displayName: String aprPercentage: Float
    sumEndEpochBalance: BigInt sumEndEpochEffectiveBalance: BigInt
    attestations(first: Int): AttestationConnection!
  }
  type OperatorConnection { nodes: [Operator!]! }
  type StakeDelegation { validatorVoteAccount: String! validatorName: String percentage: Decimal! }
  type StakeAuthority {
    timeWindow: TimeWindow! stakeAuthority: String! validatorDelegates: Int! delegations: [StakeDelegation!]!
    stakingRewardsApy: Decimal! mevRewardsApr: Decimal! delegatorApy: Decimal! sumMissedStakingRewards: Decimal!
    poolName: String delegatedStake: Decimal! networkPenetration: Decimal! aggregateValidatorEffectiveness: Decimal!
    blendedVoteCommissionRate: Decimal! blendedMevCommissionRate: Decimal! sumStakingRewards: Decimal!
    sumMevRewards: Decimal! sumRewards: Decimal! sumStakingCommissionPaid: Decimal! sumMevCommissionPaid: Decimal!
    sumCommissionPaid: Decimal!
  }
  type StakeAuthorityConnection { nodes: [StakeAuthority!]! }
  type Query {
    operators(window: TimeWindow!, idType: OperatorIdType, first: Int, after: String): OperatorConnection
    operator(operatorId: String!, window: TimeWindow!, idType: OperatorIdType): Operator
    stakeAuthorities(window: TimeWindow!, first: Int, after: String): StakeAuthorityConnection
  }`;

const windows = { ONE_DAY: '1d', SEVEN_DAYS: '7d', THIRTY_DAYS: '30d', ALL: 'all' };
const classes = {
  DEPOSIT_ADDRESS: 'depositAddress',
  NODE_OPERATOR: 'nodeOperator',
  POOL: 'pool',
  ENTITY: 'entity',
};
const rank = (cursor) =>
  cursor == null ? undefined : Number(Buffer.from(cursor, 'base64url').toString('utf8'));
export const cursorOf = (rank) => Buffer.from(String(rank)).toString('base64url');

/** All but `Operator.attestations`, which each library batches in a way of its own. */
export const resolvers = {
  TimeWindow: windows,
  OperatorIdType: classes,
  Query: {
    operators: async (_root, { window, idType = 'depositAddress', first = 15, after }) => ({
      nodes: await operators({ window, idType, first, after: rank(after) }),
    }),
    operator: (_root, args) => operator(args),
    stakeAuthorities: async (_root, { window, first = 15, after }) => ({
      nodes: await stakeAuthorities({ window, first, after: rank(after) }),
    }),
  },
};
