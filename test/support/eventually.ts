import { vi } from 'vitest';

/**
 * Calls a check until it throws nothing. What comes within a second has four, for machines that stall, and no more: after
 * five and ten seconds a gateway reads again what it was not told of.
 */
export const eventually = <T>(check: () => T | Promise<T>, withinMs = 4_000): Promise<T> =>
  vi.waitFor(check, { timeout: withinMs, interval: 20 });
