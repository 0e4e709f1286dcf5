import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { refuseUsedUp } from '../accounts/allowance.ts';
import { CALLER_ERROR_UNITS } from '../accounts/compute-units.ts';
import type { Admission, Meter } from '../accounts/meter.ts';
import type { TokenDirectory } from '../accounts/token-directory.ts';
import { TOKEN_IN_TEXT } from '../accounts/token-format.ts';
import type { Caller, Context } from '../context.ts';
import { JsonText } from '../kernel/json-text.ts';
import { badInput, Refusal } from '../kernel/refusal.ts';
import { graphiqlPage } from './pages/graphiql-page.ts';
import { wantsPage } from './pages/page.ts';
import type { UnreadHeaders } from './unread-headers.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
    /** Whether the request was let in, and how it stands with its rate. */
    admission: Admission | null;
    /** What the answer costs, in compute units; null where nothing was answered. */
    units: number | null;
    /** Compute units reserved until the answer is charged. */
    reserved: number;
    /** Reserves the estimate of a REST answer. Throws when requests in progress have reserved all that is left. */
    reserve(units: number): void;
  }
}

/** Rows of an answer: those of a page or list, else the one that is there; none in an empty body. */
export function rowsAnswered(body: unknown): number {
  if (body == null) return 0;
  const { data, results } = body as { data?: unknown; results?: unknown };
  for (const list of [body, data, results]) {
    if (list instanceof JsonText) return list.rows;
    if (Array.isArray(list)) return list.length;
  }
  return 1;
}

/** Statuses of requests that are refused for their rate or allowance. */
const notLetIn = new Set([402, 429]);

/** What a request costs: errors of ours nothing, errors of the caller one unit, and what was not let in nothing. */
function unitsOf(request: FastifyRequest, status: number): number {
  if (!request.admission || status >= 500 || notLetIn.has(status)) return 0;
  if (status >= 400 && request.units === null) return CALLER_ERROR_UNITS;
  return request.units ?? 0;
}

/** What a context tells of the caller and of what the answer costs. */
export const meteringOf = (request: FastifyRequest, meter: Meter): Pick<Context, 'caller' | 'metering'> => ({
  caller: request.caller as Caller,
  metering: {
    estimated: 0,
    charged: 0,
    rateRemaining: request.admission?.rateRemaining ?? null,
    standing: () => meter.standing(request.caller as Caller),
    remaining: () => meter.remaining(request.caller as Caller),
    available() {
      const available = meter.available(request.caller as Caller);
      return available === null ? null : available + request.reserved;
    },
    reserve: (units) => reserve(request, meter, units),
  },
});

/** Replaces what the request has reserved before: a GraphQL query may pass first the fast path and then Yoga. */
function reserve(request: FastifyRequest, meter: Meter, units: number) {
  meter.reserve(request.caller as Caller, units - request.reserved);
  request.reserved = units;
}

/**
 * Refuses a request when nothing is available: 402 when the allowance is used up, 429 when requests in progress have reserved
 * the rest of it. A request that is only partly covered is answered, so the last answer may exceed the allowance.
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

/** Refuses (400) what has the form of a token anywhere in the URL. It is not looked at. */
function refuseTokenInUrl({ url }: FastifyRequest) {
  if (!TOKEN_IN_TEXT.test(decoded(url))) return;
  throw badInput([{ loc: ['url'], msg: advice, type: 'token_in_url' }]);
}

function decoded(url: string): string {
  if (!url.includes('%')) return url;
  try {
    return decodeURIComponent(url);
  } catch {
    return url.replace(/%([0-7][0-9a-f])/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  }
}

/** What was refused to a request before Fastify had it, so that it is not counted twice. */
export const admissions = new WeakMap<IncomingMessage, Promise<Admission>>();

/** Lets a known caller in within its rate and allowance, and charges what it was answered. For the routes of `app`. */
export function meterRequests(
  app: FastifyInstance,
  options: { tokens: TokenDirectory; meter: Meter; unread: UnreadHeaders; now: () => Date },
) {
  const { tokens, meter, unread, now } = options;
  app.decorateRequest('caller', null);
  app.decorateRequest('admission', null);
  app.decorateRequest('units', null);
  app.decorateRequest('reserved', 0);
  app.decorateRequest('reserve', function (this: FastifyRequest, units: number) {
    refuseReserved(this.caller as Caller, meter);
    reserve(this, meter, units);
  });
  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.url === '/graphql' && wantsPage(request)) {
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
    const units = unitsOf(request, reply.statusCode);
    reply.header('x-service-compute-units', units);
    if (request.caller && request.admission) meter.charge(request.caller, units, request.reserved);
    request.reserved = 0; // this hook also runs when the caller has disconnected
    done(null, payload);
  });
}
