/** Makes something anew at most once in so many milliseconds: whoever asks meanwhile shares what was made last. */
export function recent<T>(milliseconds: number, make: () => Promise<T>): () => Promise<T> {
  let made: { at: number; value: Promise<T> } | undefined;
  return () => {
    const at = performance.now(); // a clock that is set back would keep it for hours
    if (!made || at - made.at >= milliseconds) made = { at, value: make() };
    return made.value;
  };
}
