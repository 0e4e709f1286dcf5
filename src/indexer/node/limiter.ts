import { setTimeout as sleep } from 'node:timers/promises';

const IN_FLIGHT = 8;

/** Starts at most `rate` requests per second. At most eight run at once, or seven if none is urgent. */
export function openLimiter(rate: number) {
  let running = 0;
  let free = 0;
  const urgentOnes: (() => void)[] = [];
  const others: (() => void)[] = [];

  function startNext(): void {
    const next = (running < IN_FLIGHT && urgentOnes.shift()) || (running < IN_FLIGHT - 1 && others.shift());
    if (!next) return;
    running += 1;
    next();
  }

  async function pace(signal: AbortSignal): Promise<void> {
    const now = performance.now();
    const mine = Math.max(now, free);
    free = mine + 1000 / rate;
    if (mine > now) await sleep(mine - now, undefined, { signal });
  }

  return async function limited<T>(signal: AbortSignal, urgent: boolean, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((resolve) => {
      (urgent ? urgentOnes : others).push(resolve);
      startNext();
    });
    try {
      signal.throwIfAborted();
      await pace(signal);
      return await work();
    } finally {
      running -= 1;
      startNext();
    }
  };
}
