import { Failure } from './failure.ts';
import { store } from './store.ts';

/** The longest that one request waits for the rate of its token. */
const LONGEST_MS = 60_000;

export type Waits = {
  signal?: AbortSignal;
  /** Called when a wait begins and ends; without it, the frame of all pages shows the wait. */
  onWait?: (waits: boolean) => void;
};

/** How many requests wait for the rate of the token. */
export const waiting = store(0);
const shownByFrame = (waits: boolean) => waiting.set(waiting.get() + (waits ? 1 : -1));

/** Milliseconds until a retry may succeed; undefined when the request was not refused for its rate. */
function waitOf(error: unknown): number | undefined {
  if (!(error instanceof Failure)) return undefined;
  const { kind, retryAfter } = error;
  if (kind === 'rate') return 1_000 * (retryAfter ?? 1);
  return kind === 'units' && retryAfter ? 1_000 * retryAfter : undefined; // others have reserved the units
}

const pause = (ms: number, signal: AbortSignal | undefined) =>
  new Promise<void>((done) => {
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      done();
    });
  });

/** Repeats a request that is over the rate, for a minute at most. Such a request has changed nothing. */
export async function patiently<T>(
  request: () => Promise<T>,
  { signal, onWait = shownByFrame }: Waits = {},
): Promise<T> {
  const end = performance.now() + LONGEST_MS;
  for (;;) {
    if (signal?.aborted) throw new Failure('stopped', 'You stopped it.');
    try {
      return await request();
    } catch (error) {
      const wait = waitOf(error);
      if (wait === undefined) throw error;
      if (performance.now() + wait > end)
        throw new Failure(
          'rate',
          'The token was over its rate for a minute. Other programs may be using it.',
        );
      onWait(true);
      await pause(wait, signal);
      onWait(false);
    }
  }
}
