import { SLOTS_PER_EPOCH } from '../chain/calendar.ts';
import type { Network } from '../chain/networks.ts';
import { activeEth, headEpoch } from './chain.ts';
import { chance, pick, type Random, stream, whole } from './random.ts';
import type { SampleValidator } from './validators.ts';

/** What a seat of the sync committee earned in a slot of the sample data. */
export type SampleSyncCommitteeReward = {
  network: Network;
  consensusSlot: number;
  position: number;
  validatorIndex: number;
  syncCommitteeRewards: string;
};

const SEATS = 512;
const EPOCHS_PER_PERIOD = 256;

/** How many slots before the head have rewards, and which of them, counted from the first, has no block. */
const plans: Record<Network, { slots: number; missed?: number }> = {
  mainnet: { slots: 2 * SLOTS_PER_EPOCH, missed: 37 },
  hoodi: { slots: 6, missed: 2 },
  holesky: { slots: 6 },
};

/** Whether a slot of a network has rewards, or is the one among them without a block; undefined for other slots. */
export function rewardedSlot(network: Network, slot: number): 'block' | 'missed' | undefined {
  const { slots, missed } = plans[network];
  const index = slot - (headEpoch[network] * SLOTS_PER_EPOCH - slots);
  if (index < 0 || index >= slots) return undefined;
  return index === missed ? 'missed' : 'block';
}

/** What a seat earns for a signature, in Gwei: the protocol's formula for the active balance of the network. */
function participantReward(network: Network): number {
  const [increments, baseRewardFactor, syncWeight, weights] = [activeEth[network], 64, 2, 64];
  const baseReward = Math.floor((1e9 * baseRewardFactor) / Math.floor(Math.sqrt(increments * 1e9)));
  const perSlot = Math.floor((increments * baseReward * syncWeight) / weights / SLOTS_PER_EPOCH);
  return Math.floor(perSlot / SEATS);
}

/**
 * The committee of a period, drawn with replacement: some validators hold several seats. It was drawn a period before,
 * and who has been slashed since keeps the seat.
 */
function committee(random: Random, period: number, validators: readonly SampleValidator[]): number[] {
  const drawn = (period - 1) * EPOCHS_PER_PERIOD;
  const active = validators.filter(
    ({ activationEpoch, exitEpoch }) =>
      activationEpoch !== null && activationEpoch <= drawn && (exitEpoch === null || exitEpoch > drawn),
  );
  const seats = Array.from({ length: SEATS }, () => pick(random, active).validatorIndex);
  const slashed = active.filter((validator) => validator.slashed);
  for (const [index, { validatorIndex }] of slashed.slice(0, 16).entries())
    seats[index * 31] = validatorIndex;
  return seats;
}

/** The rewards of a network's last slots before the head, slot by slot in the order of the seats. */
export function* syncCommitteeRewardsOf(
  network: Network,
  validators: readonly SampleValidator[],
  seed: number,
): Generator<SampleSyncCommitteeReward> {
  const { slots, missed } = plans[network];
  const first = headEpoch[network] * SLOTS_PER_EPOCH - slots;
  const reward = participantReward(network);
  const slashed = new Set(validators.filter((row) => row.slashed).map((row) => row.validatorIndex));
  const seatsOf = new Map<number, { validatorIndex: number; away: boolean }[]>();
  for (let slot = first; slot < first + slots; slot++) {
    if (slot - first === missed) continue;
    const period = Math.floor(slot / SLOTS_PER_EPOCH / EPOCHS_PER_PERIOD);
    let seats = seatsOf.get(period);
    if (!seats) {
      const random = stream(seed, network, 'syncCommittee', period);
      seats = committee(random, period, validators).map((validatorIndex) => ({
        validatorIndex,
        away: slashed.has(validatorIndex) || chance(random, 0.02),
      }));
      seatsOf.set(period, seats);
    }
    const random = stream(seed, network, 'syncCommitteeRewards', slot);
    // Now and then many signatures of a slot come too late.
    const misses = whole(random, 0, 15) === 0 ? 0.4 : 0.01;
    for (const [position, { validatorIndex, away }] of seats.entries()) {
      const signed = !away && !chance(random, misses);
      const syncCommitteeRewards = String(signed ? reward : -reward);
      yield { network, consensusSlot: slot, position, validatorIndex, syncCommitteeRewards };
    }
  }
}
