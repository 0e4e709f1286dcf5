import { z } from 'zod';
import * as Leaf from '../../kernel/leaves.ts';
import { parseDateTime } from '../../kernel/time.ts';
import { futureFaults } from '../importer/given-time.ts';
import type { Fault } from '../importer/importer.ts';
import { mergePlain, plainImporter } from '../merge/plain-table.ts';

/** An epoch takes about two days. */
const epoch = () => Leaf.count().max(999_999);
/** 12 digits before the point suffice: the total supply of SOL has 9. */
const sol = () =>
  Leaf.nonNegativeDecimal().refine(
    (digits) => /^\d{1,12}(\.\d{1,9})?$/.test(digits),
    'must have at most 12 digits before and 9 after the point',
  );
const rate = () =>
  Leaf.decimalRatio().refine((digits) => digits.length <= 20, 'must have at most 18 digits after the point');

type Pairs<Row> = readonly (readonly [part: keyof Row & string, whole: keyof Row & string])[];
function partFaults<Row>(row: Row, pairs: Pairs<Row>): Fault[] {
  const faults: Fault[] = [];
  for (const [part, whole] of pairs)
    if (Number(row[part]) > Number(row[whole]))
      faults.push([part, `is ${row[part]}, more than ${whole} ${row[whole]}`]);
  return faults;
}

/** Refuses yields that would overflow when compounded over a year. An epoch really pays about 0.04 %. */
const yieldFaults = <Row>(row: Row, rewards: keyof Row & string, stake: keyof Row & string): Fault[] =>
  Number(row[rewards]) * 10 > Number(row[stake])
    ? [[rewards, `is ${row[rewards]}, more than a tenth of ${stake} ${row[stake]}: no epoch pays that`]]
    : [];

export const solanaEpochImporter = plainImporter({
  resource: 'solana-epochs',
  key: ['epoch'],
  scope: ['epoch'],
  shape: z.object({
    epoch: epoch(),
    startedAt: Leaf.moment(),
    endedAt: Leaf.moment(),
    stakeAccountCount: Leaf.count(),
    withdrawAuthorityCount: Leaf.count(),
    stakeAuthorityCount: Leaf.count(),
    deactivatingStakeAccountCount: Leaf.count().nullable(),
  }),
  *faults(row) {
    const [started, ended] = [parseDateTime(row.startedAt), parseDateTime(row.endedAt)] as [number, number];
    if (ended <= started) yield ['endedAt', `is ${row.endedAt}, not after startedAt ${row.startedAt}`];
    yield* futureFaults('startedAt', row.startedAt, started, 'an epoch');
    yield* partFaults(row, [
      ['withdrawAuthorityCount', 'stakeAccountCount'],
      ['stakeAuthorityCount', 'stakeAccountCount'],
    ]);
  },
});

const partsOfValidators = [
  ['votesLanded', 'votesDue'],
  ['producedBlocks', 'leaderSlots'],
  ['votingCommission', 'votingRewards'],
  ['mevCommission', 'mevRewards'],
] as const;

export const solanaValidatorEpochImporter = plainImporter({
  resource: 'solana-validator-epochs',
  key: ['epoch', 'vote_account'],
  scope: ['epoch'],
  shape: z.object({
    epoch: epoch(),
    voteAccount: Leaf.base58Key(),
    validatorName: Leaf.text().nullable(),
    activeStake: sol(),
    effectiveness: rate(),
    voteCommissionRate: rate(),
    mevCommissionRate: rate(),
    votesDue: Leaf.count(),
    votesLanded: Leaf.count(),
    sumVotingLatency: Leaf.storedCount(),
    leaderSlots: Leaf.count(),
    producedBlocks: Leaf.count(),
    votingRewards: sol(),
    votingCommission: sol(),
    mevRewards: sol(),
    mevCommission: sol(),
    proposalRewards: sol(),
    rentRewards: sol(),
    votingCosts: sol(),
  }),
  faults(row) {
    const faults = partFaults(row, partsOfValidators);
    faults.push(...yieldFaults(row, 'votingRewards', 'activeStake'));
    if (Number(row.sumVotingLatency) < row.votesLanded) {
      const message = `is ${row.sumVotingLatency}; ${row.votesLanded} votes take a slot each at least`;
      faults.push(['sumVotingLatency', message]);
    }
    return faults;
  },
});

export const solanaStakeAuthorityEpochImporter = plainImporter({
  resource: 'solana-stake-authority-epochs',
  key: ['epoch', 'stake_authority', 'vote_account'],
  scope: ['epoch'],
  shape: z.object({
    epoch: epoch(),
    stakeAuthority: Leaf.base58Key(),
    voteAccount: Leaf.base58Key(),
    poolName: Leaf.text().min(1).nullable(),
    delegatedStake: sol(),
    stakingRewards: sol(),
    mevRewards: sol(),
    stakingCommissionPaid: sol(),
    mevCommissionPaid: sol(),
  }),
  faults: (row) => yieldFaults(row, 'stakingRewards', 'delegatedStake'),
  async merge(client, table, options) {
    const { rows } = await client.query<{ epoch: number }>(
      '/* stagedEpochs */ select distinct epoch from staged order by epoch',
    );
    const epochs = rows.map(({ epoch }) => epoch);
    await client.query('/* solanaEpochParts */ select solana_epoch_parts($1::int[])', [epochs]);
    const [first, last] = [epochs[0], epochs.at(-1)];
    const within = (at: number) => ({
      text: `t.epoch between $${at}::int and $${at + 1}::int`,
      values: [first, last],
    });
    return mergePlain(client, { ...table, ...(epochs.length > 0 && { within }) }, options);
  },
});
