import { between, type Random } from './random.ts';

/** A whole number of the smallest unit, `places` places behind the point: 1500000000 at 9 is `1.500000000`. */
export function decimalText(units: bigint, places: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(places + 1, '0');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/** A quotient in units of `places` places, cut off. */
export const quotient = (part: bigint, whole: bigint, places: number): bigint =>
  (part * 10n ** BigInt(places)) / whole;

/** A random share of one, in units of 12 places. */
export const shareOf = (low: number, high: number, random: Random): bigint =>
  BigInt(Math.floor(between(random, low, high) * 1e12));

const digits58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** A random key of 32 bytes in base58, as Solana writes it. */
export function base58(random: Random): string {
  let left = BigInt(Math.floor(between(random, 2 ** 24, 2 ** 32))); // a first byte of 0 would be a `1`
  for (let word = 0; word < 7; word++) left = (left << 32n) | BigInt(Math.floor(random() * 2 ** 32));
  let text = '';
  for (; left > 0n; left /= 58n) text = digits58[Number(left % 58n)] + text;
  return text;
}
