import { parse } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import type { Importer } from '../../src/ingest/importer/importer.ts';
import { consolidationImporter } from '../../src/ingest/importers/consolidations.ts';
import { networkRewardImporters } from '../../src/ingest/importers/network-rewards.ts';
import { slashingImporter } from '../../src/ingest/importers/slashings.ts';
import { solanaEpochImporter } from '../../src/ingest/importers/solana-facts.ts';
import { validatorDayImporter } from '../../src/ingest/importers/validator-days.ts';
import { rewardRecord } from '../../src/resources/network-rewards/record.ts';
import { validatorDay } from '../refresh/facts.ts';

// One row of what has not begun would be the end of every window, or the head of the chain.

const key = (digit: string) => `0x${digit.repeat(96)}`;
const slashing = (slashingEpoch: number) => ({
  validatorIndex: 77,
  validatorPubkey: key('7'),
  slashingEpoch,
  withdrawableEpoch: slashingEpoch + 8_192,
  balanceBeforeSlashing: 32_000_000_000,
  balanceBeforeWithdrawal: 31_000_000_000,
  slashingPenalties: 1_000_000_000,
});
const consolidation = (epoch: number) => ({
  sourceValidatorIndex: 1,
  sourceValidatorPubkey: key('1'),
  targetValidatorIndex: 2,
  targetValidatorPubkey: key('2'),
  epoch,
  consolidatedBalance: 32_000_000_000,
});
const solanaEpoch = (year: number) => ({
  epoch: 900,
  startedAt: `${year}-01-01T00:00:00Z`,
  endedAt: `${year}-01-03T00:00:00Z`,
  stakeAccountCount: 10,
  withdrawAuthorityCount: 5,
  stakeAuthorityCount: 5,
  deactivatingStakeAccountCount: null,
});
const solanaReward = (year: number) => ({
  ...Object.fromEntries(Object.keys(rewardRecord('solana', 'network').shape).map((name) => [name, 1])),
  day: `${year}-01-01`,
});

/** What is wrong with a row, as it comes out of a file. */
const faultsOf = (importer: Pick<Importer<unknown>, 'check'>, row: object) =>
  (importer.check(parse(JSON.stringify(row)), { network: 'mainnet' }).error?.issues ?? []).map(
    ({ path, message }) => [path.join(), message],
  );

describe('a row of what has not begun is refused, and one of the past is not', () => {
  it.each([
    ['slashings', slashingImporter, 'slashingEpoch', slashing(400_000), slashing(2_000_000)],
    ['consolidations', consolidationImporter, 'epoch', consolidation(400_000), consolidation(2_000_000)],
    ['solana-epochs', solanaEpochImporter, 'startedAt', solanaEpoch(2_026), solanaEpoch(2_126)],
    [
      'solana-rewards',
      networkRewardImporters['solana-rewards'],
      'day',
      solanaReward(2_026),
      solanaReward(2_126),
    ],
    ['validator-days', validatorDayImporter, 'startEpoch', validatorDay(1, 2_000), validatorDay(1, 90_000)],
  ] as const)('%s', (_name, importer, field, past, future) => {
    expect(faultsOf(importer, past)).toEqual([]);
    expect(faultsOf(importer, future)).toEqual([
      [field, expect.stringMatching(/, which has not begun; an? (epoch|day) of the past is needed$/)],
    ]);
  });

  it('and a day that is none is not called one that has not begun', () => {
    const row = { ...solanaReward(2_026), day: '2025-13-01' };
    expect(faultsOf(networkRewardImporters['solana-rewards'], row)).toEqual([
      ['day', 'must be a date like 2024-03-31'],
    ]);
  });
});
