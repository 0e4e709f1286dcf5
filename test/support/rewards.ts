/**
 * The networks with daily rewards, each with a field that both of its lists can be sorted by, a validator of the sample
 * data, and ids that are none of its.
 */
export const rewardLists = [
  {
    network: 'avalanche',
    sortedBy: 'totalValidatorFeeRewards',
    id: 'NodeID-H19tZhPNMERgPwc7opxwHjXe5eYDVYB22',
    unknown: 'NodeID-111111111111111111116DBWJs',
    malformed: [
      'H19tZhPNMERgPwc7opxwHjXe5eYDVYB22',
      'nodeid-H19tZhPNMERgPwc7opxwHjXe5eYDVYB22',
      'NodeID-O0Il',
    ],
  },
  {
    network: 'babylon',
    sortedBy: 'totalCommissionRewards',
    id: 'bbnvaloper154xu5xp9xza36mgn9n0dvgmm9mv3u0mjafh6gh',
    unknown: `bbnvaloper1${'q'.repeat(38)}`,
    malformed: ['bbn1', 'bbnvaloper1', `bbnvaloper1${'b'.repeat(38)}`, `celestiavaloper1${'q'.repeat(38)}`],
  },
  {
    network: 'cardano',
    sortedBy: 'totalEarnedValidatorRewards',
    id: 'pool1lkh7tye98nt9ft6dltt3gfaq46ela6fr9790ygglnmjfz547uq9',
    unknown: `pool1${'q'.repeat(51)}`,
    malformed: ['pool1', `pool1${'q'.repeat(50)}`, 'ab'.repeat(27), 'xy'.repeat(28)],
  },
  {
    network: 'celestia',
    sortedBy: 'totalDelegationRewards',
    id: 'celestiavaloper1rl93jughgj2dvjfun4wrgc97xyspu607edt72g',
    unknown: `celestiavaloper1${'q'.repeat(58)}`,
    malformed: ['celestia1', `celestiavaloper1${'q'.repeat(37)}`, `bbnvaloper1${'q'.repeat(38)}`],
  },
  {
    network: 'polkadot',
    sortedBy: 'totalNominatorRewards',
    id: '1tFTUQwz8dpLA8XHpCtR7J4sNmCQTLVcyGeaUr4ii4aAVDV',
    unknown: '111111111111111111111111111111111HC1',
    malformed: ['1tFT', '0xab', `1${'0'.repeat(46)}`],
  },
  {
    network: 'polygon',
    sortedBy: 'totalStake',
    id: '27',
    unknown: '999999999',
    malformed: ['-1', '027', '1.5', 'x', '9999999999'],
  },
  {
    network: 'solana',
    sortedBy: 'epoch',
    id: '6nYZvyXc2nojpE1LMMVm8DkxaGNAy3oaFvkCeNiHay5W',
    unknown: '1'.repeat(32),
    malformed: ['1'.repeat(31), '1'.repeat(45), `${'1'.repeat(31)}0`],
  },
] as const;
