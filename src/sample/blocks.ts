import { SLOTS_PER_EPOCH } from '../chain/calendar.ts';
import type { Network } from '../chain/networks.ts';
import type { Block, ProposerDuty } from '../resources/blocks/record.ts';
import { headEpoch } from './chain.ts';
import { relays as market } from './mixes.ts';
import { between, chance, hexDigits, noise, pick, type Random, some, stream, whole } from './random.ts';
import { rewardedSlot } from './sync-committee.ts';
import type { SampleValidator } from './validators.ts';

/** A block of the sample data; epoch and time follow from the slot. */
export type SampleBlock = Omit<Block, 'epoch' | 'blockTimestamp'> & { network: Network };

type Plan = { slots: number; missed: number; headNumber: number; gasTarget: number; baseFee: number };

/** The last slots before the head, the share of them that is missed, and the execution chain at the head. */
const plans: Record<Network, Plan> = {
  mainnet: { slots: 2_048, missed: 0.006, headNumber: 23_701_450, gasTarget: 22_500_000, baseFee: 6e8 },
  hoodi: { slots: 320, missed: 0.04, headNumber: 1_551_200, gasTarget: 30_000_000, baseFee: 9e6 },
  holesky: { slots: 64, missed: 0.08, headNumber: 3_540_700, gasTarget: 18_000_000, baseFee: 1e6 },
};

/** Which slot before the head was proposed in vain: the chain went on without it. */
const ORPHANED = 100;

type Builder = { pubkeys: string[]; feeRecipient: string };

const buildersOf = (network: Network, seed: number): Builder[] =>
  Array.from({ length: 8 }, (_, index) => {
    const random = stream(seed, network, 'builder', index);
    const pubkey = () => `0x${pick(random, ['8', '9', 'a', 'b'])}${hexDigits(random, 95)}`;
    return { pubkeys: [pubkey(), pubkey()], feeRecipient: `0x${hexDigits(random, 40)}` };
  });

const hash = (random: Random) => `0x${hexDigits(random, 64)}`;
const gwei = (amount: number): string => String(Math.round(amount));
const plus = (...parts: string[]): string => parts.reduce((sum, part) => sum + BigInt(part), 0n).toString();
/** So many Gwei in wei, with digits that a double cannot hold. */
const oddWei = (random: Random, amount: number): bigint =>
  BigInt(Math.round(amount)) * 1_000_000_000n + BigInt(whole(random, 1, 999_999_999));

/** What proposing earns on the consensus layer, in Gwei: more than nine parts in ten of it for attestations. */
const consensusReward = (random: Random, network: Network): string =>
  gwei((network === 'mainnet' ? 41_000_000 : 38_000_000) * (1 + noise(random) * 0.02));

const nothing = {
  consensusBlockRoot: null,
  executionBlockNumber: null,
  executionBlockHash: null,
  feeRecipient: null,
  totalType0Transactions: null,
  totalType1Transactions: null,
  totalType2Transactions: null,
  totalTransactions: null,
  totalSanctionedTransactions: null,
  totalGasUsed: null,
  baseFeePerGas: null,
  totalBurntFees: null,
  totalType0TxFees: null,
  totalType1TxFees: null,
  totalType2TxFees: null,
  totalPriorityFees: null,
  totalPriorityFeesValidator: null,
  baselineMev: null,
  relays: [],
  blockBuilderPubkeys: [],
};

/** The transactions of a block and what they paid. */
function transactions(random: Random, network: Network, gas: number, baseFee: bigint) {
  const totalTransactions = Math.max(1, Math.round((gas / 125_000) * between(random, 0.8, 1.2)));
  const totalType0Transactions = Math.floor(totalTransactions * between(random, 0.08, 0.2));
  const totalType1Transactions = chance(random, 0.2)
    ? Math.min(whole(random, 1, 2), totalTransactions - 1)
    : 0;
  const newer = Math.min(
    whole(random, 0, 6),
    totalTransactions - totalType0Transactions - totalType1Transactions,
  );
  const gasPrice = (network === 'mainnet' ? 1 : 0.02) * Math.exp(noise(random) * 0.8); // Gwei of priority fee
  const type2 = oddWei(random, gas * 0.8 * gasPrice);
  const type0 = oddWei(random, gas * 0.15 * gasPrice);
  const type1 = totalType1Transactions ? oddWei(random, gas * 0.004 * gasPrice) : 0n;
  return {
    totalTransactions,
    totalType0Transactions,
    totalType1Transactions,
    totalType2Transactions: totalTransactions - totalType0Transactions - totalType1Transactions - newer,
    totalSanctionedTransactions: chance(random, 0.01) ? 1 : 0,
    totalGasUsed: gas,
    baseFeePerGas: baseFee.toString(),
    totalBurntFees: (baseFee * BigInt(gas)).toString(),
    totalType0TxFees: type0.toString(),
    totalType1TxFees: type1.toString(),
    totalType2TxFees: type2.toString(),
    totalPriorityFees: ((type0 + type1 + type2) / 1_000_000_000n).toString(),
  };
}

