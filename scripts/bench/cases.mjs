// The questions, in the words of each contender. The gateway, Mercurius and Apollo Server take the same documents.
// Each question is asked of several places in turn, as callers do: another operator, or another page. So no contender can
// answer two callers at once because they happen to ask the same.
import { encodeCursor } from '../../dist/kernel/cursor.js';

const operatorOwn = 'operatorId network idType operatorTags { name path idType } displayName';
const operatorFigures = `validatorCount avgCorrectness avgInclusionDelay avgUptime avgValidatorEffectiveness
  clientPercentages { client ratio } networkPenetration relayerPercentages { relayer ratio } nodeOperatorCount
  aprPercentage sumEndEpochBalance sumEndEpochEffectiveBalance`;
const authorityOwn = 'stakeAuthority poolName';
const authorityFigures = `validatorDelegates delegations { validatorVoteAccount validatorName ratio }
  stakingRewardsApy mevRewardsApr delegatorApy sumMissedStakingRewards delegatedStake networkPenetration
  aggregateValidatorEffectiveness blendedVoteCommissionRate blendedMevCommissionRate sumStakingRewards sumMevRewards
  sumRewards sumStakingCommissionPaid sumMevCommissionPaid sumCommissionPaid`;
const fewFigures = 'validatorCount networkPenetration aprPercentage';
const withSummary = (own, figures) => `${own} summary(window: SEVEN_DAYS) { ${figures} }`;
const operatorFields = withSummary(operatorOwn, `window ${operatorFigures}`);
const authorityFields = withSummary(authorityOwn, `window ${authorityFigures}`);
const few = withSummary('operatorId', fewFigures);
// PostGraphile has a row for each window.
const columns = {
  operators: `${operatorOwn} timeWindow ${operatorFigures}`,
  few: `operatorId ${fewFigures}`,
  authorities: `${authorityOwn} timeWindow ${authorityFigures}`,
};
const dayFields =
  'day date validatorCount sumCorrectHead sumMissedAttestations avgAttesterEffectiveness sumEndEpochBalance';

/** How many places a question is asked of. */
export const PLACES = 16;

const operators = (args, fields) => `operators(window: SEVEN_DAYS, ${args}) { nodes { ${fields} } }`;
const authorities = (args) =>
  `stakeAuthorities(window: SEVEN_DAYS, ${args}) { nodes { ${authorityFields} } }`;

// Cursors of the row before a rank: those of the gateway name the list and its revision, those of Mercurius and Apollo do not.
const operatorsFrom = (idType, rank) => ({
  own: encodeCursor(`operators:${JSON.stringify(['mainnet', '7d', idType, 'all', '', ''])}`, [0, rank - 1]),
  plain: plainCursor(rank),
});
const authoritiesFrom = (rank) => ({
  own: encodeCursor('stakeAuthorities:7d:all', [0, rank - 1]),
  plain: plainCursor(rank),
});
const plainCursor = (rank) => Buffer.from(String(rank - 1)).toString('base64url');

/** The same document with the cursors of either kind as its variables. */
const documents = (query, cursors) => {
  const variables = (kind) =>
    Object.fromEntries(Object.entries(cursors).map(([name, of]) => [name, of[kind]]));
  return {
    document: { query, variables: variables('own') },
    plain: { query, variables: variables('plain') },
  };
};

// PostGraphile gives objects of jsonb as they are, and lists by the stored order of the same tables.
const plain = (fields) => fields.replace(/\{[^}]*\}/g, '');
const ranked = (room, list, args, fields) =>
  `all${room}Ranks(condition: { listId: "${list}" }, ${args}) { nodes { ${room[0].toLowerCase()}${room.slice(1)}SummaryBySummaryId { ${plain(fields)} } } }`;
const related = (fields) => `attestationEntityByNetworkAndOperatorIdAndIdType { attestationDaysByEntityKey(
  condition: { utc: false }, orderBy: PRIMARY_KEY_ASC, first: 30) { nodes { ${fields} } } }`;

/** The node operators from a rank on, with so many days of attestations each. */
export const nested = (parents, days, from) =>
  documents(
    `query ($after: String) { ${operators(
      `idType: NODE_OPERATOR, first: ${parents}, after: $after`,
      `operatorId attestations(first: ${days}) { nodes { ${dayFields} } }`,
    )} }`,
    { after: operatorsFrom('nodeOperator', from) },
  );
export const page = {
  rest: (from) => `/v1/solana/delegators/stakeAuthorities?window=7d&offset=${from}&limit=15`,
};
/** The page of stake authorities that begins at a rank. */
export const pageOf = (from, size = 15) =>
  documents(`query ($after: String) { ${authorities(`first: ${size}, after: $after`)} }`, {
    after: authoritiesFrom(from),
  });

/**
 * `key` and `rows`: what an answer has to hold so many times. `at` gives the question of a place, from 1 on; `path` is that
 * of what is written by hand. `lists` are the stored lists that PostGraphile is told, and its cursors; `depth` is the rank of
 * the deep page.
 */
