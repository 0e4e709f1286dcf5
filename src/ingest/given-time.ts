import { SECONDS_PER_DAY } from '../chain/calendar.ts';
import { timestampText } from '../kernel/time.ts';

/** `expected` in seconds since 1970. */
export function momentFault(given: string, expected: number, what: string): string | undefined {
  const begins = timestampText(expected);
  return given === begins ? undefined : `is ${given}; ${what} begins at ${begins}`;
}

/** Refuses future rows, which would move the chain head and the end of every window; allows a day of clock difference. */
export const futureFault = (
  given: number | string,
  start: number,
  what: 'a slot' | 'an epoch' | 'a day',
): string | undefined =>
  start > Date.now() / 1000 + SECONDS_PER_DAY
    ? `is ${given}, which has not begun; ${what} of the past is needed`
    : undefined;
