import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { CALLER_ERROR_UNITS } from '../accounts/compute-units.ts';
import type { Meter, Metering } from '../accounts/meter.ts';
import type { TokenDirectory } from '../accounts/token-directory.ts';
import { TOKEN_IN_TEXT } from '../accounts/token-format.ts';
import type { Caller } from '../context.ts';
import { badInput, Refusal, unavailable } from '../kernel/refusal.ts';
import { tracer } from '../kernel/tracing.ts';
import type { CachedAnswer, NotCached } from './cache/answer-cache.ts';
import type { NetworkHeader } from './network-header.ts';
import { graphiqlPage } from './pages/graphiql-page.ts';
import { wantsPage } from './pages/page.ts';
import { spanOf } from './tracing.ts';

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
    const answer = await (tracer
      ? tracer.within(spanOf(request), () => handle(request, reply))
      : handle(request, reply));
    request.answer = answer;
    return reply.code(answer.status).headers(answer.headers).send(answer.body);
  };

const notLetIn = new Set([402, 429]);

const advice =
  'A URL is kept by proxies, browsers and logs: send the token in the header "Authorization: Bearer <token>", and revoke the one that was sent here.';

function refuseTokenInUrl({ url }: FastifyRequest) {
  if (!TOKEN_IN_TEXT.test(url.includes('%') ? decoded(url) : url)) return;
  throw badInput([{ loc: ['url'], msg: advice, type: 'token_in_url' }]);
}

function decoded(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url.replace(/%([0-7][0-9a-f])/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  }
}

const MAX_WAITING = 2_000;
const SWEEP_MS = 250;

type Waiting = { request: FastifyRequest; since: number; enter: (refusal?: Error) => void };

export type ConcurrencyLimit = {
  enter(request: FastifyRequest, reply: unknown, done: (refusal?: Error) => void): void;
  /** Call when the response is ready, so that slow readers do not delay other requests, and again after sending. */
  leave(request: FastifyRequest): void;
  waiting(): number;
  stop(): void;
};

/**
 * Lets `most` requests run at once; the others wait in order. With 1,000 connections a response then takes 230 µs of CPU,
 * as with 256; without the limit it takes 380 µs, because V8 copies the objects of waiting requests.
 */
export function concurrencyLimit(most: number, deadlineMs: number): ConcurrencyLimit {
  const working = new WeakSet<FastifyRequest>();
  const queue = new Set<Waiting>();
  let free = most;

  function leave(request: FastifyRequest) {
    if (!working.delete(request)) return;
    for (const next of queue) {
      queue.delete(next);
      if (next.request.raw.socket.destroyed) next.enter(unavailable());
      // Without the microtask, synchronous responses would recurse.
      else return queueMicrotask(next.enter);
    }
    free += 1;
  }

  function sweep() {
    const latest = performance.now() - deadlineMs;
    for (const next of queue) {
      if (next.since >= latest) return;
      queue.delete(next);
      next.enter(unavailable());
    }
  }

  const timer = setInterval(sweep, SWEEP_MS).unref();
  return {
    enter(request, _reply, done) {
      if (free > 0) {
        free -= 1;
        working.add(request);
        return done();
      }
      if (queue.size >= MAX_WAITING) return done(unavailable());
      const enter = (refusal?: Error) => {
        if (!refusal) working.add(request);
        done(refusal);
      };
      queue.add({ request, since: performance.now(), enter });
    },
    leave,
    waiting: () => queue.size,
    stop: () => clearInterval(timer),
  };
}

/** replay.ts stores its admissions here, so that no request counts twice. */
export const admissions = new WeakMap<IncomingMessage, Promise<Metering>>();

/** Checks token, rate and allowance before the body is read. */
export function admitRequests(
  app: FastifyInstance,
  options: {
    tokens: TokenDirectory;
    meter: Meter;
    gate: ConcurrencyLimit;
    networkHeader: NetworkHeader;
  },
) {
  const { tokens, meter, gate } = options;
  app.decorateRequest('caller', null);
  app.decorateRequest('metering', null);
  app.decorateRequest('answer', null);
  app.addHook('onRequest', async (request, reply) => {
    if (request.method === 'GET' && request.routeOptions.url === '/graphql' && wantsPage(request)) {
      refuseTokenInUrl(request);
      return graphiqlPage(reply);
    }
    const caller = tokens.find(request.headers.authorization, meter.now());
    if (!caller) throw new Refusal('UNAUTHENTICATED', 'Not authenticated');
    request.caller = caller;
    const metering = await (admissions.get(request.raw) ?? meter.admit(caller));
    request.metering = metering;
    reply.headers(metering.headers);
    options.networkHeader.noteUnread(request.headers, request.log as unknown as Logger);
    refuseTokenInUrl(request);
  });
  app.addHook('preHandler', gate.enter);
  app.addHook('onSend', (request, reply, payload, done) => {
    gate.leave(request);
    const { metering, answer } = request;
    const { statusCode: status } = reply;
    if (answer?.body instanceof Readable && request.method !== 'HEAD') return done(null, payload);
    // Server errors and exceeded rates or allowances are free; other refusals cost one unit.
    const isFree = !metering || status >= 500 || notLetIn.has(status);
    const units = isFree ? 0 : (answer?.units ?? (status >= 400 ? CALLER_ERROR_UNITS : 0));
    reply.header('x-service-compute-units', units);
    metering?.charge(units);
    done(null, payload);
  });
}
