import type { Network } from '../chain/networks.ts';
import { activeEth, upgrades } from './chain.ts';
import { between, chance, type Random, whole } from './random.ts';

/** A slashed validator's balance: the effective one in ETH, and all of it in Gwei. */
export type Balance = { effectiveEth: number; gwei: bigint };

const GWEI = 1e9;
const EPOCHS_PER_YEAR = 82_180;

/** Draws the balance of a validator at an epoch. */
export function balanceAt(random: Random, network: Network, epoch: number): Balance {
  const { capella, electra } = upgrades[network];
  if (epoch >= electra && chance(random, 0.2)) {
    const effectiveEth = chance(random, 0.5) ? 2048 : whole(random, 33, 2047);
    return balance(effectiveEth, between(random, 0.001, 0.9));
  }
  if (chance(random, 0.02)) return balance(31, between(random, 0.05, 0.95));
  // before withdrawals existed rewards piled up on top of the 32 ETH
  const piled = epoch < capella ? (epoch / EPOCHS_PER_YEAR) * between(random, 0.2, 1.6) : 0;
  return balance(32, piled + between(random, 0.001, 0.019));
}

const balance = (effectiveEth: number, extraEth: number): Balance => ({
  effectiveEth,
  gwei: BigInt(effectiveEth) * BigInt(GWEI) + BigInt(Math.floor(extraEth * GWEI)),
});

/** How much of a network was staked at an epoch, in ETH: mainnet has grown from nearly nothing. */
function stakedEth(network: Network, epoch: number): number {
  if (network !== 'mainnet') return activeEth[network];
  return 670_000 + (activeEth.mainnet - 670_000) * Math.min(1, epoch / 330_000);
}

/** What a slashing takes at once: the effective balance over this. */
function initialQuotient(network: Network, epoch: number): number {
  const { altair, bellatrix, electra } = upgrades[network];
  if (epoch < altair) return 128;
  if (epoch < bellatrix) return 64;
  return epoch < electra ? 32 : 4096;
}

/**
 * What a slashing has cost, in Gwei, so many epochs after it: the part taken at once, the attestations that
 * no longer count, and after half of the time the part for others slashed alongside.
 */
export function penaltyGwei(
  random: Random,
  slashed: { network: Network; epoch: number; effectiveEth: number; alongside: number },
  elapsed: number,
): bigint {
  const { network, epoch, effectiveEth, alongside } = slashed;
  const { altair, electra } = upgrades[network];
  const staked = stakedEth(network, epoch + elapsed / 2);
  const initial = (effectiveEth * GWEI) / initialQuotient(network, epoch);
  const weight = epoch < altair ? 3 / 4 : 40 / 64;
  const perEpoch = ((effectiveEth * 64 * GWEI) / Math.sqrt(staked * GWEI)) * weight;
  const missed = perEpoch * elapsed * between(random, 0.93, 1.02);
  // before Electra this part was rounded down to whole ETH, and came to nothing for so few
  const together =
    elapsed >= 4_096 && epoch >= electra ? (effectiveEth * 3 * alongside * 32 * GWEI) / staked : 0;
  return BigInt(Math.floor(initial + missed + together));
}
