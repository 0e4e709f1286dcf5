import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { PLAIN_LIST_SIZE, unitsFor, type Weight, weightOf } from '../../accounts/compute-units.ts';
import type { Network } from '../../chain/networks.ts';
import { networkParam } from '../../chain/params.ts';
import type { Context } from '../../context.ts';
import { jsonWriter } from '../../kernel/json.ts';
import { bytesOf } from '../../kernel/json-text.ts';
import { paramFaults } from '../../kernel/params.ts';
import { badInput, type Fault } from '../../kernel/refusal.ts';
import { type Call, deprecated, type Route } from '../../kernel/route.ts';
import { type AnswerCache, keyOfUrl, sendKept } from '../cache/answer-cache.ts';
import { rowsAnswered } from '../metering.ts';
import { type Answer, idempotent, readKey } from './idempotency.ts';
import { deprecationReader, inputReader, readBody } from './rest-input.ts';

type MakeContext = (request: FastifyRequest, network: Network) => Context;

const networkValue = networkParam();
const defaultNetwork = networkValue.parse(undefined);

/** The network of a request: the first of the accepted headers that is there. Faults are placed at the documented one. */
export function readNetwork(
  request: { headers: IncomingHttpHeaders },
  headers: readonly string[],
): { network: Network; faults: Fault[] } {
  const name = headers.find((header) => request.headers[header.toLowerCase()] !== undefined);
  if (name === undefined) return { network: defaultNetwork, faults: [] };
  const read = networkValue.safeParse(request.headers[name.toLowerCase()]);
  if (read.success) return { network: read.data, faults: [] };
  const faults = paramFaults(read.error, 'header').map((fault) => ({
    ...fault,
    loc: ['header', headers[0] as string],
    msg: `${name}${fault.msg}`,
  }));
  return { network: 'mainnet', faults };
}

const HOST = /^[\w.:[\]-]+$/;

/** What absolute links begin with: `publicUrl`, or else what the request names; in HTTP/1.0 that may be nothing. */
export const baseUrl = (publicUrl: string | undefined, protocol: string, host = ''): string =>
  publicUrl ?? `${protocol === 'https' ? protocol : 'http'}://${HOST.test(host) ? host : 'localhost'}`;

/** A URL without the host that it has in the absolute form of a proxy. */
const targetOf = (url: string): string => url.replace(/^https?:\/\/[^/]*/i, '');

/** The call for answers that link to themselves. */
function readCall(target: string, base: string): Call {
  const [path, ...query] = target.split('?');
  return { path: path as string, url: base + path, query: query.join('?') };
}

type Input = { params: unknown; query: unknown; body: unknown };

/** Asks the room of a route, and counts what that costs. */
function asker(route: Route<Context>, weight: Weight) {
  const write = jsonWriter(route.reply);
  const { status = 200 } = route;
  return async (request: FastifyRequest, context: Context, input: Input, call: Call): Promise<Answer> => {
    const { headers = {}, body } = await route.handle(context, input as never, call);
    request.units = unitsFor(weight, rowsAnswered(body));
    return { status, headers, pieces: status === 204 ? [''] : write(body) };
  };
}

/** Estimates what an answer of a route costs, in compute units: a full page of the requested size. */
function estimator(route: Route<Context>, weight: Weight): (query: unknown) => number {
  const rows = route.reply instanceof z.ZodArray ? PLAIN_LIST_SIZE : 1;
  return (query) => {
    const { size, limit } = query as { size?: number; limit?: number };
    return unitsFor(weight, size ?? limit ?? rows);
  };
}

type Options = {
  networkHeaders: readonly string[];
  publicUrl?: string | undefined;
  makeContext: MakeContext;
  cache?: AnswerCache | undefined;
};

const JSON_TYPE = 'application/json; charset=utf-8';

/** Reads the input of a documented path, calls the room's handler and writes its answer, which is kept where it may be. */
function handlerOf(route: Route<Context>, options: Options) {
  const { method = 'GET' } = route;
  const weight = weightOf(route.units ?? route.operationId);
  const read = inputReader(route);
  const usesDeprecated = deprecationReader(route);
  const askRoom = asker(route, weight);
  const estimate = estimator(route, weight);
  const cache = method === 'GET' ? options.cache : undefined;
  const headerNames = route.networkHeader === false ? [] : options.networkHeaders;
  const vary = ['Accept-Encoding', ...headerNames].join(', ');

  return async (request: FastifyRequest, reply: FastifyReply) => {
    if (usesDeprecated(request.query as Record<string, unknown>)) reply.headers(deprecated()); // of refusals too
    const { network, faults } = readNetwork(request, headerNames);
    // Forwarded headers count only from trusted proxies: Fastify sees to that.
    const base = baseUrl(options.publicUrl, request.protocol, request.host);
    const target = targetOf(request.url);
    const cacheKey = keyOfUrl(network, base, target);
    const kept = faults.length === 0 ? cache?.get(cacheKey) : undefined;
    if (kept) {
      request.reserve(kept.units);
      await sendKept(request, reply, kept, vary);
      return reply;
    }
    const { params, query } = read(request, faults);
    const body = route.body && readBody(route.body, request.body, faults);
    const key = method === 'POST' ? readKey(request, faults) : undefined;
    if (faults.length > 0) throw badInput(faults);
    request.reserve(estimate(query));
    const context = options.makeContext(request, network);
    const ask = (context: Context) =>
      askRoom(request, context, { params, query, body }, readCall(target, base));
    const answer = await (key === undefined ? ask(context) : idempotent(context, key, request, ask));
    request.units ??= unitsFor(weight, 0); // an answer that is given again
    const bytes = bytesOf(answer.pieces);
    const entry = cache?.keep(cacheKey, context, {
      body: bytes,
      headers: { 'content-type': JSON_TYPE, ...answer.headers },
      units: request.units,
      unchangedUnits: unitsFor(weight, 0),
    });
    if (entry) {
      await sendKept(request, reply, entry, vary);
      return reply;
    }
    reply.code(answer.status).headers(answer.headers);
    return answer.status === 204 ? reply.send() : reply.type(JSON_TYPE).send(bytes);
  };
}

/** Serves a documented path. */
export function serveRoute(app: FastifyInstance, route: Route<Context>, options: Options): void {
  const { method = 'GET', path, successor } = route;
  const config = successor
    ? { headers: { ...deprecated(), link: `<${successor}>; rel="successor-version"` } }
    : {};
  const handler = handlerOf(route, options);
  // A GET has no body that could be compressed.
  app.route({ method, url: path, handler, config, ...(method === 'GET' && { decompress: false }) });
}
