import { z } from 'zod';
import * as Leaf from '../../../kernel/leaves.ts';
import { amount, BASE58, day, idForm, type RewardsDefinition } from './definition.ts';

const NODE_ID = new RegExp(`^NodeID-[${BASE58}]{24,33}$`); // 20 bytes and a 4-byte checksum
const exampleId = 'NodeID-H19tZhPNMERgPwc7opxwHjXe5eYDVYB22';
const form = `a node id like ${exampleId}`;
const avax = (what: string) => amount(what, 'AVAX');

const totals = {
  totalDelegatorRewards: avax('Rewards paid to delegators'),
  totalValidatorRewards: avax('Rewards paid to validators on their own stake'),
  totalValidatorFeeRewards: avax('Delegation fees paid to validators'),
  totalPotentialDelegatorRewards: avax(
    'Rewards of delegators accrued and paid only when their staking period ends',
  ),
  totalPotentialValidatorRewards: avax(
    'Rewards of validators on their own stake accrued and paid only when their staking period ends',
  ),
  totalPotentialValidatorFeeRewards: avax(
    'Delegation fees accrued and paid only when the staking period ends',
  ),
};

const validator = z
  .object({
    day: day(),
    nodeId: Leaf.text(40).regex(NODE_ID, `must be ${form}`).describe('Node id of the validator, NodeID-….'),
    validationStatus: Leaf.text(64).min(1).describe('State of its validation at the end of the day.'),
    validatorPubkey: Leaf.hex(48)
      .nullable()
      .describe('BLS public key, 0x and 96 hex digits; null for a validator without one.'),
    ...totals,
  })
  .meta({ id: 'AvalancheValidatorReward', description: 'What an Avalanche validator earned in a day.' });

const network = z
  .object({
    day: day(),
    totalActiveValidators: Leaf.count().describe('Validators active at the end of the day, at least 0.'),
    ...totals,
  })
  .meta({ id: 'AvalancheNetworkReward', description: 'What all Avalanche validators earned in a day.' });

export const avalanche: RewardsDefinition = {
  title: 'Avalanche',
  idField: 'nodeId',
  countField: 'totalActiveValidators',
  id: idForm(NODE_ID, form),
  exampleId,
  sums: {
    validatorRewards: ['totalValidatorRewards', 'totalValidatorFeeRewards'],
    delegatorRewards: ['totalDelegatorRewards'],
  },
  validator,
  network,
};
