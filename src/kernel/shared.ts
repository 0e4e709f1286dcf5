/** Waiting and later calls for a key share the first one's result. A failed call is not kept. */
export function shared<Key, T>(known: Map<Key, Promise<T>>, key: Key, make: () => Promise<T>): Promise<T> {
  const found = known.get(key);
  if (found) return found;
  const made = make();
  known.set(key, made);
  made.catch(() => {
    if (known.get(key) === made) known.delete(key);
  });
  return made;
}
