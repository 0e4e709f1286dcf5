export type SerializedWork = {
  /** Starts a run after the current one. Waiting calls share one run. */
  run(): Promise<void>;
  /** Waits for the current run; afterwards no run starts. */
  stop(): Promise<void>;
};

/** Never runs `work` concurrently. `work` must not throw. */
export function serialize(work: () => Promise<void>): SerializedWork {
  let last = Promise.resolve();
  let waiting: Promise<void> | undefined;
  let stopped = false;
  const start = () => {
    waiting = undefined;
    return stopped ? undefined : work();
  };
  return {
    run() {
      waiting ??= last = last.then(start);
      return waiting;
    },
    stop() {
      stopped = true;
      return last;
    },
  };
}
