import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { CALLER_ERROR_UNITS } from '../accounts/compute-units.ts';
import type { Meter, Metering } from '../accounts/meter.ts';
import type { TokenDirectory } from '../accounts/token-directory.ts';
import { TOKEN_IN_TEXT } from '../accounts/token-format.ts';
import { badInput, Refusal } from '../kernel/refusal.ts';
import type { Answer } from './cache/answer.ts';
import type { ConcurrencyLimit } from './limits/concurrency-limit.ts';
import { graphiqlPage } from './pages/graphiql-page.ts';
import { type Frame, wantsPage } from './pages/page.ts';
import type { NetworkHeader } from './request/network-header.ts';

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

/** Server errors are free, except statements that ran into their timeout; other refusals cost one unit. */
function unitsOf(status: number, answer: Answer | null, metering: Metering): number {
  const { timedOut, estimated, charged } = metering;
  if (status >= 500) return timedOut ? estimated : 0;
  return answer?.units ?? (status >= 400 ? CALLER_ERROR_UNITS + charged : 0);
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
    frame: Frame;
  },
) {
  const { tokens, meter, gate } = options;
  app.decorateRequest('caller', null);
  app.decorateRequest('metering', null);
  app.decorateRequest('answer', null);
  app.addHook('onRequest', async (request, reply) => {
    if (request.method === 'GET' && request.routeOptions.url === '/graphql' && wantsPage(request)) {
      refuseTokenInUrl(request);
      return graphiqlPage(request, reply, options.frame);
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
    const units = metering && !notLetIn.has(status) ? unitsOf(status, answer, metering) : 0;
    reply.header('x-service-compute-units', units);
    metering?.charge(units);
    done(null, payload);
  });
}
