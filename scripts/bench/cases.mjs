// The questions, in the words of each contender. The gateway, Mercurius and Apollo Server take the same documents.
import { rankCursor } from '../../dist/graphql/connection.js';

const operatorFields = `operatorId network idType timeWindow validatorCount avgCorrectness avgInclusionDelay avgUptime
  avgValidatorEffectiveness clientPercentages { client percentage } networkPenetration
  relayerPercentages { relayer percentage } nodeOperatorCount operatorTags { name path } displayName aprPercentage
  sumEndEpochBalance sumEndEpochEffectiveBalance`;
const authorityFields = `stakeAuthority timeWindow validatorDelegates
  delegations { validatorVoteAccount validatorName percentage } stakingRewardsApy mevRewardsApr delegatorApy
  sumMissedStakingRewards poolName delegatedStake networkPenetration aggregateValidatorEffectiveness
  blendedVoteCommissionRate blendedMevCommissionRate sumStakingRewards sumMevRewards sumRewards sumStakingCommissionPaid
  sumMevCommissionPaid sumCommissionPaid`;
const few = 'operatorId validatorCount networkPenetration aprPercentage';
const dayFields =
  'day date validatorCount sumCorrectHead sumMissedAttestations avgAttesterEffectiveness sumEndEpochBalance';

const operators = (args, fields) =>
  `operators(window: SEVEN_DAYS, idType: NODE_OPERATOR, ${args}) { nodes { ${fields} } }`;
const authorities = (args) =>
  `stakeAuthorities(window: SEVEN_DAYS, ${args}) { nodes { ${authorityFields} } }`;

// PostGraphile gives objects of jsonb as they are, and lists by the stored order of the same tables.
const plain = (fields) => fields.replace(/\{[^}]*\}/g, '');
const ranked = (room, list, args, fields) =>
  `all${room}Ranks(condition: { listId: "${list}" }, ${args}) { nodes { ${room[0].toLowerCase()}${room.slice(1)}SummaryBySummaryId { ${plain(fields)} } } }`;
const related = (fields) => `attestationEntityByNetworkAndOperatorIdAndIdType { attestationDaysByEntityKey(
  condition: { utc: false }, orderBy: PRIMARY_KEY_ASC, first: 30) { nodes { ${fields} } } }`;

/** The GraphQL document for so many operators with so many days of attestations each. */
export const nested = (parents, days = 30) =>
  `{ ${operators(`first: ${parents}`, `operatorId attestations(first: ${days}) { nodes { ${dayFields} } }`)} }`;
export const page = {
  rest: (from) => `/v1/solana/delegators/stakeAuthorities?window=7d&offset=${from}&limit=15`,
};
/** The page that begins at a rank, as the gateway takes it: by the cursor of the row before. */
export const pageOf = (from) => ({
  query: `query ($after: String) { ${authorities('first: 15, after: $after')} }`,
  variables:
    from === 0 ? {} : { after: rankCursor('stakeAuthorities:7d:all', { revision: 0, rank: from - 1 }) },
});

/**
 * `key` and `rows`: what an answer has to hold so many times. `lists` are the stored lists that PostGraphile is told,
 * `plainCursor` makes a cursor of Mercurius and Apollo, and `depth` is the rank of the deep page.
 */
