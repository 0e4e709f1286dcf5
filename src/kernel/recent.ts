/** Calls within `milliseconds` share one result. */
export function recent<T>(milliseconds: number, make: () => Promise<T>): () => Promise<T> {
  let made: { at: number; value: Promise<T> } | undefined;
  return () => {
    const at = performance.now(); // setting the clock back must not prolong a result's use
    if (!made || at - made.at >= milliseconds) made = { at, value: make() };
    return made.value;
  };
}
