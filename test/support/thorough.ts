import { inject, it } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether `npm run test:all` runs, and not `npm test`. */
    thorough: boolean;
  }
}

/** Whether everything runs (`npm run test:all`), and not only what `npm test` has time for. */
export const thorough = inject('thorough');

/** `it` for a test that takes about a second or longer, on an idle machine: `npm test` skips it. */
export const slow = it.runIf(thorough);

/** How often a property is tried: by `npm test` a quarter of these times. */
export const runs = (all: number) => ({ numRuns: thorough ? all : Math.ceil(all / 4) });

/** `npm test` takes one of `step` cases, from the case at `offset` on. For cases that differ only in their values. */
export function every<T>(step: number, cases: readonly T[], offset = 0): T[] {
  const taken = Math.min(step, cases.length);
  return cases.filter((_, index) => thorough || index % taken === offset % taken);
}
