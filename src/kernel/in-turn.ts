/** Work that is done one after the other: what starts it while it runs has it done once more after that. */
export type InTurn = {
  run(): Promise<void>;
  /** Nothing starts any more, and what is under way has ended when this resolves. */
  stop(): Promise<void>;
};

/** `work` must not throw. */
export function inTurn(work: () => Promise<void>): InTurn {
  let last = Promise.resolve();
  let stopped = false;
  return {
    run: () => (last = last.then(() => (stopped ? undefined : work()))),
    stop() {
      stopped = true;
      return last;
    },
  };
}
