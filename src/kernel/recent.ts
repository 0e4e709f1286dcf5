/** A function that calls `make` at most once in so many milliseconds; calls in between share the last result. */
export function recent<T>(milliseconds: number, make: () => Promise<T>): () => Promise<T> {
  let made: { at: number; value: Promise<T> } | undefined;
  return () => {
    const at = performance.now(); // with the time of day, setting the clock back would keep a result for hours
    if (!made || at - made.at >= milliseconds) made = { at, value: make() };
    return made.value;
  };
}
