import { setTimeout as sleep } from 'node:timers/promises';

const IN_FLIGHT = 8;

/** Starts at most `rate` requests per second, and has at most eight at work. */
export function openLimiter(rate: number) {
  let running = 0;
  let free = 0;
  const waiting: (() => void)[] = [];

  async function pace(signal: AbortSignal): Promise<void> {
    const now = performance.now();
    const mine = Math.max(now, free);
    free = mine + 1000 / rate;
    if (mine > now) await sleep(mine - now, undefined, { signal });
  }

  return async function limited<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (running >= IN_FLIGHT) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      signal.throwIfAborted();
      await pace(signal);
      return await work();
    } finally {
      // The place goes to the next one, or is free.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
