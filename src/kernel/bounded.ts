import { LRUCache } from 'lru-cache';

export const boundedMap = <T extends NonNullable<unknown>>(max: number) => new LRUCache<string, T>({ max });

export const sizedMap = <T extends NonNullable<unknown>>(
  maxSize: number,
  sizeOf: (value: T, key: string) => number,
  /** How long a value stays; without it, until others need its room. */
  ms?: number,
) => new LRUCache<string, T>({ maxSize, sizeCalculation: sizeOf, ...(ms !== undefined && { ttl: ms }) });
