export const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Calls back at the first signal. A second one ends the process, except within 1 s, because npm repeats signals. */
export function onSignal(callback: (signal: NodeJS.Signals) => void): { remove(): void } {
  let first: number | undefined;
  const listener = (signal: NodeJS.Signals) => {
    if (first === undefined) callback(signal);
    else if (performance.now() - first > 1_000) process.exit(1);
    first ??= performance.now();
  };
  for (const signal of SIGNALS) process.on(signal, listener);
  return {
    remove() {
      for (const signal of SIGNALS) process.off(signal, listener);
    },
  };
}
