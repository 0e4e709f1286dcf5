// The part of the gateway's schema that the benchmark asks for, and plain resolvers of it over the same tables: what
// Mercurius and Apollo Server run, so that all three answer the same documents.
import { operator, operators, stakeAuthorities } from './tables.mjs';

export const typeDefs = `
  scalar BigInt
  scalar Decimal
  scalar Date
  enum TimeWindow { ONE_DAY SEVEN_DAYS THIRTY_DAYS ALL }
  enum OperatorIdType { DEPOSIT_ADDRESS NODE_OPERATOR POOL ENTITY }
  type ClientPercentage { client: String! ratio: Float! }
  type RelayerPercentage { relayer: String! ratio: Float! }
  type OperatorTag { name: String! path: String idType: String }
  type AttestationRecord {
    day: Int date: Date validatorCount: Int! sumCorrectHead: BigInt! sumMissedAttestations: BigInt!
    avgAttesterEffectiveness: Float! sumEndEpochBalance: BigInt!
  }
  type AttestationConnection { nodes: [AttestationRecord!]! }
  type Operator {
    network: String! operatorId: String! idType: OperatorIdType! operatorTags: [OperatorTag!]! displayName: String
    attestations(first: Int): AttestationConnection! summary(window: TimeWindow!): OperatorSummary
  }
  type OperatorSummary {
    window: TimeWindow! validatorCount: Int! avgCorrectness: Float! avgInclusionDelay: Float avgUptime: Float! avgValidatorEffectiveness: Float!
    clientPercentages: [ClientPercentage!]! networkPenetration: Float relayerPercentages: [RelayerPercentage!]!
    nodeOperatorCount: Int aprPercentage: Float
    sumEndEpochBalance: BigInt sumEndEpochEffectiveBalance: BigInt
  }
  type OperatorConnection { nodes: [Operator!]! }
  type StakeDelegation { validatorVoteAccount: String! validatorName: String ratio: Float! }
  type StakeAuthority { stakeAuthority: String! poolName: String summary(window: TimeWindow!): StakeAuthoritySummary }
  type StakeAuthoritySummary {
    window: TimeWindow! validatorDelegates: Int! delegations: [StakeDelegation!]!
    stakingRewardsApy: Float! mevRewardsApr: Float! delegatorApy: Float! sumMissedStakingRewards: Decimal!
    delegatedStake: Decimal! networkPenetration: Float! aggregateValidatorEffectiveness: Float!
    blendedVoteCommissionRate: Float! blendedMevCommissionRate: Float! sumStakingRewards: Decimal!
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

const ofTheSameRow = { summary: (row) => row };
const window = ({ timeWindow }) => timeWindow;
const share = { ratio: ({ percentage }) => Number(percentage) };

/** All but `Operator.attestations`, which each library batches in a way of its own. */
export const resolvers = {
  TimeWindow: windows,
  OperatorIdType: classes,
  ClientPercentage: share,
  RelayerPercentage: share,
  StakeDelegation: share,
  Operator: ofTheSameRow,
  OperatorSummary: { window },
  StakeAuthority: ofTheSameRow,
  StakeAuthoritySummary: { window },
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
