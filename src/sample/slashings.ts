import { EPOCHS_PER_DAY, firstEpochOfChainDay } from '../chain/calendar.ts';
import type { Network } from '../chain/networks.ts';
import type { Slashing } from '../resources/slashings/record.ts';
import { headEpoch, validatorIndices } from './chain.ts';
import { balanceAt, penaltyGwei } from './penalty.ts';
import { chance, hexDigits, pick, type Random, stream, whole } from './random.ts';

/** A slashing of the sample data. */
export type SampleSlashing = Slashing & { network: Network };

/** Epochs from a slashing until the rest of the balance can be withdrawn, at the least. */
const WITHDRAWABLE_AFTER = 8_192;

/** Validators of one operator slashed together: when (share of the chain's life), and in how many epochs. */
type Mass = { at: number; validators: number; epochs: number };

type Plan = {
  count: number;
  firstEpoch: number;
  /** Slashings in the first sixty days, when operators were learning. */
  early: number;
  /** Slashings whose penalties still grow at the head. */
  pending: number;
  masses: readonly Mass[];
};

const plans: Record<Network, Plan> = {
  mainnet: {
    count: 400,
    firstEpoch: 38,
    early: 60,
    pending: 12,
    masses: [
      { at: 0.036, validators: 70, epochs: 4 },
      { at: 0.21, validators: 6, epochs: 1 },
      { at: 0.47, validators: 22, epochs: 1 },
      { at: 0.66, validators: 14, epochs: 2 },
      { at: 0.93, validators: 36, epochs: 3 },
    ],
  },
  hoodi: {
    count: 20,
    firstEpoch: 410,
    early: 4,
    pending: 5,
    masses: [{ at: 0.5, validators: 4, epochs: 1 }],
  },
  holesky: {
    count: 30,
    firstEpoch: 650,
    early: 3,
    pending: 6,
    masses: [{ at: 0.94, validators: 9, epochs: 1 }],
  },
};

type Event = { epoch: number; alongside: number; mass: boolean };

/** The slashings of a network, in order of epoch and then of validator index. */
export function slashingsOf(network: Network, seed: number): SampleSlashing[] {
  const random = stream(seed, network, 'slashings');
  const used = new Set<number>();
  let start = 0;
  const rows = eventsOf(random, network).map((event, index, all) => {
    const previous = all[index - 1];
    const fresh = !event.mass || !previous?.mass || event.epoch - previous.epoch > EPOCHS_PER_DAY;
    // validators of one operator were made together: their indices lie close
    if (fresh) start = whole(random, 0, lastIndex(network, event.epoch));
    const validatorIndex = unused(random, used, start, event.mass ? 400 : 0);
    return slashing(random, network, event, validatorIndex);
  });
  return rows.sort((a, b) => a.slashingEpoch - b.slashingEpoch || a.validatorIndex - b.validatorIndex);
}

/** The highest validator index that can have been active at an epoch. */
function lastIndex(network: Network, epoch: number): number {
  const { genesis, head } = validatorIndices[network];
  return genesis + Math.floor((head - genesis) * (epoch / headEpoch[network]) * 0.95);
}

function unused(random: Random, used: Set<number>, start: number, reach: number): number {
  let index = start + whole(random, 0, reach);
  while (used.has(index)) index++;
  used.add(index);
  return index;
}

/** When validators of a network were slashed: alone, several on one day, and many at once. */
function eventsOf(random: Random, network: Network): Event[] {
  const { count, firstEpoch, early, pending, masses } = plans[network];
  const head = headEpoch[network];
  const alone = (epoch: number): Event => ({ epoch, alongside: 1, mass: false });
  const events: Event[] = [alone(firstEpoch), alone(head - 9)];
  for (const { at, validators, epochs } of masses) {
    const first = Math.floor(at * head);
    for (let i = 0; i < validators; i++) {
      events.push({ epoch: first + whole(random, 0, epochs - 1), alongside: validators, mass: true });
    }
  }
  const busyDay = firstEpochOfChainDay(Math.floor((head * 0.3) / EPOCHS_PER_DAY));
  for (const offset of [3, 40, 41, 180]) events.push(alone(busyDay + offset));
  for (let i = 0; i < early; i++) events.push(alone(whole(random, firstEpoch, 60 * EPOCHS_PER_DAY)));
  for (let i = 0; i < pending; i++) events.push(alone(whole(random, head - WITHDRAWABLE_AFTER, head - 10)));
  while (events.length < count) events.push(alone(whole(random, firstEpoch, head - 10)));
  return events.sort((a, b) => a.epoch - b.epoch);
}

function slashing(random: Random, network: Network, event: Event, validatorIndex: number): SampleSlashing {
  const { epoch, alongside } = event;
  // a validator that waits in a long exit queue can be withdrawn later
  const queued = chance(random, 0.07) ? whole(random, 60, 5_400) : 0;
  const withdrawableEpoch = epoch + WITHDRAWABLE_AFTER + queued;
  const before = balanceAt(random, network, epoch);
  const elapsed = Math.min(withdrawableEpoch, headEpoch[network]) - epoch;
  const slashed = { network, epoch, effectiveEth: before.effectiveEth, alongside };
  const slashingPenalties = penaltyGwei(random, slashed, elapsed);
  return {
    validatorIndex,
    // a compressed public key begins with a set bit
    validatorPubkey: `0x${pick(random, ['8', '9', 'a', 'b'])}${hexDigits(random, 95)}`,
    slashingEpoch: epoch,
    withdrawableEpoch,
    balanceBeforeSlashing: before.gwei.toString(),
    balanceBeforeWithdrawal: (before.gwei - slashingPenalties).toString(),
    slashingPenalties: slashingPenalties.toString(),
    network,
  };
}