export const graphqlCases = ({ lists, postgraphileCursors, depth }) => [
  {
    name: '15 operators, all fields',
    key: 'avgCorrectness',
    rows: 15,
    at: (place) => operators15('operators15', operatorFields, columns.operators, lists, place),
  },
  {
    name: '15 operators, 4 fields',
    key: 'aprPercentage',
    rows: 15,
    at: (place) => operators15('operators15of4', few, columns.few, lists, place),
  },
  {
    name: '200 stake authorities, all fields',
    key: 'sumCommissionPaid',
    rows: 200,
    at: (place) => ({
      path: `authorities/${place}/200`,
      ...pageOf(place, 200),
      postgraphile: {
        query: `query ($offset: Int) { ${ranked('StakeAuthority', lists.authorities, 'first: 200, offset: $offset', columns.authorities)} }`,
        variables: { offset: place },
      },
    }),
  },
  {
    name: '10 operators × 30 days of attestations',
    key: 'sumCorrectHead',
    rows: 300,
    at: (place) => ({
      path: `attestations/${place}/10/30`,
      ...nested(10, 30, place),
      postgraphile: {
        query: `query ($offset: Int) { ${ranked('Operator', lists.nodeOperator, 'first: 10, offset: $offset', 'operatorId RELATED').replace('RELATED', related(dayFields))} }`,
        variables: { offset: place },
      },
    }),
  },
  {
    name: 'one summary by id',
    key: 'avgCorrectness',
    rows: 1,
    at: (place) => ({
      path: `summary/${place}`,
      document: {
        query: `query ($id: String!) { operator(operatorId: $id, idType: NODE_OPERATOR) {
          ${operatorOwn} summary(window: SEVEN_DAYS) { window ${operatorFigures} } } }`,
        variables: { id: `nodeOperator ${place}` },
      },
      plain: {
        query: `query ($id: String!) { operator(operatorId: $id, idType: NODE_OPERATOR, window: SEVEN_DAYS) { ${operatorFields} } }`,
        variables: { id: `nodeOperator ${place}` },
      },
      postgraphile: {
        query: `query ($id: BigInt!) { operatorSummaryBySummaryId(summaryId: $id) { ${plain(columns.operators)} } }`,
        variables: { id: lists[`nodeOperator ${place}`] },
      },
    }),
  },
  {
    name: `deep page (rank ${depth})`,
    key: 'sumCommissionPaid',
    rows: 15,
    at: (place) => ({
      path: `authorities/${depth + place}/15`,
      ...pageOf(depth + place),
      postgraphile: {
        query: `query ($after: Cursor) { ${ranked('StakeAuthority', lists.authorities, 'first: 15, after: $after', columns.authorities)} }`,
        variables: { after: postgraphileCursors[place] },
      },
    }),
  },
  {
    name: 'dashboard, repeated',
    key: 'networkPenetration',
    rows: 15,
    at: (place) => ({
      path: `dashboard/${place}`,
      ...documents(
        `query ($pools: String, $nodeOperators: String, $authorities: String) {
          pools: ${operators('idType: POOL, first: 5, after: $pools', operatorFields)}
          nodeOperators: ${operators('idType: NODE_OPERATOR, first: 5, after: $nodeOperators', operatorFields)}
          ${authorities('first: 5, after: $authorities')} }`,
        {
          pools: operatorsFrom('pool', place),
          nodeOperators: operatorsFrom('nodeOperator', place),
          authorities: authoritiesFrom(place),
        },
      ),
      postgraphile: {
        query: `query ($offset: Int) {
          pools: ${ranked('Operator', lists.pool, 'first: 5, offset: $offset', columns.operators)}
          nodeOperators: ${ranked('Operator', lists.nodeOperator, 'first: 5, offset: $offset', columns.operators)}
          ${ranked('StakeAuthority', lists.authorities, 'first: 5, offset: $offset', columns.authorities)} }`,
        variables: { offset: place },
      },
    }),
  },
];

const operators15 = (path, fields, stored, lists, from) => ({
  path: `${path}/${from}`,
  ...documents(
    `query ($after: String) { ${operators('idType: NODE_OPERATOR, first: 15, after: $after', fields)} }`,
    { after: operatorsFrom('nodeOperator', from) },
  ),
  postgraphile: {
    query: `query ($offset: Int) { ${ranked('Operator', lists.nodeOperator, 'first: 15, offset: $offset', stored)} }`,
    variables: { offset: from },
  },
});

/** The cursor of a row of the authorities in PostGraphile, which only PostGraphile can make. */
export const postgraphileCursorQuery = (list, rank) =>
  `{ allStakeAuthorityRanks(condition: { listId: "${list}" }, first: 1, offset: ${rank}) { pageInfo { endCursor } } }`;

export const restCases = ({ depth }) => [
  {
    name: 'REST: 15 operators',
    key: 'avgCorrectness',
    rows: 15,
    at: (place) => ({
      path: `operators15/${place}`,
      url: `/v0/eth/operators?window=7d&idType=nodeOperator&size=15&from=${place}`,
    }),
  },
  {
    name: 'REST: 200 stake authorities',
    key: 'sumCommissionPaid',
    rows: 200,
    at: (place) => ({
      path: `authorities/${place}/200`,
      url: `/v1/solana/delegators/stakeAuthorities?window=7d&limit=200&offset=${place}`,
    }),
  },
  {
    name: 'REST: 30 days of attestations',
    key: 'sumCorrectHead',
    rows: 30,
    at: (place) => ({
      path: `records/${place}`,
      url: `/v1/eth/entities/nodeOperator%20${place}/attestations?entityType=nodeOperator&limit=30`,
    }),
  },
  {
    name: 'REST: one summary by id',
    key: 'avgCorrectness',
    rows: 1,
    at: (place) => ({
      path: `summary/${place}`,
      url: `/v0/eth/operators/nodeOperator%20${place}/summary?window=7d&idType=nodeOperator`,
    }),
  },
  {
    name: `REST: deep page (rank ${depth})`,
    key: 'sumCommissionPaid',
    rows: 15,
    at: (place) => ({ path: `authorities/${depth + place}/15`, url: page.rest(depth + place) }),
  },
];
