/** A map that keeps the entries used last, so that what callers choose as keys cannot fill the memory. */
export function boundedMap<T>(max: number) {
  const kept = new Map<string, T>();
  const set = (key: string, value: T) => {
    kept.delete(key);
    kept.set(key, value);
    if (kept.size > max) kept.delete(kept.keys().next().value as string);
  };
  return {
    get(key: string): T | undefined {
      const value = kept.get(key);
      if (value !== undefined) set(key, value);
      return value;
    },
    set,
  };
}
