import { parseDateTime, timestampText } from '../kernel/time.ts';

/** What is wrong with a moment that must be this one (seconds since 1970); undefined when nothing is. */
export function momentFault(given: string, expected: number, what: string): string | undefined {
  // Some services answer moments without a zone: they are UTC.
  const zoned = /[Zz]$|[+-]\d\d:\d\d$/.test(given) ? given : `${given}Z`;
  return parseDateTime(zoned) === expected
    ? undefined
    : `is ${given}; ${what} begins at ${timestampText(expected)}`;
}
