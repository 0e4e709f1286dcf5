import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { refuseUsedUp } from '../accounts/allowance.ts';
import { CALLER_ERROR_UNITS } from '../accounts/compute-units.ts';
import type { Admission, Meter } from '../accounts/meter.ts';
import type { TokenDirectory } from '../accounts/token-directory.ts';
import { TOKEN_IN_TEXT } from '../accounts/token-format.ts';
import type { Caller, Context } from '../context.ts';
import { badInput, Refusal } from '../kernel/refusal.ts';
import type { CachedAnswer, NotCached } from './cache/answer-cache.ts';
import { graphiqlPage } from './pages/graphiql-page.ts';
import { wantsPage } from './pages/page.ts';
import type { UnreadHeaders } from './unread-headers.ts';

export type Answer = {
  status: number;
  headers: Record<string, string>;
  body: Buffer | undefined;
  units: number;
  cachedSource?: CachedAnswer;
  notCached?: NotCached;
};

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
    /** Null until admitted. */
    admission: Admission | null;
    /** Null until the handler answers, and when it refuses. */
    answer: Answer | null;
    reserved: number;
    /** Throws when the allowance is used up or other requests have reserved the rest. */
    reserve(units: number): void;
  }
}

export const answering =
  (handle: (request: FastifyRequest, reply: FastifyReply) => Promise<Answer>) =>
  async (request: FastifyRequest, reply: FastifyReply) => {
    const answer = await handle(request, reply);
    request.answer = answer;
    return reply.code(answer.status).headers(answer.headers).send(answer.body);
  };

const notLetIn = new Set([402, 429]);

export const meteringOf = (request: FastifyRequest, meter: Meter): Pick<Context, 'caller' | 'metering'> => {
  const caller = request.caller as Caller;
  return {
    caller,
    metering: {
      estimated: 0,
      charged: 0,
      rateRemaining: request.admission?.rateRemaining ?? null,
      standing: () => meter.standing(caller),
      remaining: () => meter.remaining(caller),
      available() {
        const available = meter.available(caller);
        return available === null ? null : available + request.reserved;
      },
      reserve: (units) => reserve(request, meter, units),
    },
  };
};

/** Replaces the request's earlier reservation: the fast path may reserve before Yoga does. */
function reserve(request: FastifyRequest, meter: Meter, units: number) {
  meter.reserve(request.caller as Caller, units - request.reserved);
  request.reserved = units;
}

/**
 * Throws 402 when the allowance is used up, 429 when other requests have reserved the rest. Accepts a partly covered
 * request, so the last answer may exceed the allowance.
 */
function refuseReserved(caller: Caller, meter: Meter) {
  const available = meter.available(caller);
  if (available === null || available > 0) return;
  const standing = meter.standing(caller);
  refuseUsedUp(standing);
  const left = (standing.unitsRemaining as number).toLocaleString('en');
  throw new Refusal(
    'RATE_LIMITED',
    `Too many requests at once: those being answered have reserved the ${left} compute units that are left.`,
    { headers: { 'retry-after': '1' } },
  );
}

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

/** Admissions made by replay.ts, reused so that no request is counted twice. */
export const admissions = new WeakMap<IncomingMessage, Promise<Admission>>();

/** Admits each request of `app` before its body is read; charges the answer when it is sent. */
export function meterRequests(
  app: FastifyInstance,
  options: { tokens: TokenDirectory; meter: Meter; unread: UnreadHeaders; now: () => Date },
) {
  const { tokens, meter, unread, now } = options;
  app.decorateRequest('caller', null);
  app.decorateRequest('admission', null);
  app.decorateRequest('answer', null);
  app.decorateRequest('reserved', 0);
  app.decorateRequest('reserve', function (this: FastifyRequest, units: number) {
    refuseReserved(this.caller as Caller, meter);
    reserve(this, meter, units);
  });
  app.addHook('onRequest', async (request, reply) => {
    if (request.method === 'GET' && request.routeOptions.url === '/graphql' && wantsPage(request)) {
      refuseTokenInUrl(request);
      return graphiqlPage(reply);
    }
    const caller = tokens.find(request.headers.authorization, now());
    if (!caller) throw new Refusal('UNAUTHENTICATED', 'Not authenticated');
    request.caller = caller;
    const admission = await (admissions.get(request.raw) ?? meter.admit(caller));
    request.admission = admission;
    reply.headers(admission.headers);
    unread.note(request.headers, request.log as unknown as Logger);
    refuseTokenInUrl(request);
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    const { caller, admission, answer } = request;
    const { statusCode: status } = reply;
    // Our own errors and requests over the rate or allowance are free; other refusals cost one unit.
    const isFree = !admission || status >= 500 || notLetIn.has(status);
    const units = isFree ? 0 : (answer?.units ?? (status >= 400 ? CALLER_ERROR_UNITS : 0));
    reply.header('x-service-compute-units', units);
    if (caller && admission) meter.charge(caller, units, request.reserved);
    request.reserved = 0; // this hook also runs when the caller has disconnected
    done(null, payload);
  });
}
