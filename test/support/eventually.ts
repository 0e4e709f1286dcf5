import { vi } from 'vitest';

/**
 * Calls a check until it throws nothing. What comes within a second may take several on a machine that stalls; a limit
 * is given where later would come of something else.
 */
export const eventually = <T>(check: () => T | Promise<T>, withinMs = 60_000): Promise<T> =>
  vi.waitFor(check, { timeout: withinMs, interval: 20 });
