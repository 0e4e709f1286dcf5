import { pacer } from '../../kernel/pace.ts';

const IN_FLIGHT = 8;

/** Starts at most `rate` requests per second. At most eight run at once, or seven if none is urgent. */
export function openLimiter(rate: number) {
  const pace = pacer(rate);
  let running = 0;
  const urgentOnes: (() => void)[] = [];
  const others: (() => void)[] = [];

  function startNext(): void {
    const next = (running < IN_FLIGHT && urgentOnes.shift()) || (running < IN_FLIGHT - 1 && others.shift());
    if (!next) return;
    running += 1;
    next();
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
