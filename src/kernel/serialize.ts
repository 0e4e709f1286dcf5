export type SerializedWork = {
  /** Starts a run after the current one; calls waiting for the same run share it. */
  run(): Promise<void>;
  /** Resolves when the current run has ended; no run starts afterwards. */
  stop(): Promise<void>;
};

/** Runs `work`, which must not throw, at most once at a time. */
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
