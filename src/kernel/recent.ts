export function recent<T>(milliseconds: number, make: () => Promise<T>): () => Promise<T> {
  let made: { at: number; value: Promise<T> } | undefined;
  return () => {
    const at = performance.now();
    if (!made || at - made.at >= milliseconds) made = { at, value: make() };
    return made.value;
  };
}
