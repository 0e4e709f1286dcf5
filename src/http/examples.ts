/** The queries GraphiQL opens with. A test runs each on the sample data: they work as they are. */
export const exampleQueries: { query: string; variables?: Record<string, unknown> }[] = [
  {
    query: `# The largest pools of the last week. Press Ctrl-Enter to run.
query LargestPools {
  operators(window: SEVEN_DAYS, idType: POOL, first: 5) {
    totalCount
    nodes {
      operatorId
      validatorCount
      networkPenetration
      avgValidatorEffectiveness
      aprPercentage
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
`,
  },
  {
    query: `# Pools with the node operators behind them, and how they did in the last day.
query PoolsAndShares($pools: Int!, $shares: Int!) {
  operators(window: THIRTY_DAYS, idType: POOL, first: $pools) {
    nodes {
      displayName
      validatorCount
      in(window: ONE_DAY) {
        avgUptime
      }
      poolShares(first: $shares) {
        nodes {
          operatorId
          validatorCount
          avgUptime
        }
      }
    }
  }
}
`,
    variables: { pools: 3, shares: 3 },
  },
  {
    query: `# Validators slashed, and what it cost them in Gwei.
query Slashings {
  slashings(first: 10) {
    totalCount
    edges {
      cursor
      node {
        validatorIndex
        slashingEpoch
        withdrawableEpoch
        slashingPenalties
      }
    }
  }
}
`,
  },
];
