import { setTimeout as sleep } from 'node:timers/promises';

/** Passes start at multiples of `every`. A multiple during a pass is skipped. */
export async function repeated(
  pass: () => Promise<unknown>,
  every: number,
  stop: AbortSignal,
): Promise<void> {
  const began = performance.now();
  for (let turn = 0; !stop.aborted; ) {
    await pass().catch((error: Error) => {
      process.stderr.write(`stakegraph: ${error.message}\n`);
    });
    const passed = performance.now() - began;
    turn = Math.max(turn + 1, Math.ceil(passed / every));
    await sleep(turn * every - passed, undefined, { signal: stop }).catch(() => undefined);
  }
}
