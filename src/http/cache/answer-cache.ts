import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Context } from '../../context.ts';
import type { Revisions, Snapshot } from '../../db/changes/revisions.ts';
import { boundedMap } from '../../kernel/bounded.ts';

/** Bytes of a query that is kept at the most. */
export const MAX_CACHED_BODY = 20_000;

/**
 * Everything that changes the answer to a query: the body as it came, which need not be parsed to answer again, and what
 * the headers say. Undefined for one that is too long to be kept.
 */
export const keyOfQuery = (body: string, accept: string | undefined, network: string): string | undefined =>
  body.length > MAX_CACHED_BODY ? undefined : `graphql ${network} ${accept ?? ''}\n${body}`;

/** The same of a GET: the whole URL, since answers link to themselves with the caller's own query. */
export const keyOfUrl = (network: string, base: string, target: string): string =>
  `${network} ${base}${target}`;

/** A kept answer as it was sent, but for what is each request's own. */
export type Sent = {
  route: string;
  status: number;
  /** Names and values in turn, as Node takes them. */
  headers: string[];
  /** None of 304. */
  body: Buffer | undefined;
  units: number;
};

/** An answer as bytes, good until one of the datasets it was made of changes. */
export type Kept = {
  body: Buffer;
  /** Without the quotes. */
  tag: string;
  headers: Record<string, string>;
  /** When the newest of its datasets changed. */
  modified: Date | undefined;
  /** Compute units of the answer, and of telling that it has not changed. */
  units: number;
  unchangedUnits: number;
  /** What it was estimated to cost before it ran; of GraphQL. */
  estimated?: number;
  made: readonly (readonly [dataset: string, revision: number | undefined])[];
  encoded: Map<Encoding, Promise<Buffer>>;
  /** How it was sent, by what of a request changes that: `cached-replay.ts`. */
  sent: { get(variant: string): Sent | undefined; set(variant: string, sent: Sent): void };
};
type Encoding = 'br' | 'gzip';

export type AnswerCache = {
  get(key: string): Kept | undefined;
  /** How the answer was sent to a request of this variant; where it was not, nothing is counted. */
  sent(key: string, variant: string): Sent | undefined;
  /** Keeps the answer of a context; undefined when it depends on the caller or on what is not traced. */
  keep(
    key: string,
    context: Context,
    answer: Pick<Kept, 'body' | 'headers' | 'units' | 'unchangedUnits' | 'estimated'>,
  ): Kept | undefined;
  stats(): { entries: number; bytes: number; hits: number; misses: number };
};

/** What an entry costs beside its bytes, with the headers of the ways in which it was sent. */
const OVERHEAD = 3_000;
const MAX_VARIANTS = 4;
const MAX_BYTES = 4_000_000;

/** Answers of all callers, those used last, in at most so many bytes. */
export function answerCache(revisions: Revisions, maxBytes: number): AnswerCache {
  const kept = new LRUCache<string, Kept>({
    maxSize: maxBytes,
    maxEntrySize: MAX_BYTES,
    // its compressed forms are a fraction of it, and counted with it
    sizeCalculation: ({ body }, key) => Math.ceil(body.length * 1.5) + key.length * 2 + OVERHEAD,
  });
  const counts = { hits: 0, misses: 0 };
  const isGood = ({ made }: Kept, now: Snapshot) =>
    made.every(([dataset, revision]) => now.get(dataset)?.revision === revision);
  revisions.onChange((now) => {
    for (const [key, entry] of kept.entries()) if (!isGood(entry, now)) kept.delete(key);
  });
  revisions.onLost(() => kept.clear());
  return {
    get(key) {
      const entry = revisions.trusted() ? kept.get(key) : undefined;
      counts[entry ? 'hits' : 'misses'] += 1;
      return entry;
    },
    sent(key, variant) {
      const sent = revisions.trusted() ? kept.get(key)?.sent.get(variant) : undefined;
      if (sent) counts.hits += 1;
      return sent;
    },
    keep(key, { trace, data: begun }, answer) {
      if (trace.own || trace.datasets.size === 0 || !revisions.trusted()) return undefined;
      if (!revisions.isOfSource(begun)) return undefined;
      const datasets = [...trace.datasets].sort();
      const times = datasets.flatMap((name) => begun.get(name)?.refreshedAt ?? []);
      const entry: Kept = {
        ...answer,
        tag: createHash('sha256').update(answer.body).digest('base64url').slice(0, 22),
        modified: times.length > 0 ? new Date(times.sort().at(-1) as string) : undefined,
        made: datasets.map((name) => [name, begun.get(name)?.revision]),
        encoded: new Map(),
        sent: boundedMap(MAX_VARIANTS),
      };
      // Changed while it was made: it may be of before or after, and is not kept.
      if (isGood(entry, revisions.current())) kept.set(key, entry);
      return entry;
    },
    stats: () => ({ entries: kept.size, bytes: kept.calculatedSize, ...counts }),
  };
}

