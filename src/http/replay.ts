import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Caller } from '../accounts/caller.ts';
import type { Meter, Metering } from '../accounts/meter.ts';
import type { TokenDirectory } from '../accounts/token-directory.ts';
import { tracer } from '../kernel/tracing.ts';
import { admissions } from './admission.ts';
import { type AnswerCache, type CachedResponse, keyOfUrl } from './cache/answer-cache.ts';
import { keyOfQuery, MAX_CACHED_BODY } from './cache/graphql-cache.ts';
import type { Metrics } from './metrics/index.ts';
import { baseUrl } from './request/base.ts';
import type { NetworkHeader } from './request/network-header.ts';
import { requestAttributes } from './request/tracing.ts';
import { formOf } from './rest/row-forms.ts';

const perRequestHeaders = new Set(['x-request-id', 'ratelimit', 'ratelimit-policy', 'connection']);

const variantOf = (headers: IncomingHttpHeaders) =>
  `${headers['accept-encoding'] ?? ''}\n${headers.origin ?? ''}\n${headers['if-none-match'] ?? ''}`;

/** Limited, because clients choose the variant and the size of a cache entry ignores it. */
const MAX_VARIANT_LENGTH = 250;

export function recordResponses(app: FastifyInstance, cache: AnswerCache): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { answer } = request;
    const reason = answer && reply.statusCode < 500 ? answer.notCached : reply.statusCode >= 400 && 'error';
    if (reason) {
      cache.countNotCached(reason);
      request.log.debug({ reason }, 'not cached');
    } else if (request.method !== 'HEAD') recordResponse(request, reply);
    done();
  });
}

function recordResponse(request: FastifyRequest, reply: FastifyReply): void {
  const { cachedSource, body: sent, units = 0 } = request.answer ?? {};
  const body = sent instanceof Readable ? undefined : sent;
  const variant = variantOf(request.headers);
  const headers = reply.getHeaders();
  // If Content-Length is missing, the compress plugin has changed the body.
  const isOfSource = body ? Number(headers['content-length']) === body.length : reply.statusCode === 304;
  if (!cachedSource || !isOfSource || variant.length > MAX_VARIANT_LENGTH) return;
  cachedSource.responses.set(variant, {
    route: request.routeOptions.url as string,
    status: reply.statusCode,
    headers: Object.entries(headers).flatMap(([name, value]) =>
      perRequestHeaders.has(name) ? [] : [name, String(value)],
    ),
    body,
    units,
  });
}

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

const JSON_TYPES = new Set(['application/json', 'application/json; charset=utf-8']);

function lengthOfQuery({ headers, method, url }: IncomingMessage): number {
  if (method !== 'POST' || url !== '/graphql' || !JSON_TYPES.has(headers['content-type'] ?? '')) return 0;
  const length = headers['content-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : 0;
  return length <= MAX_CACHED_BODY ? length : 0;
}

/**
 * Sends cached responses without Fastify, so a summary needs 30 µs of CPU instead of 40. Authentication, rates, units
 * and logs work as usual. Fastify handles all other requests and refusals.
 */
export function replayCached(options: {
  cache: AnswerCache;
  tokens: TokenDirectory;
  meter: Meter;
  networkHeader: NetworkHeader;
  publicUrl: string | undefined;
  trustsProxy: boolean;
  requestId: (request: IncomingMessage) => string;
  metrics: Metrics;
  log: Logger;
}): (serve: Serve) => Serve {
  const { cache, tokens, meter, publicUrl, log } = options;
  const callerOf = ({ headers }: IncomingMessage) => tokens.find(headers.authorization, meter.now());

  function keyOfGet({ headers, url = '' }: IncomingMessage, network: string): string | undefined {
    if (!url.startsWith('/v') || formOf(headers.accept)) return undefined;
    // Only Fastify decides whether to trust these headers.
    const forwarded =
      headers['x-forwarded-host'] ?? headers['x-forwarded-proto'] ?? headers['x-forwarded-prefix'];
    if (forwarded !== undefined && options.trustsProxy && publicUrl === undefined) return undefined;
    return keyOfUrl(network, baseUrl(publicUrl, 'http', headers.host), url);
  }

  async function sendCached(
    caller: Caller,
    cached: CachedResponse,
    stored: () => CachedResponse | undefined,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<boolean> {
    const begun = performance.now();
    const admitted = meter.admit(caller);
    let metering: Metering | undefined;
    try {
      metering = await admitted;
    } catch {
      // Fastify sends the refusal.
    }
    // Admission may have noticed a change of the data.
    if (!metering || (metering.available() ?? 1) <= 0 || stored() !== cached) {
      admissions.set(request, admitted);
      return false;
    }
    const reqId = options.requestId(request);
    const span = tracer?.request(request.headers, `${request.method} ${cached.route}`, true);
    const headers = cached.headers.concat('x-request-id', reqId);
    for (const name in metering.headers) headers.push(name, metering.headers[name] as string);
    response.writeHead(cached.status, headers).end(cached.body);
    cache.countHit();
    metering.charge(cached.units);
    options.networkHeader.noteUnread(request.headers, log, { reqId });
    request.resume();
    const { route, status, units } = cached;
    const { account, tokenName, tokenId } = caller;
    const ms = performance.now() - begun;
    const answered = {
      route,
      method: request.method as string,
      status,
      ms,
      account,
      tokenName,
      tokenId,
      units,
    };
    if (span) tracer?.within(span, () => tracer?.mark('cache', { 'stakegraph.cache.hit': true }));
    span?.set(requestAttributes(answered));
    span?.end();
    options.metrics.observe(answered, log, { reqId, ...span?.ids });
    return true;
  }

  return (serve) => (request, response) => {
    const pass = () => serve(request, response);
    const { network, faults } = options.networkHeader.read(request.headers);
    if (faults.length > 0) return pass();

    const responseOf = (key: string | undefined) =>
      key === undefined ? undefined : cache.response(key, variantOf(request.headers));
    const send = (caller: Caller, cached: CachedResponse, key: string | undefined, otherwise: () => void) =>
      void sendCached(caller, cached, () => responseOf(key), request, response)
        .then((sent) => sent || otherwise())
        .catch((error: unknown) => {
          log.error({ err: error }, 'A cached response could not be sent.');
          response.destroy();
        });
    if (request.method === 'GET') {
      const key = keyOfGet(request, network);
      const cached = responseOf(key);
      const caller = cached && callerOf(request);
      return caller ? send(caller, cached, key, pass) : pass();
    }

    const length = lengthOfQuery(request);
    if (length === 0) return pass();
    // Checks the token before the body, so that a bad token is refused immediately. A response cannot be replayed if
    // the account has an allowance, because the response contains the rest of it.
    const caller = callerOf(request);
    if (!caller || caller.allowance.units !== undefined) return pass();
    request.once('data', (bytes: Buffer) => {
      request.pause(); // `unshift` works only before the body ends
      // Fastify handles bodies that arrive in several parts, and refuses text that is not UTF-8.
      const isWhole = bytes.length === length && isUtf8(bytes);
      const passWithBody = () => {
        request.unshift(bytes);
        // Drains the rest if Fastify refuses the request without reading its body.
        if (!isWhole) response.once('finish', () => request.resume());
        pass();
      };
      const key = isWhole ? keyOfQuery(bytes.toString(), request.headers.accept, network) : undefined;
      const cached = responseOf(key);
      if (!cached) return passWithBody();
      send(caller, cached, key, passWithBody);
    });
  };
}
