import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../accounts/caller.ts';
import type { Metering } from '../../accounts/meter.ts';
import { ranIntoTimeout } from '../../db/connection.ts';
import { tracer } from '../../kernel/tracing.ts';
import { spanOf } from '../request/tracing.ts';
import type { CachedAnswer, NotCached } from './answer-cache.ts';

export type Answer = {
  status: number;
  headers: Record<string, string>;
  /** A stream is charged when it ends, except in a response to HEAD. */
  body: Buffer | Readable | undefined;
  units: number;
  cachedSource?: CachedAnswer;
  notCached?: NotCached;
};

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
    metering: Metering | null;
    answer: Answer | null;
  }
}

export const answering =
  (handle: (request: FastifyRequest, reply: FastifyReply) => Promise<Answer>) =>
  async (request: FastifyRequest, reply: FastifyReply) => {
    // Reading the body loses the active span.
    const answering = tracer
      ? tracer.within(spanOf(request), () => handle(request, reply))
      : handle(request, reply);
    const answer = await answering.catch((error) => {
      if (request.metering) request.metering.timedOut ||= ranIntoTimeout(error);
      throw error;
    });
    request.answer = answer;
    return reply.code(answer.status).headers(answer.headers).send(answer.body);
  };
