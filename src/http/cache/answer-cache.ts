import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Context } from '../../context.ts';
import type { Revisions, Snapshot } from '../../db/changes/revisions.ts';
import { boundedMap } from '../../kernel/bounded.ts';
import { tracer } from '../../kernel/tracing.ts';
import type { Encoding } from '../request/negotiation.ts';

export const notCachedReasons = [
  /** The response depends on the caller, the time or a table outside all datasets. */
  'private',
  'error',
  'method',
  /** The response is CSV or NDJSON. */
  'form',
  /** The document is new or cannot be compiled. */
  'not_compiled',
  /** No dataset could invalidate the response. */
  'no_dataset',
  'body_too_long',
  'too_large',
  'superseded',
  /** A change of the data may have gone unnoticed. */
  'changes_lost',
] as const;
export type NotCached = (typeof notCachedReasons)[number];

/** Contains the host, because links in responses contain the host. */
export const keyOfUrl = (network: string, base: string, target: string): string =>
  `${network} ${base}${target}`;

export type CachedResponse = {
  route: string;
  status: number;
  /** Names and values alternate, as in `writeHead`. */
  headers: string[];
  body: Buffer | undefined;
  units: number;
};

export type CachedAnswer = {
  body: Buffer;
  /** The ETag without quotes. */
  tag: string;
  headers: Record<string, string>;
  modified: Date | undefined;
  units: number;
  unchangedUnits: number;
  estimated?: number;
  revisions: readonly (readonly [dataset: string, revision: number | undefined])[];
  encoded: Map<Encoding, Promise<Buffer>>;
  responses: {
    get(variant: string): CachedResponse | undefined;
    set(variant: string, sent: CachedResponse): void;
  };
};

type Storable = Pick<CachedAnswer, 'body' | 'headers' | 'units' | 'unchangedUnits' | 'estimated'>;

export type AnswerCache = {
  get(key: string): CachedAnswer | undefined;
  /** Counts nothing: the caller uses `countHit`, or after a miss `get`, which counts the miss. */
  response(key: string, variant: string): CachedResponse | undefined;
  countHit(): void;
  /** Also returns an entry that is not stored, because it is too large or its data has changed meanwhile. */
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

/** Estimated bytes of an entry besides body and key. */
const OVERHEAD = 3_000;
const MAX_RESPONSES = 4;
const MAX_ENTRY_BYTES = 4_000_000;

export function answerCache(revisions: Revisions, maxBytes: number): AnswerCache {
  const answers = new LRUCache<string, CachedAnswer>({
    maxSize: maxBytes,
    maxEntrySize: Math.min(MAX_ENTRY_BYTES, maxBytes),
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
      tracer?.mark('cache', { 'stakegraph.cache.hit': entry !== undefined });
      return entry;
    },
    response: (key, variant) => (revisions.trusted() ? answers.get(key)?.responses.get(variant) : undefined),
    countHit() {
      counts.hits += 1;
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
      if (!isCurrent(entry, revisions.current)) return { entry, notCached: 'superseded' };
      answers.set(key, entry);
      return answers.has(key) ? { entry } : { entry, notCached: 'too_large' };
    },
    countNotCached(reason) {
      notCached[reason] += 1;
    },
    stats: () => ({ entries: answers.size, bytes: answers.calculatedSize, ...counts, notCached }),
  };
}
