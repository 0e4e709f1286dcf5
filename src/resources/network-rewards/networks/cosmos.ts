import { z } from 'zod';
import * as Leaf from '../../../kernel/leaves.ts';
import {
  amount,
  bech32,
  bech32Form,
  blockNumbers,
  day,
  name,
  type RewardsDefinition,
  rate,
} from './definition.ts';

/** Addresses have 20 bytes for key accounts and 32 bytes for module accounts. */
const operatorAddress = (prefix: string) => bech32(`${prefix}valoper`, 38, 58);

const totals = (token: string) => ({
  totalDelegationRewards: amount('Rewards of the delegators', token),
  totalCommissionRewards: amount('Commission of the validators', token),
});

const validatorOf = (pattern: RegExp, form: string, token: string) => ({
  day: day(),
  validator: Leaf.text(90).regex(pattern, `must be ${form}`).describe('Operator address of the validator.'),
  validatorMoniker: name('Name that the validator gives itself'),
  consensusPubkey: Leaf.text(256).min(1).describe('Public key that the validator signs blocks with.'),
  accountAddress: Leaf.text(128).min(1).describe('Account address of the operator.'),
  ...blockNumbers,
  ...totals(token),
  commissionRate: rate('Commission of the validator at the end of the day'),
});

const networkOf = (token: string) => ({
  day: day(),
  avgCommissionRate: rate('Mean commission of the bonded validators'),
  ...blockNumbers,
  totalBondedValidators: Leaf.count().describe('Bonded validators at the end of the day, at least 0.'),
  ...totals(token),
});

export function cosmosChain(
  chain: { title: string; prefix: string; token: string; exampleId: string },
  more: z.ZodRawShape = {},
): RewardsDefinition {
  const { title, prefix, token, exampleId } = chain;
  const pattern = operatorAddress(prefix);
  const form = `an operator address like ${exampleId}`;
  return {
    title,
    idField: 'validator',
    countField: 'totalBondedValidators',
    nameField: 'validatorMoniker',
    id: bech32Form(pattern, form),
    exampleId,
    sums: { validatorRewards: ['totalCommissionRewards'], delegatorRewards: ['totalDelegationRewards'] },
    validator: z.object({ ...validatorOf(pattern, form, token), ...more }).meta({
      id: `${title}ValidatorReward`,
      description: `What a ${title} validator earned in a day.`,
    }),
    network: z.object(networkOf(token)).meta({
      id: `${title}NetworkReward`,
      description: `What all ${title} validators earned in a day.`,
    }),
  };
}
