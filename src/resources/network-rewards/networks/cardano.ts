import { z } from 'zod';
import { count, text } from '../../../kernel/leaves.ts';
import { amount, bech32, bech32Form, blocks, day, name, type RewardsDefinition, rate } from './definition.ts';

const POOL = bech32('pool', 51); // 28 bytes
const exampleId = 'pool1lkh7tye98nt9ft6dltt3gfaq46ela6fr9790ygglnmjfz547uq9';
const form = `a pool id like ${exampleId}`;
const ada = (what: string) => amount(what, 'ADA');

const epoch = count().describe('Epoch that the day falls in.');
const totals = {
  totalRealizedDelegatorRewards: ada('Rewards of delegators paid out'),
  totalRealizedValidatorRewards: ada('Rewards of pool operators paid out'),
  totalEarnedDelegatorRewards: ada('Rewards that delegators earned, paid out epochs later'),
  totalEarnedValidatorRewards: ada('Rewards that pool operators earned, paid out epochs later'),
};

const validator = z
  .object({
    day: day(),
    epoch,
    ...blocks,
    fromSlotNumber: count().describe('First slot of the rewards, inclusive.'),
    toSlotNumber: count().describe('Last slot of the rewards, inclusive.'),
    poolId: text(90).regex(POOL, `must be ${form}`).describe('Id of the stake pool, pool1….'),
    poolHashId: count().nullable().describe('Number of the pool in the source; null where it has none.'),
    poolName: name('Name of the pool'),
    poolTicker: name('Ticker of the pool'),
    poolOwnerStakeAddresses: z
      .array(text(128).min(1))
      .max(1_000)
      .describe('Stake addresses of the owners of the pool.'),
    poolFee: rate('Margin of the pool'),
    poolFlatFee: ada('Fixed cost that the pool takes in an epoch'),
    ...totals,
  })
  .meta({ id: 'CardanoValidatorReward', description: 'What a Cardano stake pool earned in a day.' });

const network = z
  .object({
    day: day(),
    epoch,
    avgPoolFee: rate('Mean margin of the active pools'),
    avgPoolFlatFee: ada('Mean fixed cost of the active pools'),
    totalActivePools: count().describe('Active pools at the end of the day.'),
    ...totals,
  })
  .meta({ id: 'CardanoNetworkReward', description: 'What all Cardano stake pools earned in a day.' });

export const cardano: RewardsDefinition = {
  title: 'Cardano',
  idField: 'poolId',
  countField: 'totalActivePools',
  id: bech32Form(POOL, form),
  exampleId,
  validator,
  network,
};
