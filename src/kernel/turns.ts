export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Waits for the next turn of the event loop once the work of this turn reaches `most`. */
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
