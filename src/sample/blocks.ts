import { SLOTS_PER_EPOCH } from '../chain/calendar.ts';
import type { Network } from '../chain/networks.ts';
import type { Block, ProposerDuty } from '../resources/blocks/record.ts';
import { headEpoch } from './chain.ts';
import { relays as relayNames } from './operators.ts';
import {
  between,
  chance,
  hexDigits,
  pick,
  pickEarly,
  publicKey,
  type Random,
  some,
  stream,
  whole,
} from './random.ts';
import { rewardedSlot } from './sync-committee.ts';
import type { SampleValidator } from './validators.ts';

type SampleBlock = Omit<Block, 'epoch' | 'blockTimestamp'> & { network: Network };

/** `missed` is a share of the slots before the head; `baseFee` is in wei. */
const plans: Record<
  Network,
  { slots: number; missed: number; number: number; gas: number; baseFee: number }
> = {
  mainnet: { slots: 2_048, missed: 0.006, number: 23_701_450, gas: 22_500_000, baseFee: 6e8 },
  hoodi: { slots: 320, missed: 0.04, number: 1_551_200, gas: 30_000_000, baseFee: 9e6 },
  holesky: { slots: 64, missed: 0.08, number: 3_540_700, gas: 18_000_000, baseFee: 1e6 },
};

const ORPHANED = 100;

const sum = (...parts: string[]): string => parts.reduce((all, part) => all + BigInt(part), 0n).toString();
/** Adds digits that a double cannot hold. */
const wei = (random: Random, gwei: number): bigint =>
  BigInt(Math.round(gwei)) * 1_000_000_000n + BigInt(whole(random, 1, 999_999_999));

function transactions(random: Random, network: Network) {
  const gas = Math.round(plans[network].gas * between(random, 0.4, 1.6));
  const baseFee = BigInt(Math.round(plans[network].baseFee * between(random, 0.7, 1.4)));
  const total = Math.round(gas / 125_000);
  const legacy = Math.floor(total * between(random, 0.08, 0.2));
  const price = (network === 'mainnet' ? 1 : 0.02) * between(random, 0.3, 3); // priority fee in Gwei
  const fees = [0.15, 0.004, 0.8].map((share) => wei(random, gas * price * share));
  return {
    totalTransactions: total,
    totalType0Transactions: legacy,
    totalType1Transactions: 1,
    totalType2Transactions: total - legacy - whole(random, 1, 6),
    totalSanctionedTransactions: chance(random, 0.01) ? 1 : 0,
    totalGasUsed: gas,
    baseFeePerGas: baseFee.toString(),
    totalBurntFees: (baseFee * BigInt(gas)).toString(),
    totalType0TxFees: String(fees[0]),
    totalType1TxFees: String(fees[1]),
    totalType2TxFees: String(fees[2]),
    totalPriorityFees: (fees.reduce((all, fee) => all + fee, 0n) / 1_000_000_000n).toString(),
  };
}

type Builder = { pubkey: string; feeRecipient: string };

/** `fees` is in Gwei. */
function payment(random: Random, builders: readonly Builder[], fees: string) {
  const isLocal = chance(random, 0.08);
  const { feeRecipient, pubkey } = pickEarly(random, builders);
  const relays = some(random, relayNames, isLocal ? 0 : whole(random, 1, 4));
  const mev = isLocal || chance(random, 0.4) ? 0 : Number(fees) * between(random, 0.1, 2);
  return {
    feeRecipient,
    relays,
    blockBuilderPubkeys: relays.map(() => pubkey),
    totalPriorityFeesValidator: isLocal ? fees : String(Math.round(Number(fees) * between(random, 0.9, 1))),
    baselineMev: String(Math.round(mev)),
  };
}

/** Empties all fields, for a slot without a block. */
const emptied = <Fields extends object>(block: Fields) =>
  Object.fromEntries(
    Object.entries(block).map(([name, value]) => [name, Array.isArray(value) ? [] : null]),
  ) as { [Name in keyof Fields]: Fields[Name] extends string[] ? string[] : null };

function rewards(duty: ProposerDuty, execution: string, consensus: string) {
  const amounts = [execution, consensus, sum(execution, consensus)] as const;
  const nothing = ['0', '0', '0'] as const;
  const [earned, missed] = duty === 'proposed' ? [amounts, nothing] : [nothing, amounts];
  return {
    executionProposerDuty: duty,
    consensusProposerDuty: duty,
    ...{ executionRewards: earned[0], consensusRewards: earned[1], totalRewards: earned[2] },
    missedExecutionRewards: missed[0],
    missedConsensusRewards: missed[1],
    totalRewardsMissed: missed[2],
  };
}

/** Yields blocks in slot order, proposed by active validators. */
export function* blocksOf(
  network: Network,
  validators: readonly SampleValidator[],
  seed: number,
): Generator<SampleBlock> {
  const { slots, missed, number: last } = plans[network];
  const random = stream(seed, network, 'blocks');
  const head = headEpoch[network] * SLOTS_PER_EPOCH;
  const first = headEpoch[network] - slots / SLOTS_PER_EPOCH;
  const active = validators.filter(
    ({ activationEpoch, exitEpoch }) =>
      activationEpoch !== null && activationEpoch <= first && exitEpoch === null,
  );
  const builders = [1, 2, 3, 4, 5, 6, 7, 8].map(() => {
    return { pubkey: publicKey(random), feeRecipient: `0x${hexDigits(random, 40)}` };
  });
  let executionBlockNumber = last - slots;
  for (let slot = head - slots; slot < head; slot++) {
    const drawn: ProposerDuty = chance(random, missed) ? 'missed' : 'proposed';
    const duty = rewardedSlot(network, slot) ?? (slot === head - ORPHANED ? 'orphaned' : drawn);
    const paid = transactions(random, network);
    const got = payment(random, builders, paid.totalPriorityFees);
    const execution = sum(got.totalPriorityFeesValidator, got.baselineMev);
    const common = {
      network,
      consensusSlot: slot,
      validatorIndex: pick(random, active).validatorIndex,
      ...rewards(duty, execution, String(whole(random, 39_000_000, 42_000_000))),
    };
    const block = {
      consensusBlockRoot: `0x${hexDigits(random, 64)}`,
      executionBlockHash: `0x${hexDigits(random, 64)}`,
      // An orphaned block and its replacement have the same number.
      executionBlockNumber: executionBlockNumber + 1,
      ...paid,
      ...got,
    };
    if (duty === 'proposed') executionBlockNumber += 1;
    yield { ...common, ...(duty === 'missed' ? emptied(block) : block) };
  }
}
