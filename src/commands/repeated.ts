import { setTimeout as sleep } from 'node:timers/promises';

/** Passes start at multiples of `every`. A multiple during a pass is skipped. */
export async function repeated(
  pass: () => Promise<unknown>,
  every: number,
  stop: AbortSignal,
  say = (message: string) => void process.stderr.write(`stakegraph: ${message}\n`),
): Promise<void> {
  const began = performance.now();
  for (let turn = 0; !stop.aborted; ) {
    await pass().catch((error: Error) => say(error.message));
    const passed = performance.now() - began;
    turn = Math.max(turn + 1, Math.ceil(passed / every));
    await sleep(turn * every - passed, undefined, { signal: stop }).catch(() => undefined);
  }
}
