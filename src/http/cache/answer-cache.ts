import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Context } from '../../context.ts';
import type { Revisions, Snapshot } from '../../db/changes/revisions.ts';
import { boundedMap } from '../../kernel/bounded.ts';
import type { Encoding } from '../negotiation.ts';

/** Why an answer is not cached. */
export const notCachedReasons = [
  /** It depends on the caller or the time, or reads tables of no dataset. */
  'private',
  /** The request was refused or failed, or the answer has errors. */
  'error',
  /** Only a GET of REST and a POST of GraphQL are cached. */
  'method',
  /** Yoga answered it: its document came for the first time, or cannot run compiled. */
  'not_compiled',
  /** It reads nothing, so that no change of data would invalidate it. */
  'no_dataset',
  /** Its query is longer than `MAX_CACHED_BODY`. */
  'body_too_long',
  /** It is larger than `MAX_ENTRY_BYTES`, or than the cache. */
  'too_large',
  /** Its data changed while it was computed. */
  'superseded',
  /** Changes of the data were not heard of when it was computed. */
  'changes_lost',
] as const;
export type NotCached = (typeof notCachedReasons)[number];

/** The URL of a GET with all that changes its answer. The host is part of it, since answers link to themselves. */
export const keyOfUrl = (network: string, base: string, target: string): string =>
  `${network} ${base}${target}`;

/** A response as it was sent for a cached answer, without the headers that differ by request. */
export type CachedResponse = {
  route: string;
  status: number;
  /** Names and values in turn, as `writeHead` takes them. */
  headers: string[];
  body: Buffer | undefined;
  units: number;
};

/** An answer that is valid until one of the datasets that it was made of changes. */
export type CachedAnswer = {
  body: Buffer;
  /** Without the quotes. */
  tag: string;
  headers: Record<string, string>;
  /** When the newest of its datasets changed. */
  modified: Date | undefined;
  /** Compute units of the answer, and of telling that it has not changed. */
  units: number;
  unchangedUnits: number;
  /** Compute units that it was estimated to cost; of GraphQL only. */
  estimated?: number;
  revisions: readonly (readonly [dataset: string, revision: number | undefined])[];
  encoded: Map<Encoding, Promise<Buffer>>;
  /** The responses that replay sends, by what varies them (replay.ts). */
  responses: {
    get(variant: string): CachedResponse | undefined;
    set(variant: string, sent: CachedResponse): void;
  };
};

type Storable = Pick<CachedAnswer, 'body' | 'headers' | 'units' | 'unchangedUnits' | 'estimated'>;

export type AnswerCache = {
  /** Finds an answer, and counts a hit or a miss. */
  get(key: string): CachedAnswer | undefined;
  /** Finds a response to replay; counts a hit, but no miss, since `get` follows. */
  response(key: string, variant: string): CachedResponse | undefined;
  /** Stores the answer made in a context. Answers without an entry have no entity tag. */
  store(key: string, context: Context, answer: Storable): { entry?: CachedAnswer; notCached?: NotCached };
  countNotCached(reason: NotCached): void;
  stats(): {
    entries: number;
    bytes: number;
    hits: number;
    misses: number;
    notCached: Readonly<Record<NotCached, number>>;
  };
};

/** Bytes of an entry besides its body: headers, and those of its responses. */
const OVERHEAD = 3_000;
const MAX_RESPONSES = 4;
const MAX_ENTRY_BYTES = 4_000_000;

/** A cache of answers for all callers, of at most `maxBytes`; the least recently used are dropped first. */
export function answerCache(revisions: Revisions, maxBytes: number): AnswerCache {
  const answers = new LRUCache<string, CachedAnswer>({
    maxSize: maxBytes,
    maxEntrySize: Math.min(MAX_ENTRY_BYTES, maxBytes),
    // compressed bodies are a fraction of the body
    sizeCalculation: ({ body }, key) => Math.ceil(body.length * 1.5) + key.length * 2 + OVERHEAD,
  });
  const counts = { hits: 0, misses: 0 };
  const notCached = Object.fromEntries(notCachedReasons.map((reason) => [reason, 0])) as Record<
    NotCached,
    number
  >;
  const isCurrent = (entry: CachedAnswer, now: Snapshot) =>
    entry.revisions.every(([dataset, revision]) => now.get(dataset)?.revision === revision);
  revisions.onChange((now) => {
    for (const [key, entry] of answers.entries()) if (!isCurrent(entry, now)) answers.delete(key);
  });
  revisions.onLost(() => answers.clear());
  return {
    get(key) {
      const entry = revisions.trusted() ? answers.get(key) : undefined;
      counts[entry ? 'hits' : 'misses'] += 1;
      return entry;
    },
    response(key, variant) {
      const response = revisions.trusted() ? answers.get(key)?.responses.get(variant) : undefined;
      if (response) counts.hits += 1;
      return response;
    },
    store(key, { trace, data: begun }, answer) {
      if (trace.isPrivate) return { notCached: 'private' };
      if (trace.datasets.size === 0) return { notCached: 'no_dataset' };
      if (!revisions.trusted() || !revisions.isOfSource(begun)) return { notCached: 'changes_lost' };
      const datasets = [...trace.datasets].sort();
      const times = datasets.flatMap((name) => begun.get(name)?.refreshedAt ?? []);
      const entry: CachedAnswer = {
        ...answer,
        tag: createHash('sha256').update(answer.body).digest('base64url').slice(0, 22),
        modified: times.length > 0 ? new Date(times.sort().at(-1) as string) : undefined,
        revisions: datasets.map((name) => [name, begun.get(name)?.revision]),
        encoded: new Map(),
        responses: boundedMap(MAX_RESPONSES),
      };
      // It may be of before or after the change.
      if (!isCurrent(entry, revisions.current())) return { entry, notCached: 'superseded' };
      answers.set(key, entry);
      return answers.has(key) ? { entry } : { entry, notCached: 'too_large' };
    },
    countNotCached(reason) {
      notCached[reason] += 1;
    },
    stats: () => ({ entries: answers.size, bytes: answers.calculatedSize, ...counts, notCached }),
  };
}
