import { LRUCache } from 'lru-cache';

/** Keeps the entries used last, so that keys chosen by callers cannot fill the memory. */
export const boundedMap = <T extends NonNullable<unknown>>(max: number) => new LRUCache<string, T>({ max });

/** The same, bounded by the total size of its entries. */
export const sizedMap = <T extends NonNullable<unknown>>(
  maxSize: number,
  sizeOf: (value: T, key: string) => number,
) => new LRUCache<string, T>({ maxSize, sizeCalculation: sizeOf });
