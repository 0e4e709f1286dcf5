import { setTimeout as sleep } from 'node:timers/promises';
import { StoppedError } from './failure.ts';

/** A longer Retry-After ends the run. */
export const MAX_WAIT_MS = 900_000;
const MAX_BACKOFF_MS = 60_000;

export function backoffMs(firstMs: number, attempt: number): number {
  const most = Math.min(MAX_BACKOFF_MS, firstMs * 2 ** (attempt - 1));
  return most / 2 + (Math.random() * most) / 2;
}

export async function pause(milliseconds: number, stop: AbortSignal): Promise<void> {
  try {
    await sleep(milliseconds, undefined, { signal: stop });
  } catch {
    throw new StoppedError();
  }
}
