/** 0 <= x < 1. */
export type Random = () => number;

/** mulberry32, seeded with the FNV-1a hash of the arguments. */
export function stream(seed: number, ...name: (string | number)[]): Random {
  let state = 2166136261;
  for (const char of `${seed}/${name.join('/')}`) state = Math.imul(state ^ char.charCodeAt(0), 16777619);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const between = (random: Random, low: number, high: number): number => low + random() * (high - low);

export const whole = (random: Random, low: number, high: number): number =>
  low + Math.floor(random() * (high - low + 1));

export const chance = (random: Random, probability: number): boolean => random() < probability;

export const pick = <T>(random: Random, list: readonly T[]): T =>
  list[whole(random, 0, list.length - 1)] as T;

export const pickEarly = <T>(random: Random, list: readonly T[]): T =>
  list[Math.floor(random() ** 4 * list.length)] as T;

export function some<T>(random: Random, list: readonly T[], size: number): T[] {
  const left = [...list];
  return Array.from({ length: size }, () => left.splice(whole(random, 0, left.length - 1), 1)[0] as T);
}

export function powerLaw(ranks: number, exponent: number, total: number): number[] {
  const weights = Array.from({ length: ranks }, (_, rank) => (rank + 1) ** -exponent);
  const sum = weights.reduce((all, weight) => all + weight, 0);
  return weights.map((weight) => (weight / sum) * total);
}

export function hexDigits(random: Random, digits: number): string {
  let text = '';
  while (text.length < digits)
    text += Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
  return text.slice(0, digits);
}

/** A compressed BLS key begins with a set bit. */
export const publicKey = (random: Random): string => `0x${pick(random, [...'89ab'])}${hexDigits(random, 95)}`;

const digits58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Returns 32 bytes as 44 digits; the first digit keeps the value below 2^256. */
export function base58(random: Random): string {
  let text = digits58[whole(random, 1, 8)] as string;
  while (text.length < 44) text += digits58[whole(random, 0, 57)];
  return text;
}

export function decimalText(units: bigint, places: number): string {
  const text = units.toString().padStart(places + 1, '0');
  return `${text.slice(0, -places)}.${text.slice(-places)}`;
}

/** In units of 10^-`places` (`places` ≥ 6), with digits that no double holds. */
export const bigDecimal = (random: Random, value: number, places: number): bigint =>
  BigInt(Math.floor(value * 1e6)) * 10n ** BigInt(places - 6) +
  BigInt(whole(random, 1, 10 ** Math.min(places - 6, 15) - 1));