const COMPRESSED_FROM = 1_024;
const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);
const encoders: Record<Encoding, (body: Buffer) => Promise<Buffer>> = {
  br: (body) => toBrotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (body) => toGzip(body),
};

const choices = boundedMap<Encoding | 'none'>(100);

/** The encoding to answer in: the first of ours that is accepted and not given the weight 0. */
export function encodingOf(accepted: string | undefined): Encoding | undefined {
  if (!accepted) return undefined;
  let choice = choices.get(accepted);
  if (!choice) {
    const weights = new Map(
      accepted.split(',').map((item) => {
        const [given = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
        const name = given.replace(/^x-gzip$/, 'gzip'); // the same (RFC 9110)
        const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
        return [name, Number(weight)] as const;
      }),
    );
    choice =
      (['br', 'gzip'] as const).find((name) => (weights.get(name) ?? weights.get('*') ?? 0) > 0) ?? 'none';
    choices.set(accepted, choice);
  }
  return choice === 'none' ? undefined : choice;
}

/** Whether the caller has the answer already (RFC 9110, If-None-Match). Dates are too coarse to tell: two changes fit into a second. */
export function isUnchanged({ headers }: FastifyRequest, tag: string): boolean {
  const tags = headers['if-none-match'];
  if (tags === undefined) return false;
  return tags.trim() === '*' || tags.split(',').some((one) => one.trim().replace(/^W\//, '') === tag);
}

/** Sends a kept answer of a GET, in the form that the caller accepts, or 304 when the caller has it. */
export async function sendKept(
  request: FastifyRequest,
  reply: FastifyReply,
  entry: Kept,
  vary: string,
): Promise<void> {
  const encoding = encodingFor(request, entry);
  // Another form is another sequence of bytes, and a strong tag names one.
  const tag = `"${entry.tag}${encoding ? `-${encoding}` : ''}"`;
  const beside = reply.getHeader('vary'); // Authorization, and Origin if CORS_ORIGINS lists some
  reply.headers({
    etag: tag,
    'cache-control': 'private, no-cache',
    vary: beside ? `${beside}, ${vary}` : vary,
  });
  if (entry.modified) reply.header('last-modified', entry.modified.toUTCString());
  if (!isUnchanged(request, tag)) return sendBytes(request, reply, entry);
  request.units = entry.unchangedUnits;
  request.again = { entry, body: undefined };
  reply.headers(entry.headers).code(304).send();
}

const encodingFor = (request: FastifyRequest, { body }: Kept) =>
  body.length >= COMPRESSED_FROM ? encodingOf(request.headers['accept-encoding']) : undefined;

/** Sends the bytes of a kept answer, in the form that the caller accepts. */
export async function sendBytes(request: FastifyRequest, reply: FastifyReply, entry: Kept): Promise<void> {
  request.units = entry.units;
  reply.headers(entry.headers);
  const encoding = encodingFor(request, entry);
  if (!encoding) {
    request.again = { entry, body: entry.body };
    reply.send(entry.body);
    return;
  }
  let encoded = entry.encoded.get(encoding);
  if (!encoded) {
    encoded = encoders[encoding](entry.body);
    entry.encoded.set(encoding, encoded);
  }
  const body = await encoded;
  request.again = { entry, body };
  reply.header('content-encoding', encoding).send(body);
}
