import { setTimeout as sleep } from 'node:timers/promises';

/** Reports a failed pass on standard error, and with `json` as a line of JSON on standard output. */
export const sayFailed =
  (json = false) =>
  (error: string): void => {
    process.stderr.write(`stakegraph: ${error}\n`);
    if (json) process.stdout.write(`${JSON.stringify({ state: 'failed', error })}\n`);
  };

/** Passes start at multiples of `every`. A multiple during a pass is skipped. */
export async function repeated(
  pass: () => Promise<unknown>,
  every: number,
  stop: AbortSignal,
  say: (message: string) => void,
): Promise<void> {
  const began = performance.now();
  for (let turn = 0; !stop.aborted; ) {
    await pass().catch((error: Error) => say(error.message));
    const passed = performance.now() - began;
    turn = Math.max(turn + 1, Math.ceil(passed / every));
    await sleep(turn * every - passed, undefined, { signal: stop }).catch(() => undefined);
  }
}
