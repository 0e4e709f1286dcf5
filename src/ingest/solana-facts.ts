import { z } from 'zod';
import { decode } from '../kernel/decode.ts';
import {
  base58Key,
  bigCount,
  count,
  decimalRatio,
  moment,
  nonNegativeDecimal,
  text,
} from '../kernel/leaves.ts';
import { parseDateTime } from '../kernel/time.ts';
import { futureFault } from './given-time.ts';
import { columnsOf, type Importer, isObject, snakeCased } from './importer.ts';
import { mergePlain } from './plain-table.ts';

/** 12 digits before the point leave headroom: the total supply of SOL has 9. */
const sol = () =>
  nonNegativeDecimal().refine(
    (digits) => /^\d{1,12}(\.\d{1,9})?$/.test(digits),
    'must have at most 12 digits before and 9 after the point',
  );
const rate = () =>
  decimalRatio().refine((digits) => digits.length <= 20, 'must have at most 18 digits after the point');

type Fault = (path: string, message: string) => void;

type Pairs<Row> = readonly (readonly [part: keyof Row & string, whole: keyof Row & string])[];
function checkParts<Row>(row: Row, fault: Fault, pairs: Pairs<Row>) {
  for (const [part, whole] of pairs) {
    if (Number(row[part]) > Number(row[whole]))
      fault(part, `is ${row[part]}, more than ${whole} ${row[whole]}`);
  }
}

/** Refuses wrong yields: compounding them over a year overflows. An epoch pays about 0.04 %. */
function checkYield<Row>(row: Row, fault: Fault, rewards: keyof Row & string, stake: keyof Row & string) {
  if (Number(row[rewards]) * 10 > Number(row[stake]))
    fault(rewards, `is ${row[rewards]}, more than a tenth of ${stake} ${row[stake]}: no epoch pays that`);
}

function factImporter<Shape extends z.ZodObject>(
  resource: string,
  name: string,
  key: readonly string[],
  shape: Shape,
  faults: (row: z.infer<Shape>, fault: Fault) => void,
): Importer<z.infer<Shape>> {
  const checked = shape.pipe(z.custom<z.infer<Shape>>()).superRefine((row, context) => {
    faults(row, (path, message) => context.addIssue({ code: 'custom', path: [path], message }));
  });
  const columns = columnsOf(shape);
  return {
    resource,
    shape,
    check: (raw) => checked.safeParse(isObject(raw) ? decode(shape, raw) : raw),
    columns,
    stored: snakeCased,
    key,
    merge: (client, options) => mergePlain(client, { name, key, columns, scope: ['epoch'] }, options),
  };
}

const SolanaEpoch = z.object({
  epoch: count(),
  startedAt: moment(),
  endedAt: moment(),
  stakeAccountCount: count(),
  withdrawAuthorityCount: count(),
  stakeAuthorityCount: count(),
  deactivatingStakeAccountCount: count().nullable(),
});
export const solanaEpochImporter = factImporter(
  'solana-epochs',
  'solana_epochs',
  ['epoch'],
  SolanaEpoch,
  (row, fault) => {
    const [started, ended] = [parseDateTime(row.startedAt), parseDateTime(row.endedAt)] as [number, number];
    if (ended <= started) fault('endedAt', `is ${row.endedAt}, not after startedAt ${row.startedAt}`);
    const future = futureFault(row.startedAt, started, 'an epoch');
    if (future) fault('startedAt', future);
    checkParts(row, fault, [
      ['withdrawAuthorityCount', 'stakeAccountCount'],
      ['stakeAuthorityCount', 'stakeAccountCount'],
    ]);
  },
);

const SolanaValidatorEpoch = z.object({
  epoch: count(),
  voteAccount: base58Key(),
  validatorName: text().nullable(),
  activeStake: sol(),
  effectiveness: rate(),
  voteCommissionRate: rate(),
  mevCommissionRate: rate(),
  votesDue: count(),
  votesLanded: count(),
  sumVotingLatency: bigCount(),
  leaderSlots: count(),
  producedBlocks: count(),
  votingRewards: sol(),
  votingCommission: sol(),
  mevRewards: sol(),
  mevCommission: sol(),
  proposalRewards: sol(),
  rentRewards: sol(),
  votingCosts: sol(),
});
export const solanaValidatorEpochImporter = factImporter(
  'solana-validator-epochs',
  'solana_validator_epochs',
  ['epoch', 'vote_account'],
  SolanaValidatorEpoch,
  (row, fault) => {
    checkParts(row, fault, [
      ['votesLanded', 'votesDue'],
      ['producedBlocks', 'leaderSlots'],
      ['votingCommission', 'votingRewards'],
      ['mevCommission', 'mevRewards'],
    ]);
    checkYield(row, fault, 'votingRewards', 'activeStake');
    if (Number(row.sumVotingLatency) < row.votesLanded)
      fault(
        'sumVotingLatency',
        `is ${row.sumVotingLatency}; ${row.votesLanded} votes take a slot each at least`,
      );
  },
);

const SolanaStakeAuthorityEpoch = z.object({
  epoch: count(),
  stakeAuthority: base58Key(),
  voteAccount: base58Key(),
  poolName: text().min(1).nullable(),
  delegatedStake: sol(),
  stakingRewards: sol(),
  mevRewards: sol(),
  stakingCommissionPaid: sol(),
  mevCommissionPaid: sol(),
});
export const solanaStakeAuthorityEpochImporter = factImporter(
  'solana-stake-authority-epochs',
  'solana_stake_authority_epochs',
  ['epoch', 'stake_authority', 'vote_account'],
  SolanaStakeAuthorityEpoch,
  (row, fault) => checkYield(row, fault, 'stakingRewards', 'delegatedStake'),
);
