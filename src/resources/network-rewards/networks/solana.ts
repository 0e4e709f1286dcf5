import { z } from 'zod';
import * as Leaf from '../../../kernel/leaves.ts';
import { amount, BASE58, day, idForm, name, type RewardsDefinition, rate } from './definition.ts';

const exampleId = '6nYZvyXc2nojpE1LMMVm8DkxaGNAy3oaFvkCeNiHay5W';
const sol = (what: string) => amount(what, 'SOL');

const epoch = Leaf.count().describe('Epoch in which the day ends.');
const totals = {
  totalVotingRewards: sol('Rewards of validators for voting'),
  totalProposalRewards: sol('Rewards for proposed blocks (fees)'),
  totalMevRewards: sol('Rewards of validators from MEV tips'),
  totalDelegatorRewards: sol('Rewards of delegators'),
};

const validator = z
  .object({
    day: day(),
    epoch,
    voteAccount: Leaf.base58Key().describe('Vote account of the validator.'),
    validatorName: name('Name of the validator'),
    voteCommissionRate: rate('Commission of the validator on staking rewards'),
    mevCommissionRate: Leaf.decimalRatio()
      .nullable()
      .describe('Commission of the validator on MEV tips, 0..1: 0.05 is 5 %; null where it takes no tips.'),
    ...totals,
  })
  .meta({ id: 'SolanaValidatorReward', description: 'What a Solana validator earned in a day.' });

const network = z
  .object({
    day: day(),
    epoch,
    activeValidatorCount: Leaf.count().describe('Validators active at the end of the day, at least 0.'),
    ...totals,
  })
  .meta({ id: 'SolanaNetworkReward', description: 'What all Solana validators earned in a day.' });

export const solana: RewardsDefinition = {
  title: 'Solana',
  idField: 'voteAccount',
  countField: 'activeValidatorCount',
  nameField: 'validatorName',
  id: idForm(new RegExp(`^[${BASE58}]{32,44}$`), `a vote account like ${exampleId}`),
  exampleId,
  sums: {
    validatorRewards: ['totalVotingRewards', 'totalProposalRewards', 'totalMevRewards'],
    delegatorRewards: ['totalDelegatorRewards'],
  },
  validator,
  network,
};
