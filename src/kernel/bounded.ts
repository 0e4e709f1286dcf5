import { LRUCache } from 'lru-cache';

/** A map that keeps the entries used last, so that what callers choose as keys cannot fill the memory. */
export const boundedMap = <T extends NonNullable<unknown>>(max: number) => new LRUCache<string, T>({ max });

/** The same where entries differ in size: as many as are so large together. */
export const sizedMap = <T extends NonNullable<unknown>>(
  maxSize: number,
  sizeOf: (value: T, key: string) => number,
) => new LRUCache<string, T>({ maxSize, sizeCalculation: sizeOf });
