import { describe, expect, it } from 'vitest';
import { consolidationImporter } from '../../src/ingest/consolidations.ts';
import { networkRewardImporters } from '../../src/ingest/network-rewards.ts';
import { slashingImporter } from '../../src/ingest/slashings.ts';
import { solanaEpochImporter } from '../../src/ingest/solana-facts.ts';
import { validatorDayImporter } from '../../src/ingest/validator-days.ts';
import { leafKind } from '../../src/kernel/leaves.ts';
import { recordOf } from '../../src/resources/network-rewards/record.ts';

// One row of what has not begun would be the end of every window, or the head of the chain.

const key = (digit: string) => `0x${digit.repeat(96)}`;
const slashing = (slashingEpoch: number) => ({
  validatorIndex: 77,
  validatorPubkey: key('7'),
  slashingEpoch,
  withdrawableEpoch: slashingEpoch + 8_192,
  balanceBeforeSlashing: '32000000000',
  balanceBeforeWithdrawal: '31000000000',
  slashingPenalties: '1000000000',
});
const consolidation = (epoch: number) => ({
  sourceValidatorIndex: 1,
  sourceValidatorPubkey: key('1'),
  targetValidatorIndex: 2,
  targetValidatorPubkey: key('2'),
  epoch,
  consolidatedBalance: '32000000000',
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
  ...Object.fromEntries(
    Object.entries(recordOf('solana', 'network').shape).map(([name, leaf]) => [
      name,
      leafKind(leaf) === 'Int' ? 1 : '1',
    ]),
  ),
  day: `${year}-01-01`,
});
const validatorDay = (day: number) => ({
  validatorIndex: 1,
  day,
  startEpoch: day * 225,
  endEpoch: day * 225 + 224,
  totalUniqueAttestations: 225,
  sumMissedAttestations: 0,
  sumCorrectHead: 225,
  sumCorrectTarget: 225,
  sumCorrectSource: 225,
  sumWrongHeadVotes: 0,
  sumWrongTargetVotes: 0,
  sumLateTargetVotes: 0,
  sumLateSourceVotes: 0,
  sumInclusionDelay: 225,
  proposedCount: 0,
  missedProposalCount: 0,
  sumAttestationRewards: '1',
  sumSyncCommitteeRewards: '0',
  sumProposerRewards: '0',
  sumPriorityFees: '0',
  sumBaselineMev: '0',
  endEpochBalance: '32000000000',
  endEpochEffectiveBalance: '32000000000',
});

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
    ['validator-days', validatorDayImporter, 'startEpoch', validatorDay(2_000), validatorDay(90_000)],
  ] as const)('%s', (_name, importer, field, past, future) => {
    expect(importer.check(past, { network: 'mainnet' }).error?.issues ?? []).toEqual([]);
    const issues = importer.check(future, { network: 'mainnet' }).error?.issues ?? [];
    expect(issues.map(({ path, message }) => [path.join(), message])).toEqual([
      [field, expect.stringMatching(/, which has not begun; an? (epoch|day) of the past is needed$/)],
    ]);
  });
});
