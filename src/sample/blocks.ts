import { SLOTS_PER_EPOCH } from '../chain/calendar.ts';
import { EARLIEST_SAMPLE_END } from '../config/kinds.ts';
import type { Block, ProposerDuty } from '../resources/blocks/record.ts';
import { type Network, type Sample, sampleUntil } from './chain.ts';
import { FEES, halfOf, MEV, market, networkEth, proposerReward } from './model.ts';
import { entityOf, namedOperators, relays as relayNames } from './operators.ts';
import {
  between,
  bigDecimal,
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

/** `missed`: share of the blocks missed by an operator without lapses. */
const plans: Record<Network, { slots: number; missed: number }> = {
  mainnet: { slots: 2_048, missed: 0.003 },
  hoodi: { slots: 320, missed: 0.04 },
  holesky: { slots: 64, missed: 0.08 },
};

/** Of the newest block: about 1 slot of 150 has none. */
const lastNumber = (network: Network, head: number): number =>
  23_701_450 + Math.round((head - sampleUntil(EARLIEST_SAMPLE_END).head[network]) * SLOTS_PER_EPOCH * 0.9935);
const ORPHANED = 100;

/** Of mean 0 and deviation 1, nearly normal. */
const bell = (random: Random): number =>
  [...Array(6)].reduce((sum: number) => sum + random(), -3) * Math.SQRT2;

const sum = (...parts: string[]): string => parts.reduce((all, part) => all + BigInt(part), 0n).toString();

/** `worth` is relative to other days. */
function transactions(random: Random, baseFee: bigint, worth: number) {
  const gas = Math.floor(9_000_000 + 27_000_000 * random() ** 0.7);
  const total = Math.round(gas / 125_000);
  const legacy = Math.floor(total / 8);
  // Gwei a unit of gas
  const tips = (worth * FEES.median * Math.exp(FEES.spread * bell(random))) / 20_000_000;
  const fees = [0.15, 0.004, 0.85].map((share) => bigDecimal(random, gas * tips * share, 9));
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
function payment(random: Random, builder: string, { fees, worth }: { fees: string; worth: number }) {
  const relays = some(random, relayNames, chance(random, 0.08) ? 0 : whole(random, 1, 4));
  return {
    feeRecipient: builder.slice(0, 42),
    relays,
    blockBuilderPubkeys: relays.map(() => builder),
    totalPriorityFeesValidator: fees,
    baselineMev:
      relays.length === 0
        ? '0'
        : String(Math.round(worth * MEV.median * Math.exp(MEV.spread * bell(random)))),
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
  sample: Sample,
  network: Network,
  validators: readonly SampleValidator[],
): Generator<SampleBlock> {
  const { seed, head: heads } = sample;
  const { slots, missed } = plans[network];
  const random = stream(seed, network, 'blocks');
  const head = heads[network] * SLOTS_PER_EPOCH;
  const first = heads[network] - slots / SLOTS_PER_EPOCH;
  const active = validators.filter(
    ({ activationEpoch, exitEpoch, ...row }) =>
      row.network === network && activationEpoch !== null && activationEpoch <= first && exitEpoch === null,
  );
  const builders = [1, 2, 3, 4, 5, 6, 7, 8].map(() => publicKey(random));
  let executionBlockNumber = lastNumber(network, heads[network]) - slots;
  const lapses = new Map(namedOperators(network, seed).map((one) => [one.id, entityOf(sample, one).lapse]));
  let baseFee = 600_000_000;
  for (let slot = head - slots; slot < head; slot++) {
    const { validatorIndex, pool, nodeOperator } = pick(random, active);
    const lapse = lapses.get(nodeOperator ?? pool ?? '') ?? 0.002;
    const drawn: ProposerDuty = chance(random, missed + 0.8 * lapse) ? 'missed' : 'proposed';
    const duty =
      rewardedSlot(network, heads[network], slot) ?? (slot === head - ORPHANED ? 'orphaned' : drawn);
    const half = halfOf(Math.floor(slot / SLOTS_PER_EPOCH));
    const worth = market(half);
    baseFee = Math.min(2e9, Math.max(1.5e8, Math.floor(baseFee * between(random, 0.9, 1.111))));
    const paid = transactions(random, BigInt(baseFee), worth);
    const got = payment(random, pickEarly(random, builders), { fees: paid.totalPriorityFees, worth });
    const full = proposerReward(networkEth(sample, network, half), 0.994);
    const execution = sum(got.totalPriorityFeesValidator, got.baselineMev);
    const common = {
      network,
      consensusSlot: slot,
      validatorIndex,
      ...rewards(duty, execution, String(Math.round(full * between(random, 0.96, 1.02)))),
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
