import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { shared } from '../../kernel/shared.ts';
import { type Encoding, encodingOf, isUnchanged } from '../request/negotiation.ts';
import type { Answer } from './answer.ts';
import type { CachedAnswer } from './answer-cache.ts';

const MIN_COMPRESSED_BYTES = 1_024;
const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);
const encoders: Record<Encoding, (body: Buffer) => Promise<Buffer>> = {
  br: (body) => toBrotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (body) => toGzip(body),
};

const encodingFor = (request: FastifyRequest, { body }: CachedAnswer) =>
  body.length >= MIN_COMPRESSED_BYTES ? encodingOf(request) : undefined;

export async function encodedAnswer(request: FastifyRequest, entry: CachedAnswer): Promise<Answer> {
  const { units, headers } = entry;
  const encoding = encodingFor(request, entry);
  if (!encoding) return { status: 200, headers, body: entry.body, units, cachedSource: entry };
  return {
    status: 200,
    headers: { ...headers, 'content-encoding': encoding },
    body: await shared(entry.encoded, encoding, () => encoders[encoding](entry.body)),
    units,
    cachedSource: entry,
  };
}

export async function resourceAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  entry: CachedAnswer,
  vary: string,
): Promise<Answer> {
  const encoding = encodingFor(request, entry);
  const etag = `"${entry.tag}${encoding ? `-${encoding}` : ''}"`;
  const varied = reply.getHeader('vary'); // contains Authorization, and Origin if CORS_ORIGINS lists origins
  const validators = {
    etag,
    'cache-control': 'private, no-cache',
    vary: varied ? `${varied}, ${vary}` : vary,
    ...(entry.modified && { 'last-modified': entry.modified.toUTCString() }),
  };
  if (isUnchanged(request, etag)) {
    const headers = { ...validators, ...entry.headers };
    return { status: 304, headers, body: undefined, units: entry.unchangedUnits, cachedSource: entry };
  }
  const answer = await encodedAnswer(request, entry);
  return { ...answer, headers: { ...validators, ...answer.headers } };
}
