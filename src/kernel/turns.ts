export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Waits for the next turn once this turn's work reaches `most`. */
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
