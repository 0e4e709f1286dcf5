import { SLOTS_PER_EPOCH } from '../chain/calendar.ts';
import type { Network, Sample } from './chain.ts';
import { chance, pick, stream, whole } from './random.ts';
import type { SampleValidator } from './validators.ts';

const SEATS = 512;
const EPOCHS_PER_PERIOD = 256;

/** `missed`: index of the slot without a block; `reward`: Gwei per signature. */
const plans: Record<Network, { slots: number; missed?: number; reward: number }> = {
  mainnet: { slots: 2 * SLOTS_PER_EPOCH, missed: 37, reward: 23_018 },
  hoodi: { slots: 6, missed: 2, reward: 17_575 },
  holesky: { slots: 6, reward: 13_473 },
};

export function rewardedSlot(
  network: Network,
  headEpoch: number,
  slot: number,
): 'proposed' | 'missed' | undefined {
  const { slots, missed } = plans[network];
  const index = slot - (headEpoch * SLOTS_PER_EPOCH - slots);
  if (index < 0 || index >= slots) return undefined;
  return index === missed ? 'missed' : 'proposed';
}

export function* syncCommitteeRewardsOf(
  { seed, head: heads }: Sample,
  network: Network,
  validators: readonly SampleValidator[],
) {
  const { slots, reward } = plans[network];
  const random = stream(seed, network, 'syncCommittee');
  // The committee is drawn a period earlier, because validators slashed since then keep their seats.
  const drawn = heads[network] - EPOCHS_PER_PERIOD;
  const active = validators.filter(
    ({ activationEpoch, exitEpoch, ...row }) =>
      row.network === network &&
      activationEpoch !== null &&
      activationEpoch <= drawn &&
      (exitEpoch ?? Infinity) > drawn,
  );
  const slashed = active.filter((validator) => validator.slashed);
  const seats = Array.from({ length: SEATS }, (_, seat) => slashed[seat] ?? pick(random, active));
  const head = heads[network] * SLOTS_PER_EPOCH;
  for (let consensusSlot = head - slots; consensusSlot < head; consensusSlot++) {
    if (rewardedSlot(network, heads[network], consensusSlot) === 'missed') continue;
    const misses = whole(random, 0, 15) === 0 ? 0.4 : 0.03;
    for (const [position, { validatorIndex, slashed }] of seats.entries()) {
      const syncCommitteeRewards = String(slashed || chance(random, misses) ? -reward : reward);
      yield { network, consensusSlot, position, validatorIndex, syncCommitteeRewards };
    }
  }
}
