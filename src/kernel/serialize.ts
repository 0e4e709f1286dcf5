export type SerializedWork = {
  /** Queues a run after the current run; calls share a run that is already queued. */
  run(): Promise<void>;
  /** Resolves when the current run has ended; no run starts afterwards. */
  stop(): Promise<void>;
};

/** Never runs `work` twice at the same time. `work` must not throw. */
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
