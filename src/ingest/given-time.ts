import { SECONDS_PER_DAY } from '../chain/calendar.ts';
import { timestampText } from '../kernel/time.ts';

/** The fault of a decoded moment that must equal `begins` (seconds since 1970); undefined when it does. */
export function momentFault(given: string, expected: number, what: string): string | undefined {
  const begins = timestampText(expected);
  return given === begins ? undefined : `is ${given}; ${what} begins at ${begins}`;
}

/**
 * What is wrong with a slot, an epoch or a day that begins then (seconds since 1970); undefined when nothing is. One that has
 * not begun is a mistake, and would count as how far the chain is, or be the end of every window. A day is left for clocks
 * that differ.
 */
export const futureFault = (
  given: number | string,
  start: number,
  what: 'a slot' | 'an epoch' | 'a day',
): string | undefined =>
  start > Date.now() / 1000 + SECONDS_PER_DAY
    ? `is ${given}, which has not begun; ${what} of the past is needed`
    : undefined;
