import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import type { QuickAnswer } from '../../graphql/run/fast-path.ts';
import { remainingAfter } from '../../graphql/run/metering.ts';
import { type AnswerCache, sendBytes } from './answer-cache.ts';

const REMAINING = '"remaining":';

/** The same answer for a caller who has so much left: `extensions.cost` is its last part but one. */
function withRemaining(text: string, remaining: number | null): string {
  const start = text.lastIndexOf(REMAINING) + REMAINING.length;
  return text.slice(0, start) + remaining + text.slice(text.indexOf('}', start));
}

/** Caches an answer without errors, as for callers without a limit; for others, `remaining` is filled in when it is sent. */
export function keepAnswer(
  cache: AnswerCache,
  key: string,
  context: Context,
  { status, headers, bytes, whole }: QuickAnswer,
): void {
  if (status !== 200 || !whole) return;
  const { charged, estimated, remaining } = context.metering;
  const body = remaining() === null ? bytes : Buffer.from(withRemaining(bytes.toString(), null));
  cache.keep(key, context, { body, headers, units: charged, unchangedUnits: charged, estimated });
}

/** Sends the kept answer to this query; false when there is none, or the caller could not run it. */
export async function sendAgain(
  cache: AnswerCache,
  key: string,
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  const entry = cache.get(key);
  if (!entry) return false;
  const available = context.metering.available();
  if (available !== null && (entry.estimated ?? 0) > available) return false; // the engine refuses it with its own message
  if (available === null) {
    await sendBytes(request, reply, entry);
    return true;
  }
  context.metering.reserve(entry.units);
  request.units = entry.units;
  const text = withRemaining(entry.body.toString(), remainingAfter(context, entry.units));
  reply.headers(entry.headers).send(Buffer.from(text)); // as bytes: see graphql.ts
  return true;
}
