import { chainDayOfEpoch, dayOfDate, firstEpochOfChainDay } from '../chain/calendar.ts';
import type { Network } from '../chain/networks.ts';
import { parseDate } from '../kernel/time.ts';

/** A date stands for its chain day. */
export type Boundary = { epoch: number } | { date: string };
export type From = Boundary | 'head';

export function boundaryOf(text: string): Boundary | undefined {
  if (/^\d{1,9}$/.test(text)) return { epoch: Number(text) };
  return parseDate(text) === undefined ? undefined : { date: text };
}

export class RangeFault extends Error {}

export type RangeOptions = {
  /** A stored range that includes `from` is continued; otherwise, the index begins anew at `from`. */
  from: From | undefined;
  /** Default of `from` if nothing is stored. */
  firstFrom: From | undefined;
  to: Boundary | undefined;
};

/** Epoch e is closed once epoch e + 2 is finalized. */
export const newestClosed = (finalized: number): number => finalized - 2;

export const staysAtHead = ({ from, firstFrom }: RangeOptions): boolean => (from ?? firstFrom) === 'head';

/** True if epochs whose states no node has may be left out, because neither an epoch nor a date was asked for. */
export const mayLeaveOut = (range: RangeOptions): boolean =>
  staysAtHead(range) || (range.from ?? range.firstFrom) === undefined;

/** `once`: the index ends at the newest closed epoch. */
export function startOf(
  network: Network,
  range: RangeOptions,
  { finalized, once }: { finalized: number; once: boolean },
  stored: { first: number; epoch: number } | undefined,
): number | undefined {
  const { from, firstFrom } = range;
  if (stored && from === undefined) return undefined;
  const newest = Math.max(0, newestClosed(finalized));
  const start = firstEpoch(network, from ?? firstFrom, once ? newest : finalized, newest);
  const next = from === 'head' ? newest : start;
  if (stored && next >= stored.first && next <= stored.epoch + 1) return undefined;
  if (start > finalized)
    throw new RangeFault(
      `--from is epoch ${start}, and the beacon node has finalized epoch ${finalized} only.`,
    );
  return start;
}

function firstEpoch(network: Network, from: From | undefined, head: number, newest: number): number {
  if (from === undefined) return firstEpochOfChainDay(chainDayOfEpoch(newest));
  if (from === 'head') return head;
  const epoch = 'epoch' in from ? from.epoch : firstEpochOfChainDay(dayOfDate(network, from.date));
  if (epoch < 0) throw new RangeFault(`--from is before the genesis of ${network}.`);
  return epoch;
}

export function endOf(network: Network, to: Boundary | undefined): number {
  if (to === undefined) return Number.POSITIVE_INFINITY;
  return 'epoch' in to ? to.epoch : firstEpochOfChainDay(dayOfDate(network, to.date) + 1) - 1;
}
