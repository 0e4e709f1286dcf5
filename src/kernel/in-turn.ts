type Turns = { last: Promise<unknown>; count: number };

/** Runs the work of each key one after another. Returns undefined if `most` of the key are running or waiting already. */
export function inTurn(most: number) {
  const keys = new Map<string, Turns>();
  return <T>(key: string, work: () => Promise<T>): Promise<T> | undefined => {
    const own = keys.get(key) ?? { last: Promise.resolve(), count: 0 };
    if (own.count >= most) return undefined;
    own.count += 1;
    keys.set(key, own);
    const done = own.last.then(work, work).finally(() => {
      own.count -= 1;
      if (own.count === 0) keys.delete(key);
    });
    own.last = done;
    return done;
  };
}
