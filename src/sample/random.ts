/** 0 <= x < 1. */
export type Random = () => number;

/** FNV-1a. */
export function hashOf(...name: (string | number)[]): number {
  let hash = 2166136261;
  for (const char of name.join('/')) hash = Math.imul(hash ^ char.charCodeAt(0), 16777619);
  return hash;
}

/** mulberry32, seeded with the hash of the arguments. */
export function stream(seed: number, ...name: (string | number)[]): Random {
  let state = hashOf(seed, ...name);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** 0 <= x < 1, always the same for the same arguments. */
export function noise(key: number, at: number, salt = 0): number {
  let mixed = (key ^ Math.imul(at | 0, 0x9e3779b1) ^ Math.imul(salt + 1, 0x85ebca6b)) | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
}

/** Of mean 0 and deviation 1. */
export const normal = (key: number, at: number, salt = 0): number =>
  Math.sqrt(-2 * Math.log(1 - noise(key, at, salt))) * Math.cos(2 * Math.PI * noise(key, at, salt + 101));

/** -1..1, from one value to another in `span` steps. */
export function drift(key: number, at: number, span: number, salt = 0): number {
  const place = Math.floor(at / span);
  const within = at / span - place;
  const eased = within * within * (3 - 2 * within);
  const [from, to] = [noise(key, place, salt), noise(key, place + 1, salt)];
  return 2 * (from + (to - from) * eased) - 1;
}

/** Of a Poisson distribution. */
export function countAround(mean: number, key: number, at: number, salt = 0): number {
  if (mean > 30) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(key, at, salt)));
  let probability = Math.exp(-mean);
  let left = noise(key, at, salt) - probability;
  let count = 0;
  while (left > 0 && count < 100) {
    count += 1;
    probability *= mean / count;
    left -= probability;
  }
  return count;
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
