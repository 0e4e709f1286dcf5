import { SLOTS_PER_EPOCH } from '../chain/calendar.ts';
import type { Block, ProposerDuty } from '../resources/blocks/record.ts';
import { headEpoch, type Network } from './chain.ts';
import { relays as relayNames } from './operators.ts';
import {
  bigDecimal,
  chance,
  hexDigits,
  pick,
  publicKey,
  type Random,
  some,
  stream,
  whole,
} from './random.ts';
import { rewardedSlot } from './sync-committee.ts';
import type { SampleValidator } from './validators.ts';

type SampleBlock = Omit<Block, 'epoch' | 'blockTimestamp'> & { network: Network };

const plans: Record<Network, { slots: number; missed: number }> = {
  mainnet: { slots: 2_048, missed: 0.006 },
  hoodi: { slots: 320, missed: 0.04 },
  holesky: { slots: 64, missed: 0.08 },
};

const LAST_NUMBER = 23_701_450;
const ORPHANED = 100;

const sum = (...parts: string[]): string => parts.reduce((all, part) => all + BigInt(part), 0n).toString();

function transactions(random: Random) {
  const gas = whole(random, 9_000_000, 36_000_000);
  const baseFee = BigInt(whole(random, 400_000_000, 900_000_000));
  const total = Math.round(gas / 125_000);
  const legacy = Math.floor(total / 8);
  const fees = [0.15, 0.004, 0.8].map((share) => bigDecimal(random, gas * share, 9));
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

/** `fees` is in Gwei. */
function payment(random: Random, builder: string, fees: string) {
  const relays = some(random, relayNames, chance(random, 0.08) ? 0 : whole(random, 1, 4));
  return {
    feeRecipient: builder.slice(0, 42),
    relays,
    blockBuilderPubkeys: relays.map(() => builder),
    totalPriorityFeesValidator: fees,
    baselineMev: String(relays.length * whole(random, 0, 9_000_000)),
  };
}

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

export function* blocksOf(
  network: Network,
  validators: readonly SampleValidator[],
  seed = 1,
): Generator<SampleBlock> {
  const { slots, missed } = plans[network];
  const random = stream(seed, network, 'blocks');
  const head = headEpoch[network] * SLOTS_PER_EPOCH;
  const first = headEpoch[network] - slots / SLOTS_PER_EPOCH;
  const active = validators.filter(
    ({ activationEpoch, exitEpoch, ...row }) =>
      row.network === network && activationEpoch !== null && activationEpoch <= first && exitEpoch === null,
  );
  const builders = [1, 2, 3, 4, 5, 6, 7, 8].map(() => publicKey(random));
  let executionBlockNumber = LAST_NUMBER - slots;
  for (let slot = head - slots; slot < head; slot++) {
    const drawn: ProposerDuty = chance(random, missed) ? 'missed' : 'proposed';
    const duty = rewardedSlot(network, slot) ?? (slot === head - ORPHANED ? 'orphaned' : drawn);
    const paid = transactions(random);
    const got = payment(random, pick(random, builders), paid.totalPriorityFees);
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
