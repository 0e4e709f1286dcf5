import { setTimeout as sleep } from 'node:timers/promises';
import { vi } from 'vitest';

/**
 * Calls a check until it throws nothing. Waits four seconds for what normally takes one, because machines stall. A longer
 * wait would hide lost notifications: a gateway reads again every five and ten seconds.
 */
export const eventually = <T>(check: () => T | Promise<T>, withinMs = 4_000): Promise<T> =>
  vi.waitFor(check, { timeout: withinMs, interval: 20 });

/** Waits until `met`. Throws if `running`, which is to bring it about, ends first. */
export async function until(met: () => boolean | Promise<boolean>, running: Promise<unknown>): Promise<void> {
  let end: { outcome: unknown } | undefined;
  while (!(await met())) {
    if (end) throw new Error(`ended too early: ${JSON.stringify(end.outcome)}`);
    end = await Promise.race([sleep(20, undefined), running.then((outcome) => ({ outcome }))]);
  }
}
