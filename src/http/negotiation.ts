import type { FastifyRequest } from 'fastify';
import fresh from 'fresh';
import Negotiator from 'negotiator';

export type Encoding = 'br' | 'gzip';
const encodings: Encoding[] = ['br', 'gzip'];

export function encodingOf({ headers }: FastifyRequest): Encoding | undefined {
  const given = headers['accept-encoding'];
  if (!given) return undefined;
  const named = given.replace(/\bx-gzip\b/gi, 'gzip'); // RFC 9110: both mean gzip
  const accepted = new Negotiator({ headers: { 'accept-encoding': named } }).encodings(encodings);
  return encodings.find((name) => accepted.includes(name));
}

/** Ignores dates, because two changes may have the same date. */
export const isUnchanged = ({ headers }: FastifyRequest, etag: string): boolean =>
  fresh({ 'if-none-match': headers['if-none-match'] }, { etag });