export const graphqlCases = ({ lists, plainCursor, postgraphileCursor, depth }) => [
  {
    name: '15 operators, all fields',
    path: 'operators15',
    key: 'avgCorrectness',
    rows: 15,
    document: { query: `{ ${operators('first: 15', operatorFields)} }` },
    postgraphile: { query: `{ ${ranked('Operator', lists.nodeOperator, 'first: 15', operatorFields)} }` },
  },
  {
    name: '15 operators, 4 fields',
    path: 'operators15of4',
    key: 'aprPercentage',
    rows: 15,
    document: { query: `{ ${operators('first: 15', few)} }` },
    postgraphile: { query: `{ ${ranked('Operator', lists.nodeOperator, 'first: 15', few)} }` },
  },
  {
    name: '200 stake authorities, all fields',
    path: 'authorities200',
    key: 'sumCommissionPaid',
    rows: 200,
    document: { query: `{ ${authorities('first: 200')} }` },
    postgraphile: {
      query: `{ ${ranked('StakeAuthority', lists.authorities, 'first: 200', authorityFields)} }`,
    },
  },
  {
    name: '10 operators × 30 days of attestations',
    path: 'attestations',
    key: 'sumCorrectHead',
    rows: 300,
    document: { query: nested(10) },
    postgraphile: {
      query: `{ ${ranked('Operator', lists.nodeOperator, 'first: 10', 'operatorId RELATED').replace('RELATED', related(dayFields))} }`,
    },
  },
  {
    name: 'one summary by id',
    path: 'summary',
    key: 'avgCorrectness',
    rows: 1,
    document: {
      query: `{ operator(operatorId: "nodeOperator 7", idType: NODE_OPERATOR, window: SEVEN_DAYS) { ${operatorFields} } }`,
    },
    postgraphile: {
      query: `{ operatorSummaryBySummaryId(summaryId: "${lists.summary}") { ${plain(operatorFields)} } }`,
    },
  },
  {
    name: `deep page (rank ${depth})`,
    path: 'deep',
    key: 'sumCommissionPaid',
    rows: 15,
    document: pageOf(depth),
    plain: { query: pageOf(depth).query, variables: { after: plainCursor(depth - 1) } },
    postgraphile: {
      query: `query ($after: Cursor) { ${ranked('StakeAuthority', lists.authorities, 'first: 15, after: $after', authorityFields)} }`,
      variables: { after: postgraphileCursor },
    },
  },
  {
    name: 'dashboard, repeated',
    path: 'dashboard',
    key: 'networkPenetration',
    rows: 15,
    document: {
      query: `{ pools: operators(window: SEVEN_DAYS, idType: POOL, first: 5) { nodes { ${operatorFields} } }
        nodeOperators: ${operators('first: 5', operatorFields)} ${authorities('first: 5')} }`,
    },
    postgraphile: {
      query: `{ pools: ${ranked('Operator', lists.pool, 'first: 5', operatorFields)}
        nodeOperators: ${ranked('Operator', lists.nodeOperator, 'first: 5', operatorFields)}
        ${ranked('StakeAuthority', lists.authorities, 'first: 5', authorityFields)} }`,
    },
  },
];

/** The cursor of a row of the authorities in PostGraphile, which only PostGraphile can make. */
export const postgraphileCursorQuery = (list, rank) =>
  `{ allStakeAuthorityRanks(condition: { listId: "${list}" }, first: 1, offset: ${rank}) { pageInfo { endCursor } } }`;

export const restCases = ({ depth }) => [
  {
    name: 'REST: 15 operators',
    path: 'operators15',
    key: 'avgCorrectness',
    rows: 15,
    url: '/v0/eth/operators?window=7d&idType=nodeOperator&size=15',
  },
  {
    name: 'REST: 200 stake authorities',
    path: 'authorities200',
    key: 'sumCommissionPaid',
    rows: 200,
    url: '/v1/solana/delegators/stakeAuthorities?window=7d&limit=200',
  },
  {
    name: 'REST: 30 days of attestations',
    path: 'records',
    key: 'sumCorrectHead',
    rows: 30,
    url: '/v1/eth/entities/nodeOperator%207/attestations?entityType=nodeOperator&limit=30',
  },
  {
    name: 'REST: one summary by id',
    path: 'summary',
    key: 'avgCorrectness',
    rows: 1,
    url: '/v0/eth/operators/nodeOperator%207/summary?window=7d&idType=nodeOperator',
  },
  {
    name: `REST: deep page (rank ${depth})`,
    path: 'deep',
    key: 'sumCommissionPaid',
    rows: 15,
    url: page.rest(depth),
  },
];
