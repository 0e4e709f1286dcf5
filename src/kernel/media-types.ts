import { parse } from 'content-type';
import { boundedMap } from './bounded.ts';

export type MediaRange = { type: string; parameters: Record<string, string>; q: number };

/** RFC 9110, section 12.4.2, with any number of decimals. */
const WEIGHT = /^(0(\.\d*)?|1(\.0*)?)$/;

const known = boundedMap<readonly MediaRange[]>(1_000);
const anyType: readonly MediaRange[] = [{ type: '*/*', parameters: {}, q: 1 }];

/**
 * The media ranges of an `Accept` header (RFC 9110, section 12.5.1); types are in lower case. Without the header, or with
 * an empty one, any type is acceptable. A range whose weight is no number from 0 to 1 is left out.
 */
export function mediaRanges(accept: string | undefined): readonly MediaRange[] {
  if (!accept?.trim()) return anyType;
  let ranges = known.get(accept);
  if (!ranges) known.set(accept, (ranges = parsed(accept)));
  return ranges;
}

function parsed(accept: string): MediaRange[] {
  const ranges: MediaRange[] = [];
  for (let start = 0; start < accept.length; ) {
    const { type, parameters, index } = parse(accept, { comma: true, start });
    const { q = '1', ...others } = parameters;
    if (WEIGHT.test(q)) ranges.push({ type: type.trim(), parameters: others, q: Number(q) });
    start = index + 1;
  }
  return ranges;
}

type Match = { q: number; specificity: number; index: number };
const none: Match = { q: 0, specificity: -1, index: -1 };

/**
 * The range that decides about a type: the most specific one, which of equal ones has the highest weight. `charset` must
 * be UTF-8, in which every response is; other parameters do not decide, because no type is offered in two of their values.
 */
function matchOf(type: string, ranges: readonly MediaRange[]): Match {
  let best = none;
  for (const [index, { type: range, parameters, q }] of ranges.entries()) {
    const { charset } = parameters;
    if (charset !== undefined && !/^(utf-?8|\*)$/i.test(charset)) continue;
    const wildcard = range === '*/*' ? 0 : range === `${type.split('/')[0]}/*` ? 1 : undefined;
    const plain = range === type ? 2 : wildcard;
    if (plain === undefined) continue;
    const specificity = 2 * plain + (charset === undefined ? 0 : 1);
    if (specificity > best.specificity || (specificity === best.specificity && q > best.q))
      best = { q, specificity, index };
  }
  return best;
}

const byPreference = (one: Match, other: Match): number =>
  other.q - one.q || other.specificity - one.specificity || one.index - other.index;

/**
 * The offered type with the highest weight; of equal ones that named by the more specific range, by the earlier range, or
 * offered first. `parameters` are those of the range. Undefined if none is acceptable.
 */
export function preferredType<T extends string>(
  ranges: readonly MediaRange[],
  offered: readonly T[],
): { type: T; q: number; parameters: Record<string, string> } | undefined {
  const [best] = offered
    .map((type) => ({ type, ...matchOf(type, ranges) }))
    .filter(({ q }) => q > 0)
    .sort(byPreference);
  return best && { ...best, parameters: ranges[best.index]?.parameters ?? {} };
}
