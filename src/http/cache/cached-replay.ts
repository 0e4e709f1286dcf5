import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Admission, Meter } from '../../accounts/meter.ts';
import type { TokenDirectory } from '../../accounts/token-directory.ts';
import type { Caller } from '../../context.ts';
import { admissions } from '../metering.ts';
import type { Answered } from '../metrics.ts';
import { baseUrl, readNetwork } from '../rest/rest.ts';
import type { UnreadHeaders } from '../unread-headers.ts';
import {
  type AnswerCache,
  type Kept,
  keyOfQuery,
  keyOfUrl,
  MAX_CACHED_BODY,
  type Sent,
} from './answer-cache.ts';

/** The kept answer that was sent, and the bytes of it. */
type Again = { entry: Kept; body: Buffer | undefined };

declare module 'fastify' {
  interface FastifyRequest {
    again: Again | null;
  }
}

/** Headers that are each request's own. */
const own = new Set(['x-request-id', 'ratelimit', 'ratelimit-policy', 'connection']);

/** What changes how a kept answer is sent, beside what finds it. */
const variantOf = (headers: IncomingHttpHeaders) =>
  `${headers['accept-encoding'] ?? ''}\n${headers.origin ?? ''}\n${headers['if-none-match'] ?? ''}`;

/** What a variant has of characters at the most: callers choose them, and they are counted in no entry. */
const MAX_VARIANT_LENGTH = 250;

/** Notes how kept answers are sent, where the bytes that were noted are what went out. */
export function learnSent(app: FastifyInstance): void {
  app.decorateRequest('again', null);
  app.addHook('onResponse', (request, reply, done) => {
    if (request.again && request.method !== 'HEAD') learn(request.again, request, reply);
    done();
  });
}

function learn({ entry, body }: Again, request: FastifyRequest, reply: FastifyReply): void {
  const variant = variantOf(request.headers);
  const headers = reply.getHeaders();
  // An error in their place is something else, and bytes that were compressed on their way have no length.
  const asNoted = body ? Number(headers['content-length']) === body.length : reply.statusCode === 304;
  if (!asNoted || variant.length > MAX_VARIANT_LENGTH) return;
  entry.sent.set(variant, {
    route: request.routeOptions.url as string,
    status: reply.statusCode,
    headers: Object.entries(headers).flatMap(([name, value]) => (own.has(name) ? [] : [name, String(value)])),
    body,
    units: request.units as number,
  });
}

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

const JSON_TYPES = new Set(['application/json', 'application/json; charset=utf-8']);

/** The bytes of a query, where it is one that may be kept; else 0. */
function lengthOfQuery({ headers, method, url }: IncomingMessage): number {
  if (method !== 'POST' || url !== '/graphql' || !JSON_TYPES.has(headers['content-type'] ?? '')) return 0;
  const length = headers['content-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : 0;
  return length <= MAX_CACHED_BODY ? length : 0;
}

/**
 * Gives kept answers again before Fastify sees their requests: one summary took 40 µs of CPU by its routes and hooks, and
 * takes 30 so. What goes out is what Fastify sent to a request that was the same in all that counts. The token is looked
 * up, the rate and the units are counted and the answer is logged as for any other; whatever is not just so is
 * Fastify's to answer.
 */
export function repeatKept(options: {
  cache: AnswerCache;
  tokens: TokenDirectory;
  meter: Meter;
  unread: UnreadHeaders;
  networkHeaders: readonly string[];
  publicUrl: string | undefined;
  trustsProxy: boolean;
  now: () => Date;
  requestId: (request: IncomingMessage) => string;
  tell: (answered: Answered, log: Logger, bindings: { reqId: string }) => void;
  log: Logger;
}): (serve: Serve) => Serve {
  const { cache, tokens, meter, publicUrl, log } = options;

  function keyOfGet({ headers, url = '' }: IncomingMessage, network: string): string | undefined {
    if (!url.startsWith('/v')) return undefined;
    // Whether these count depends on who sends them.
    const forwarded = headers['x-forwarded-host'] ?? headers['x-forwarded-proto'];
    if (forwarded !== undefined && options.trustsProxy && publicUrl === undefined) return undefined;
    return keyOfUrl(network, baseUrl(publicUrl, 'http', headers.host), url);
  }

  /** False where the caller is not let in: then it is Fastify's to say so. */
  async function give(
    caller: Caller,
    sent: Sent,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<boolean> {
    const begun = performance.now();
    const admitted = meter.admit(caller);
    let admission: Admission;
    try {
      admission = await admitted;
    } catch {
      admissions.set(request, admitted);
      return false;
    }
    if ((meter.available(caller) ?? 1) <= 0) {
      admissions.set(request, admitted); // Fastify refuses it, like every other request
      return false;
    }
    const id = options.requestId(request);
    const headers = sent.headers.concat('x-request-id', id);
    for (const name in admission.headers) headers.push(name, admission.headers[name] as string);
    response.writeHead(sent.status, headers).end(sent.body);
    meter.charge(caller, sent.units);
    options.unread.note(request.headers, log, { reqId: id });
    request.resume(); // a body that was looked at is still there
    const { route, status } = sent;
    const ms = performance.now() - begun;
    options.tell({ route, method: request.method as string, status, ms }, log, { reqId: id });
    return true;
  }

  return (serve) => (request, response) => {
    const { network, faults } = readNetwork(request, options.networkHeaders);
    if (faults.length > 0) return serve(request, response);

    const answer = (key: string | undefined, otherwise: () => void) => {
      const sent = key === undefined ? undefined : cache.sent(key, variantOf(request.headers));
      const caller = sent && tokens.find(request.headers.authorization, options.now());
      // An answer of GraphQL tells what is left of an allowance.
      const told = request.method === 'POST' && caller?.allowance.units !== undefined;
      if (!caller || told) return otherwise();
      void give(caller, sent, request, response).then((given) => given || otherwise());
    };
    if (request.method === 'GET') return answer(keyOfGet(request, network), () => serve(request, response));

    const length = lengthOfQuery(request);
    if (length === 0) return serve(request, response);
    request.once('data', (bytes: Buffer) => {
      request.pause(); // before its end: it may have to be put back
      // A body that comes in parts is not one that is asked again and again.
      const whole = bytes.length === length && isUtf8(bytes); // other bytes are refused by Fastify
      answer(whole ? keyOfQuery(bytes.toString(), request.headers.accept, network) : undefined, () => {
        request.unshift(bytes);
        // What is refused without its body being read must not leave the rest of that on the connection.
        if (!whole) response.once('finish', () => request.resume());
        serve(request, response);
      });
    });
  };
}
