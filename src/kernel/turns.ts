/** Waits until the event loop has looked at everything else once. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Lets so much of a work be done in each turn of the event loop: whoever would pass that waits for the next. */
export function paced(most: number): (work: number) => Promise<void> {
  let left = most;
  let next: Promise<void> | undefined;
  return async (work) => {
    while (left <= 0) {
      next ??= nextTurn().then(() => {
        left = most;
        next = undefined;
      });
      await next;
    }
    left -= work;
  };
}
