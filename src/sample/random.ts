/** Draws the next number, 0 <= x < 1. */
export type Random = () => number;

/** A stream of random numbers of its own for each name, so that a new class leaves the others as they are. */
export function stream(seed: number, ...name: (string | number)[]): Random {
  let [a, b, c, d] = hash(`${seed}/${name.join('/')}`);
  const next = () => {
    // sfc32
    const sum = (a + b + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  // sfc32 needs some rounds before similar seeds part
  for (let round = 0; round < 12; round++) next();
  return next;
}

/** 128 bits of a text, as cyrb128 mixes them. */
function hash(text: string): [number, number, number, number] {
  let [a, b, c, d] = [1779033703, 3144134277, 1013904242, 2773480762];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = b ^ Math.imul(a ^ code, 597399067);
    b = c ^ Math.imul(b ^ code, 2869860233);
    c = d ^ Math.imul(c ^ code, 951274213);
    d = a ^ Math.imul(d ^ code, 2716044179);
  }
  return [a ^ b ^ c ^ d, b ^ a, c ^ a, d ^ a];
}

/** A double between two bounds. */
export const between = (random: Random, low: number, high: number): number => low + random() * (high - low);

/** A whole number from `low` to `high`, both included. */
export const whole = (random: Random, low: number, high: number): number =>
  low + Math.floor(random() * (high - low + 1));

/** Whether something of this probability happens. */
export const chance = (random: Random, probability: number): boolean => random() < probability;

/** One of a list that is not empty. */
export const pick = <T>(random: Random, list: readonly T[]): T =>
  list[whole(random, 0, list.length - 1)] as T;

/** Bell-shaped noise around 0, of deviation 1, never beyond 3.5. */
export const noise = (random: Random): number =>
  (random() + random() + random() + random() - 2) * Math.sqrt(3);

/** Some members of a list in random order, each at most once; all of them when no number is given. */
export function some<T>(random: Random, list: readonly T[], size = list.length): T[] {
  const left = [...list];
  return Array.from({ length: Math.min(size, left.length) }, () => {
    const [taken] = left.splice(whole(random, 0, left.length - 1), 1);
    return taken as T;
  });
}

/** Lower-case hex digits. */
export function hexDigits(random: Random, digits: number): string {
  let text = '';
  while (text.length < digits)
    text += Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
  return text.slice(0, digits);
}
