import { chainDayOfEpoch, dayOfDate, firstEpochOfChainDay } from '../chain/calendar.ts';
import type { Network } from '../chain/networks.ts';

/** Where an index begins or ends; a date stands for the chain day of that date. */
export type Boundary = { epoch: number } | { date: string };
export type From = Boundary | 'head';

/** Undefined unless the text is an epoch or a date, as YYYY-MM-DD. */
export function boundaryOf(text: string): Boundary | undefined {
  if (/^\d{1,9}$/.test(text)) return { epoch: Number(text) };
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
  return isDate && new Date(text).toISOString().startsWith(text) ? { date: text } : undefined;
}

/** The range that was asked for does not fit the node. */
export class RangeFault extends Error {}

export type Asked = {
  /** Goes on with what is stored if that includes it, else begins there anew. */
  from: From | undefined;
  /** Where to begin in a database without an index, in place of `from`. */
  firstFrom: From | undefined;
  to: Boundary | undefined;
};

/** The newest epoch that a node with this finalized epoch lets be stored. */
export const newestClosed = (finalized: number): number => finalized - 2;

/** Undefined: goes on after what is stored. `finalized`: of the node. */
export function startOf(
  network: Network,
  { from, firstFrom }: Asked,
  finalized: number,
  stored: { first: number; epoch: number } | undefined,
): number | undefined {
  if (stored && from === undefined) return undefined;
  const start = firstEpoch(network, from ?? firstFrom, finalized);
  if (stored && start >= stored.first && start <= stored.epoch + 1) return undefined;
  if (start > finalized)
    throw new RangeFault(
      `--from is epoch ${start}, and the beacon node has finalized epoch ${finalized} only.`,
    );
  return start;
}

function firstEpoch(network: Network, from: From | undefined, finalized: number): number {
  const newest = Math.max(0, newestClosed(finalized));
  if (from === undefined) return firstEpochOfChainDay(chainDayOfEpoch(newest));
  if (from === 'head') return newest;
  const epoch = 'epoch' in from ? from.epoch : firstEpochOfChainDay(dayOfDate(network, from.date));
  if (epoch < 0) throw new RangeFault(`--from is before the genesis of ${network}.`);
  return epoch;
}

/** The last epoch to store, Infinity without an end. */
export function endOf(network: Network, to: Boundary | undefined): number {
  if (to === undefined) return Number.POSITIVE_INFINITY;
  return 'epoch' in to ? to.epoch : firstEpochOfChainDay(dayOfDate(network, to.date) + 1) - 1;
}
