import { setTimeout as sleep } from 'node:timers/promises';
import { StoppedError } from './failure.ts';

/** No answer is waited for longer than this; the service is to be asked again another time. */
export const MAX_WAIT_MS = 900_000;
const MAX_BACKOFF_MS = 60_000;

/** The milliseconds that a `Retry-After` asks for: whole seconds or an HTTP date; undefined when it is neither. */
export function retryAfterMs(header: string | null, now = Date.now()): number | undefined {
  const text = header?.trim();
  if (!text) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const moment = /^[A-Za-z]/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(moment) ? undefined : Math.max(0, moment - now);
}

/** How long to wait before the n-th try (from 1): twice as long each time, and half of it by chance. */
export function backoffMs(firstMs: number, attempt: number): number {
  const most = Math.min(MAX_BACKOFF_MS, firstMs * 2 ** (attempt - 1));
  return most / 2 + (Math.random() * most) / 2;
}

/** Waits; throws StoppedError as soon as the run is to end. */
export async function pause(milliseconds: number, stop: AbortSignal): Promise<void> {
  try {
    await sleep(milliseconds, undefined, { signal: stop });
  } catch {
    throw new StoppedError();
  }
}
