import { setTimeout as sleep } from 'node:timers/promises';

/** The returned function waits for its turn: at most `rate` turns begin per second, in the order of the calls. */
export function pacer(rate: number): (signal: AbortSignal) => Promise<void> {
  let free = 0;
  return async (signal) => {
    const now = performance.now();
    const mine = Math.max(now, free);
    free = mine + 1000 / rate;
    if (mine > now) await sleep(mine - now, undefined, { signal });
  };
}
