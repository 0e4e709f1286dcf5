import { z } from 'zod';
import * as Leaf from '../../../kernel/leaves.ts';
import { amount, BASE58, day, idForm, type RewardsDefinition, rate } from './definition.ts';

const STASH = new RegExp(`^[${BASE58}]{35,50}$`); // SS58: prefix, 32 bytes, 2-byte checksum
const exampleId = '1tFTUQwz8dpLA8XHpCtR7J4sNmCQTLVcyGeaUr4ii4aAVDV';
const form = `a stash address like ${exampleId}`;
const dot = (what: string) => amount(what, 'DOT');

const era = Leaf.count().describe('Era that the rewards are of.');
const totals = {
  totalStake: dot('Stake at the end of the day, own and nominated'),
  totalValidatorRewards: dot('Rewards of validators, commission included'),
  totalNominatorRewards: dot('Rewards of nominators'),
};

const validator = z
  .object({
    day: day(),
    era,
    validator: Leaf.text(64)
      .regex(STASH, `must be ${form}`)
      .describe('Stash address of the validator (SS58).'),
    commissionRate: rate('Commission of the validator'),
    eraPoints: Leaf.count().describe('Era points of the validator, at least 0.'),
    ...totals,
  })
  .meta({ id: 'PolkadotValidatorReward', description: 'What a Polkadot validator earned in a day.' });

const network = z
  .object({
    day: day(),
    era,
    totalActiveValidators: Leaf.count().describe('Validators active in the era, at least 0.'),
    avgCommissionRate: rate('Mean commission of the active validators'),
    ...totals,
  })
  .meta({ id: 'PolkadotNetworkReward', description: 'What all Polkadot validators earned in a day.' });

export const polkadot: RewardsDefinition = {
  title: 'Polkadot',
  idField: 'validator',
  countField: 'totalActiveValidators',
  id: idForm(STASH, form),
  exampleId,
  sums: { validatorRewards: ['totalValidatorRewards'], delegatorRewards: ['totalNominatorRewards'] },
  // Eras last 24 hours and drift, so two can end on one day. Stakes, commissions and counts of the two must not be summed.
  ofRepeated:
    '; if two eras end on that day, give one row: rewards and points of both added up, the rest of the later era',
  validator,
  network,
};
