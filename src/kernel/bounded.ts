import { LRUCache } from 'lru-cache';

/** A map that keeps the entries used last, so that what callers choose as keys cannot fill the memory. */
export const boundedMap = <T extends NonNullable<unknown>>(max: number) => new LRUCache<string, T>({ max });
