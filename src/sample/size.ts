import { timeWindows } from '../chain/windows.ts';
import { between, chance, noise, type Random } from './random.ts';

/**
 * Validators, the ETH of effective balance they hold beyond 32 each, and the Gwei they hold beyond their
 * effective balance. Kept apart so that the parts of a whole add up to no more than it, in each of the three.
 */
export type Size = { validators: number; extraEth: number; surplusGwei: number };

/** Nothing. */
export const empty: Size = { validators: 0, extraEth: 0, surplusGwei: 0 };

/** Effective balance in ETH. */
export const effectiveEth = (size: Size): number => size.validators * 32 + size.extraEth;

/** Effective balance in Gwei, as digits: whole ETH, as the protocol keeps it. */
export const effectiveGwei = (size: Size): string => (BigInt(effectiveEth(size)) * 1_000_000_000n).toString();

/** Balance in Gwei, as digits. */
export const balanceGwei = (size: Size): string =>
  (BigInt(effectiveEth(size)) * 1_000_000_000n + BigInt(size.surplusGwei)).toString();

/** A part of a size, rounded down. */
export function part(size: Size, share: number): Size {
  const validators = Math.floor(size.validators * share);
  if (validators === 0) return empty;
  return {
    validators,
    extraEth: Math.floor(size.extraEth * share),
    surplusGwei: Math.floor(size.surplusGwei * share),
  };
}

/** Sizes taken together. */
export const together = (sizes: readonly Size[]): Size =>
  sizes.reduce(
    (sum, size) => ({
      validators: sum.validators + size.validators,
      extraEth: sum.extraEth + size.extraEth,
      surplusGwei: sum.surplusGwei + size.surplusGwei,
    }),
    empty,
  );

/** Shares that fall as a power of the rank and add up to `total`. */
export function powerLaw(ranks: number, exponent: number, total: number): number[] {
  const weights = Array.from({ length: ranks }, (_, rank) => (rank + 1) ** -exponent);
  const sum = weights.reduce((all, weight) => all + weight, 0);
  return weights.map((weight) => (weight / sum) * total);
}

/** Effective balance per validator: since Electra some operators have merged validators, a few nearly all. */
function ethPerValidator(random: Random, eth: number): number {
  const [draw, amount] = [random(), random()];
  if (draw < 0.75) return 32;
  if (draw < 0.97 || eth > 500_000) return 32 * (1 + amount * 0.2);
  return 32 + amount * 1500;
}

/** The size of an operator of about so much ETH in each window: a random walk over the windows. */
export function walk(random: Random, eth: number): Size[] {
  const each = ethPerValidator(random, eth);
  let scale = 1;
  return timeWindows.map(() => {
    scale = Math.min(1.015, Math.max(0.985, scale + noise(random) * 0.004));
    const validators = Math.max(1, Math.round((eth * scale) / each));
    const extraEth = Math.floor(validators * (each - 32));
    return { validators, extraEth, surplusGwei: surplus(random, validators, extraEth) };
  });
}

/** Rewards not yet swept or not yet a whole ETH; odd, so that a double cannot hold a large sum. */
function surplus(random: Random, validators: number, extraEth: number): number {
  const swept = Math.floor(validators * between(random, 4e6, 18e6));
  const compounding = Math.floor(extraEth * between(random, 1e6, 3e6));
  const sum = swept + compounding;
  return sum % 2 === 0 ? sum + 1 : sum;
}

/** The shares of a pool's operators in it: they fall with the rank and leave some of the pool. */
export function portions(random: Random, operators: number): number[] {
  const total = chance(random, 0.5) ? 0.97 : 0.93;
  return powerLaw(operators, between(random, 0.4, 0.9), total);
}
