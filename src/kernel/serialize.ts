export type SerializedWork<Result> = {
  /** Starts a run after the current one. Waiting calls share one run. */
  run(): Promise<Result | undefined>;
  /** Waits for the current run; afterwards no run starts, and `run` gives undefined. */
  stop(): Promise<unknown>;
};

/** Never runs `work` concurrently. A run that fails rejects those who wait for it, and the next one starts. */
export function serialize<Result>(work: () => Promise<Result>): SerializedWork<Result> {
  let last: Promise<Result | undefined> = Promise.resolve(undefined);
  let waiting: typeof last | undefined;
  let stopped = false;
  const start = () => {
    waiting = undefined;
    return stopped ? undefined : work();
  };
  return {
    run() {
      waiting ??= last = last.then(start, start);
      return waiting;
    },
    stop() {
      stopped = true;
      return last.catch(() => undefined);
    },
  };
}
