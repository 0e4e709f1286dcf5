import { LRUCache } from 'lru-cache';

/** The most recently used values, whose number or sizes add up to at most `most`. After `ms`, a value is forgotten. */
export const boundedMap = <T extends NonNullable<unknown>>(
  most: number,
  sizeOf?: (value: T, key: string) => number,
  ms?: number,
) =>
  new LRUCache<string, T>({
    ...(sizeOf ? { maxSize: most, sizeCalculation: sizeOf } : { max: most }),
    ...(ms !== undefined && { ttl: ms }),
  });
