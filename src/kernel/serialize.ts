/** Work of which one run ends before the next begins. */
export type SerializedWork = {
  /** Has it done once more, from now on: calls that wait for the same run share it. */
  run(): Promise<void>;
  /** Nothing starts any more, and what is under way has ended when this resolves. */
  stop(): Promise<void>;
};

/** `work` must not throw. */
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
