import { type Ends, LAST_NUMBER } from '../kernel/page.ts';
import { badInput, type Fault } from '../kernel/refusal.ts';
import { type Calendar, dateOfDay, dayOfDate, epochsOfDay } from './calendar.ts';
import type { Network } from './networks.ts';

/** Both ends are inclusive; null means unbounded. */
export type Bounds = {
  fromDate: string | null;
  toDate: string | null;
  fromDay: number | null;
  toDay: number | null;
};

export const boundUnits = ['Date', 'Day', 'Epoch', 'Slot'] as const;
export type BoundUnit = (typeof boundUnits)[number];

type Given = { [Name in `${'from' | 'to'}${BoundUnit}`]?: string | number | null | undefined };

export const isBounded = (bounds: Given): boolean =>
  boundUnits.some((unit) => bounds[`from${unit}`] != null || bounds[`to${unit}`] != null);

/** `place` is the first element of each fault's `loc`: `query` or `argument`. */
export function boundFaults(bounds: Given, place: string): Fault[] {
  const faults: Fault[] = [];
  for (const unit of boundUnits) {
    const [from, to] = [`from${unit}`, `to${unit}`] as const;
    const [first, last] = [bounds[from], bounds[to]];
    if (first == null || last == null || first <= last) continue;
    const msg = `${from} is ${first}, after ${to} ${last}.`;
    faults.push({ loc: [place, from], msg, type: 'range' });
  }
  return faults;
}

export function checkBounds(bounds: Given, place: string): void {
  const faults = boundFaults(bounds, place);
  if (faults.length > 0) throw badInput(faults);
}

/** Later than every stored day. */
const LAST_DAY = 100_000;

/** Inclusive dates of the days within the bounds: the later of two first ones and the earlier of two last ones. */
export function datesWithin(network: Network, { fromDate, toDate, fromDay, toDay }: Bounds) {
  const dates = (date: string | null, day: number | null): string[] => [
    ...(date === null ? [] : [date]),
    ...(day === null ? [] : [dateOfDay(network, Math.min(day, LAST_DAY))]),
  ];
  return {
    from: dates(fromDate, fromDay).sort().at(-1) ?? null,
    to: dates(toDate, toDay).sort()[0] ?? null,
  };
}

export function epochsWithin(network: Network, calendar: Calendar, bounds: Bounds): Ends {
  const dayOf = (date: string | null) => (date === null ? null : dayOfDate(network, date));
  const firsts = [bounds.fromDay, dayOf(bounds.fromDate)].filter((day) => day !== null);
  const lasts = [bounds.toDay, dayOf(bounds.toDate)].filter((day) => day !== null);
  const epochs = (day: number) => epochsOfDay(network, calendar, day);
  return {
    first: Math.min(LAST_NUMBER, Math.max(0, ...firsts.map((day) => epochs(day).first))),
    last: Math.min(LAST_NUMBER, ...lasts.map((day) => epochs(day).last)),
  };
}
