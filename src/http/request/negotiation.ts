import type { FastifyRequest } from 'fastify';
import fresh from 'fresh';
import Negotiator from 'negotiator';

export type Encoding = 'br' | 'gzip';
const encodings: Encoding[] = ['br', 'gzip'];
/** Of codings with the same weight, the first is sent. */
const offered = [...encodings, 'identity'];

/** Absent from the types of the library. */
type Preferring = {
  encoding(available: readonly string[], options: { preferred: readonly string[] }): string | undefined;
};

export function encodingOf({ headers }: FastifyRequest): Encoding | undefined {
  const given = headers['accept-encoding'];
  if (!given) return undefined;
  const named = given.replace(/\bx-gzip\b/gi, 'gzip'); // RFC 9110: both mean gzip
  const negotiator = new Negotiator({ headers: { 'accept-encoding': named } }) as unknown as Preferring;
  const best = negotiator.encoding(offered, { preferred: offered });
  return encodings.find((name) => name === best);
}

/** Ignores dates, because two changes may have the same date. */
export const isUnchanged = ({ headers }: FastifyRequest, etag: string): boolean =>
  fresh({ 'if-none-match': headers['if-none-match'] }, { etag });
