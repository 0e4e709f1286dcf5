import graphql from '@graphql-eslint/eslint-plugin';

/** Parts of one object, without an identity of their own. */
const withoutIdentity = [
  'AsOf',
  'BidBuilder',
  'ClientPercentage',
  'ConsolidationEntity',
  'DatasetKeptFrom',
  'DatasetMissingEpochs',
  'DatasetOrigin',
  'OperatorChange',
  'OperatorTag',
  'PageInfo',
  'PayloadBid',
  'PrivateSetProgress',
  'ProposalCounts',
  'RankedValidator',
  'RateLimit',
  'RelayerPercentage',
  'StakeAuthorityChange',
  'StakeDelegation',
  'Usage',
  'UserError',
  'Viewer',
];

/** Lints schema.graphql only; Biome lints everything else. */
export default [
  {
    files: ['schema.graphql'],
    plugins: { '@graphql-eslint': graphql },
    languageOptions: {
      parser: graphql.parser,
      parserOptions: { graphQLConfig: { schema: 'schema.graphql' } },
    },
    rules: {
      ...graphql.configs['flat/schema-recommended'].rules,
      ...graphql.configs['flat/schema-relay'].rules,
      // Fields have the names of the REST interface: operatorId, slashingEpoch.
      '@graphql-eslint/no-typename-prefix': 'off',
      '@graphql-eslint/strict-id-in-types': [
        'error',
        {
          acceptedIdNames: ['id'],
          acceptedIdTypes: ['ID'],
          exceptions: { suffixes: ['Connection', 'Edge', 'Payload'], types: withoutIdentity },
        },
      ],
      '@graphql-eslint/relay-edge-types': [
        'error',
        {
          withEdgeSuffix: true,
          // Rows without a natural key, such as periods, have an id that `node` does not find.
          shouldImplementNode: false,
          // Connections list their rows in `nodes` too, and short lists have no pages.
          listTypeCanWrapOnlyEdgeType: false,
        },
      ],
    },
  },
];
