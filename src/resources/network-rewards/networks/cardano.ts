import { bech32 as codec } from '@scure/base';
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
  type RowFaults,
  rate,
} from './definition.ts';

const POOL = bech32('pool', 51); // 28 bytes
const HASH = /^[0-9a-f]{56}$/;
const exampleId = 'pool1lkh7tye98nt9ft6dltt3gfaq46ela6fr9790ygglnmjfz547uq9';
const idForm = `a pool id like ${exampleId}`;
const form = `${idForm}, or its hash of 56 hex digits`;
/** `hash` is 56 lower-case hex digits (CIP-5). */
export const poolIdOfHash = (hash: string): string =>
  codec.encode('pool', codec.toWords(Buffer.from(hash, 'hex')));
/** Throws for a wrong checksum. */
export const hashOfPoolId = (poolId: string): string =>
  Buffer.from(codec.decodeToBytes(poolId).bytes).toString('hex');

const ofId = bech32Form(POOL, form);
const readId = (given: string): string | undefined =>
  HASH.test(given.toLowerCase()) ? poolIdOfHash(given.toLowerCase()) : ofId.read(given);

/** Lowercases the hash, because sources use any letter case. */
const tidied = (row: Record<string, unknown>) =>
  typeof row.poolHashId === 'string' ? { ...row, poolHashId: row.poolHashId.toLowerCase() } : row;

function* faults({ poolId, poolHashId }: Record<string, unknown>): RowFaults {
  if (typeof poolHashId !== 'string' || !HASH.test(poolHashId)) return; // the schema reports this fault
  const hashed = poolIdOfHash(poolHashId);
  if (poolId !== hashed) yield ['poolHashId', `is ${poolHashId}, the hash of ${hashed}; poolId is ${poolId}`];
}

const ada = (what: string) => amount(what, 'ADA');

const epoch = Leaf.count().describe('Epoch that the day falls in.');
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
    ...blockNumbers,
    fromSlotNumber: Leaf.count().describe('First slot of the rewards, inclusive.'),
    toSlotNumber: Leaf.count().describe('Last slot of the rewards, inclusive.'),
    poolId: Leaf.text(90).regex(POOL, `must be ${idForm}`).describe('Id of the stake pool, pool1….'),
    poolHashId: Leaf.text(56)
      .regex(HASH, 'must be the hash of the pool, 56 hex digits in lower case')
      .nullable()
      .describe('Hash of the pool that its id stands for, 56 hex digits; null where the source has none.'),
    poolName: name('Name of the pool'),
    poolTicker: name('Ticker of the pool'),
    poolOwnerStakeAddresses: z
      .array(Leaf.text(128).min(1))
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
    totalActivePools: Leaf.count().describe('Active pools at the end of the day, at least 0.'),
    ...totals,
  })
  .meta({ id: 'CardanoNetworkReward', description: 'What all Cardano stake pools earned in a day.' });

export const cardano: RewardsDefinition = {
  title: 'Cardano',
  idField: 'poolId',
  countField: 'totalActivePools',
  nameField: 'poolName',
  id: { form, schema: { type: 'string' }, read: readId },
  tidied,
  faults,
  exampleId,
  sums: {
    validatorRewards: ['totalEarnedValidatorRewards'],
    delegatorRewards: ['totalEarnedDelegatorRewards'],
  },
  validator,
  network,
};
