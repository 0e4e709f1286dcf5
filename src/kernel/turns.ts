/** Resolves in the next turn of the event loop, after pending I/O. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The returned function waits for the next turn once this turn's work reaches `most`. */
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
