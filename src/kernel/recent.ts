/** Calls `make` at most once per `milliseconds`; calls in between share its last result. */
export function recent<T>(milliseconds: number, make: () => Promise<T>): () => Promise<T> {
  let made: { at: number; value: Promise<T> } | undefined;
  return () => {
    const at = performance.now(); // monotonic: setting the clock back must not prolong the use of a result
    if (!made || at - made.at >= milliseconds) made = { at, value: make() };
    return made.value;
  };
}
