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
    query: `# How the largest pools attested, week by week, newest first.
query WeeksOfPools {
  operators(window: THIRTY_DAYS, idType: POOL, first: 3) {
    nodes {
      displayName
      attestations(granularity: WEEK, sortOrder: DESC, first: 4) {
        nodes {
          startDate
          endDate
          avgAttesterEffectiveness
          sumMissedAttestations
        }
      }
    }
  }
}
`,
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
  {
    query: `# The largest pools, their slashed validators, and what those earned on sync committees.
query SlashedValidatorsOfPools($pools: Int!) {
  operators(window: SEVEN_DAYS, idType: POOL, first: $pools) {
    nodes {
      operatorId
      slashings(last: 3) {
        totalCount
        nodes {
          slashingPenalties
          validator {
            validatorIndex
            nodeOperator
            exitEpoch
            syncCommitteeRewards(first: 2) {
              nodes {
                consensusSlot
                syncCommitteeRewards
              }
            }
          }
        }
      }
    }
  }
}
`,
    variables: { pools: 10 },
  },
  {
    query: `# What the sync committee earned in a block, in Gwei; negative for a missed signature.
query SyncCommitteeRewards($slot: Int!) {
  syncCommitteeRewards(slot: $slot, first: 10) {
    totalCount
    nodes {
      validatorIndex
      syncCommitteeRewards
      blockTimestamp
      validator {
        operators(window: SEVEN_DAYS) {
          idType
          operatorId
        }
      }
    }
  }
}
`,
    variables: { slot: 12927610 },
  },
  {
    query: `# Solana as a whole over each window; amounts in SOL, rates as ratios.
query SolanaOverview {
  solanaNetworkOverviews {
    timeWindow
    networkEffectiveness
    delegatorApy
    rewardsSolanaVoting
    rewardsSolanaMev
    totalDelegatedStake
    giniCoefficient
  }
}
`,
  },
  {
    query: `# The largest Solana stake pools, and what they earned in the last day.
query StakePools($window: TimeWindow!) {
  stakeAuthorities(window: $window, type: POOL, first: 5) {
    totalCount
    nodes {
      poolName
      stakeAuthority
      delegatedStake
      networkPenetration
      delegatorApy
      validatorDelegates
      in(window: ONE_DAY) {
        sumRewards
        sumCommissionPaid
      }
    }
  }
}
`,
    variables: { window: 'THIRTY_DAYS' },
  },
  {
    query: `# Who asks, and what is left. It costs nothing; what other queries cost is in their extensions.
query Viewer {
  viewer {
    account
    tier
    rateLimit {
      requestsPerSecond
      remaining
    }
    usage {
      unitsUsed
      unitsRemaining
      resetsAt
    }
  }
}
`,
  },
];