/** Where the block came from, and what of it the proposer got. */
function payment(random: Random, builders: readonly Builder[], fees: string) {
  if (chance(random, 0.08)) {
    const own = { feeRecipient: `0x${hexDigits(random, 40)}`, relays: [], blockBuilderPubkeys: [] };
    return { ...own, totalPriorityFeesValidator: fees, baselineMev: '0' };
  }
  const builder = builders[Math.floor(random() ** 2.5 * builders.length)] as Builder;
  const pubkey = pick(random, builder.pubkeys);
  const names = market.map(([name]) => name).filter((name) => name !== 'no_mev_boost');
  const relays = some(random, names, whole(random, 1, 4));
  return {
    feeRecipient: builder.feeRecipient,
    relays,
    blockBuilderPubkeys: relays.map(() => pubkey),
    totalPriorityFeesValidator: gwei(Number(fees) * between(random, 0.9, 0.999)),
    baselineMev: chance(random, 0.4) ? '0' : gwei(Number(fees) * Math.exp(noise(random)) * 0.5),
  };
}

/** What was earned, or would have been. */
function rewards(duty: ProposerDuty, execution: string, consensus: string) {
  const [executionRewards, consensusRewards] = duty === 'proposed' ? [execution, consensus] : ['0', '0'];
  const [missedExecutionRewards, missedConsensusRewards] =
    duty === 'proposed' ? ['0', '0'] : [execution, consensus];
  return {
    executionProposerDuty: duty,
    executionRewards,
    missedExecutionRewards,
    consensusProposerDuty: duty,
    consensusRewards,
    missedConsensusRewards,
    totalRewards: plus(executionRewards, consensusRewards),
    totalRewardsMissed: plus(missedExecutionRewards, missedConsensusRewards),
  };
}

function dutyOf(random: Random, network: Network, slot: number): ProposerDuty {
  const drawn = chance(random, plans[network].missed) ? 'missed' : 'proposed';
  const rewarded = rewardedSlot(network, slot);
  if (rewarded) return rewarded === 'missed' ? 'missed' : 'proposed';
  return slot === headEpoch[network] * SLOTS_PER_EPOCH - ORPHANED ? 'orphaned' : drawn;
}

/** The last slots of a network before the head, in order: each was some active validator's to propose. */
export function* blocksOf(
  network: Network,
  validators: readonly SampleValidator[],
  seed: number,
): Generator<SampleBlock> {
  const { slots, headNumber, gasTarget, baseFee: usual } = plans[network];
  const head = headEpoch[network] * SLOTS_PER_EPOCH;
  const now = headEpoch[network] - slots / SLOTS_PER_EPOCH;
  const active = validators.filter(
    ({ activationEpoch, exitEpoch }) =>
      activationEpoch !== null && activationEpoch <= now && (exitEpoch ?? Infinity) > headEpoch[network],
  );
  const builders = buildersOf(network, seed);
  let baseFee = usual;
  let executionBlockNumber = headNumber - slots;
  for (let slot = head - slots; slot < head; slot++) {
    const random = stream(seed, network, 'block', slot);
    const duty = dutyOf(random, network, slot);
    const { validatorIndex } = pick(random, active);
    const consensus = consensusReward(random, network);
    const gas = Math.round(gasTarget * Math.min(1.98, Math.max(0.2, 1 + noise(random) * 0.3)));
    const paid = transactions(random, network, gas, BigInt(Math.round(baseFee)));
    const got = payment(random, builders, paid.totalPriorityFees);
    const execution = plus(got.totalPriorityFeesValidator, got.baselineMev);
    const common = { network, consensusSlot: slot, validatorIndex, ...rewards(duty, execution, consensus) };
    if (duty === 'missed') {
      yield { ...common, ...nothing };
      continue;
    }
    // the number of an orphaned block is that of the block in its place
    const number = duty === 'orphaned' ? executionBlockNumber + 1 : ++executionBlockNumber;
    const roots = { consensusBlockRoot: hash(random), executionBlockHash: hash(random) };
    yield { ...common, ...roots, executionBlockNumber: number, ...paid, ...got };
    if (duty === 'proposed') baseFee *= 1 + (gas / gasTarget - 1) / 8; // EIP-1559
    baseFee += (usual - baseFee) * 0.02;
  }
}
