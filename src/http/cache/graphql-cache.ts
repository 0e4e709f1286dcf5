import type { FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import type { GraphqlAnswer } from '../../graphql/run/yoga.ts';
import type { Answer } from './answer.ts';
import type { AnswerCache } from './answer-cache.ts';
import { encodedAnswer } from './cached-answer.ts';

export const MAX_CACHED_BODY = 20_000;

/** Contains the body as text, so a cache hit needs no parsing. */
export const keyOfQuery = (body: string, accept: string | undefined, network: string): string | undefined =>
  body.length > MAX_CACHED_BODY ? undefined : `graphql ${network} ${accept ?? ''}\n${body}`;

const REMAINING = '"remaining":';

/** The last `remaining` is in `extensions.cost`, because only `extensions.revision` comes later. */
function withRemaining(text: string, remaining: number | null): string {
  const start = text.lastIndexOf(REMAINING) + REMAINING.length;
  return text.slice(0, start) + remaining + text.slice(text.indexOf('}', start));
}

/** Stores `remaining` as null; `findQuery` inserts the caller's value. */
export function storeQuery(
  cache: AnswerCache,
  key: string | undefined,
  context: Context,
  answer: GraphqlAnswer,
): Answer {
  if (answer.notCached || !Buffer.isBuffer(answer.body)) return answer;
  if (key === undefined) return { ...answer, notCached: 'body_too_long' };
  const { charged: units, estimated, remaining } = context.metering;
  const { body: own, headers } = answer;
  const body = remaining() === null ? own : Buffer.from(withRemaining(own.toString(), null));
  const { notCached } = cache.store(key, context, { body, headers, units, unchangedUnits: units, estimated });
  return notCached ? { ...answer, notCached } : answer;
}

export async function findQuery(
  cache: AnswerCache,
  key: string,
  context: Context,
  request: FastifyRequest,
): Promise<Answer | undefined> {
  const entry = cache.get(key);
  if (!entry) return undefined;
  const available = context.metering.available();
  if (available === null) return encodedAnswer(request, entry);
  if ((entry.estimated ?? 0) > available) return undefined; // the engine refuses with its own message
  const { units, headers } = entry;
  context.metering.reserve(units);
  const body = Buffer.from(withRemaining(entry.body.toString(), context.metering.remaining(units)));
  return { status: 200, headers, body, units };
}
