import { count, text } from '../../../kernel/leaves.ts';
import { amount, bech32, blocks, day, name, rate } from './definition.ts';

/** Addresses of key accounts have 20 bytes, those of module accounts 32. */
export const operatorAddress = (prefix: string) => bech32(prefix, 38, 58);

const totals = (token: string) => ({
  totalDelegationRewards: amount('Rewards of the delegators', token),
  totalCommissionRewards: amount('Commission of the validators', token),
});

export const cosmosValidator = (pattern: RegExp, form: string, token: string) => ({
  day: day(),
  validator: text(90).regex(pattern, `must be ${form}`).describe('Operator address of the validator.'),
  validatorMoniker: name('Name that the validator gives itself'),
  consensusPubkey: text(256).min(1).describe('Public key that the validator signs blocks with.'),
  accountAddress: text(128).min(1).describe('Account address of the operator.'),
  ...blocks,
  ...totals(token),
  commissionRate: rate('Commission of the validator at the end of the day'),
});

export const cosmosNetwork = (token: string) => ({
  day: day(),
  avgCommissionRate: rate('Mean commission of the bonded validators'),
  ...blocks,
  totalBondedValidators: count().describe('Bonded validators at the end of the day.'),
  ...totals(token),
});
