import { setTimeout as sleep } from 'node:timers/promises';
import { errorText } from '../diagnostics/error-text.ts';

/** Reports a failed pass on standard error, and with `json` as a line of JSON on standard output. */
export const sayFailed =
  (json = false) =>
  (error: string): void => {
    process.stderr.write(`stakegraph: ${error}\n`);
    if (json) process.stdout.write(`${JSON.stringify({ state: 'failed', error })}\n`);
  };

const RETRY_MS = 300_000;

/** Passes start at multiples of `every`, and `retryMs` after a failed pass. A multiple during a pass is skipped. */
export async function repeated(
  pass: () => Promise<unknown>,
  every: number,
  stop: AbortSignal,
  say: (message: string) => void,
  retryMs = RETRY_MS,
): Promise<void> {
  const began = performance.now();
  for (let due = 0; !stop.aborted; ) {
    let wait = Number.POSITIVE_INFINITY;
    await pass().catch((error: Error) => {
      wait = retryMs;
      say(errorText(error));
    });
    const passed = performance.now() - began;
    const next = Math.max(due + every, Math.ceil(passed / every) * every);
    if (passed + wait >= next) {
      due = next;
      wait = next - passed;
    }
    await sleep(wait, undefined, { signal: stop }).catch(() => undefined);
  }
}
