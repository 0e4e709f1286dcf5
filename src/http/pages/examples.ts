export const exampleQueries: { query: string; variables?: Record<string, unknown> }[] = [
  {
    query: `# The largest pools of the last week. Press Ctrl-Enter to run.
query LargestPools {
  operators(window: SEVEN_DAYS, idType: POOL, first: 5) {
    totalCount
    nodes {
      operatorId
      summary(window: SEVEN_DAYS) {
        validatorCount
        networkPenetration
        avgValidatorEffectiveness
        aprPercentage
      }
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
    query: `# A search box: names, addresses, public keys, indices, slots and hashes.
query SearchBox($text: String!) {
  search(query: $text, first: 8) {
    kind
    text
    matched
    score
    node {
      id
      ... on Operator {
        operatorId
        idType
      }
      ... on Validator {
        validatorIndex
      }
      ... on Block {
        consensusSlot
      }
    }
  }
}
`,
    variables: { text: 'alder liquid' },
  },
  {
    query: `# Pools with the node operators behind them, and how they did in the last day.
query PoolsAndShares($pools: Int!, $shares: Int!) {
  operators(window: THIRTY_DAYS, idType: POOL, first: $pools) {
    nodes {
      displayName
      summary(window: THIRTY_DAYS) {
        validatorCount
      }
      lastDay: summary(window: ONE_DAY) {
        avgUptime
      }
      poolShares(window: THIRTY_DAYS, first: $shares) {
        nodes {
          operatorId
          summary(window: THIRTY_DAYS) {
            validatorCount
            avgUptime
          }
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
      attestations(granularity: WEEK, first: 4) {
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
    query: `# The last slashed validators, and what it cost them in Gwei.
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
      slashings(first: 3) {
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
                reward
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
    query: `# What the sync committee earned in the newest block, in Gwei; negative for a missed signature.
query SyncCommitteeRewards {
  blocks(first: 1) {
    nodes {
      consensusSlot
      syncCommitteeRewards(first: 10) {
        totalCount
        nodes {
          validatorIndex
          reward
          blockTimestamp
          validator {
            operators {
              idType
              operatorId
            }
          }
        }
      }
    }
  }
}
`,
  },
  {
    query: `# The newest blocks: who proposed them, through which relays, and what it earned in Gwei.
query NewestBlocks {
  blocks(first: 5) {
    totalCount
    nodes {
      consensusSlot
      blockTimestamp
      consensusOutcome
      relays
      totalBurntFees
      totalRewards
      proposer {
        validatorIndex
        nodeOperator
        proposedBlocks(first: 2) {
          totalCount
        }
      }
      syncCommitteeRewards(first: 2) {
        nodes {
          validatorIndex
          reward
        }
      }
    }
  }
}
`,
  },
  {
    query: `# Blocks as they come, without asking again. The first event has the present revision; stop with the button.
subscription NewBlocks {
  blockAdded {
    revision
    blocks {
      consensusSlot
      blockTimestamp
      consensusOutcome
      proposer {
        validatorIndex
        nodeOperator
      }
    }
  }
}
`,
  },
  {
    query: `# Tells when an import, a refresh or an index has changed a dataset.
subscription Changes($names: [String!]) {
  datasetChanged(names: $names) {
    datasets {
      name
      revision
      refreshedAt
    }
  }
}
`,
    variables: { names: ['operators', 'blocks'] },
  },
  {
    query: `# What the network earned, chain day by chain day, in Gwei.
query ChainDailyRewards {
  chainDailyRewards(first: 7) {
    nodes {
      day
      date
      sumConsensusRewards
      sumExecutionRewards
      sumBaselineMev
      sumEffectiveBalance
    }
  }
}
`,
  },
  {
    query: `# How far the churn limit of consolidations was used, who used it in the last month, and its largest ones.
query Consolidations {
  consolidationCapacities {
    window
    consolidationChurnLimit
    capacityFilled
  }
  operatorConsolidationCapacities(window: THIRTY_DAYS, first: 3) {
    nodes {
      operatorId
      consolidationCount
      capacityShare
    }
  }
  consolidations(orderBy: { field: CONSOLIDATED_BALANCE }, first: 5) {
    totalCount
    nodes {
      date
      consolidatedBalance
      sourceEntities {
        idType
        operatorId
      }
      target {
        validatorIndex
        nodeOperator
      }
    }
  }
}
`,
  },
  {
    query: `# Solana as a whole over each window; amounts in SOL, rates as ratios.
query SolanaOverview {
  solanaNetworkOverviews {
    window
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
      summary(window: $window) {
        delegatedStake
        networkPenetration
        delegatorApy
        validatorDelegates
      }
      lastDay: summary(window: ONE_DAY) {
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
    query: `# What a validator earned day by day, newest first, beside its network; each network has fields of its own.
query DailyRewards($validator: String!) {
  validatorRewards(network: SOLANA, validatorId: $validator, first: 7) {
    totalCount
    nodes {
      date
      ... on SolanaValidatorReward {
        epoch
        voteCommissionRate
        totalVotingRewards
        totalMevRewards
        totalDelegatorRewards
      }
    }
  }
  networkRewards(network: SOLANA, first: 7) {
    nodes {
      date
      ... on SolanaNetworkReward {
        activeValidatorCount
        totalDelegatorRewards
      }
    }
  }
}
`,
    variables: { validator: '6nYZvyXc2nojpE1LMMVm8DkxaGNAy3oaFvkCeNiHay5W' },
  },
  {
    query: `# The Solana validators that earned most on the newest day, their week before, and the network to compare with, in SOL.
query LargestValidators {
  networkValidators(network: SOLANA, orderBy: { field: VALIDATOR_REWARDS, direction: DESC }, first: 3) {
    totalCount
    nodes {
      date
      displayName
      validator
      validatorRewards
      history(first: 7) {
        nodes {
          date
          validatorRewards
        }
      }
    }
  }
  networkRewards(network: SOLANA, first: 1) {
    nodes {
      date
      validatorRewards
    }
  }
}
`,
  },
  {
    query: `# Your private sets of validators: how well they did and what they earned, in Gwei, week by week.
query PrivateSets {
  privateSets(first: 5) {
    nodes {
      name
      setId
      validators(first: 3) {
        totalCount
        nodes {
          validatorIndex
        }
      }
      effectiveness(granularity: WEEK, first: 4) {
        nodes {
          startDate
          avgValidatorEffectiveness
          avgUptime
        }
      }
      rewards(granularity: MONTH) {
        nodes {
          startDate
          sumConsensusRewards
          sumExecutionRewards
        }
      }
    }
  }
}
`,
  },
  {
    query: `# Keep a page of the explorer under a name. \`savedViews\` lists those of your account.
mutation SaveView($name: String!, $path: String!) {
  createSavedView(input: { name: $name, path: $path }) {
    savedView {
      viewId
    }
    userErrors {
      field
      message
    }
  }
}
`,
    variables: { name: 'Pools of the week', path: '/explore/operators?range=7d' },
  },
  {
    query: `# Group validators of yours into a private set, each by index or public key.
mutation NewPrivateSet($name: String!, $validators: [ValidatorBy!]) {
  createPrivateSet(input: { name: $name, validators: $validators }) {
    privateSet {
      setId
    }
    userErrors {
      field
      message
    }
  }
}
`,
    variables: { name: 'My validators', validators: [] },
  },
  {
    query: `# Who asks, and what is left. It costs nothing while anything is left; what other queries cost is in their extensions.
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
