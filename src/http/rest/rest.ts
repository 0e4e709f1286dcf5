import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  PLAIN_LIST_SIZE,
  unitsFor,
  unitsForReading,
  type Weight,
  weightOf,
} from '../../accounts/compute-units.ts';
import type { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import { jsonWriter } from '../../kernel/json.ts';
import { bytesOf, JsonText } from '../../kernel/json-text.ts';
import { badInput, type Fault } from '../../kernel/refusal.ts';
import { type Call, deprecated, type Route } from '../../kernel/route.ts';
import { answering } from '../cache/answer.ts';
import { type AnswerCache, keyOfUrl } from '../cache/answer-cache.ts';
import { resourceAnswer } from '../cache/cached-answer.ts';
import { basePathOf, baseUrl } from '../request/base.ts';
import { type NetworkHeader, networkHeader } from '../request/network-header.ts';
import { idempotent, readKey, type Stored } from './idempotency.ts';
import { deprecationReader, inputReader, readBody } from './rest-input.ts';
import { type Form, formOf, formTypes, type List, linesOf, listOf } from './row-forms.ts';
import { linksOf, wholeList, wholeQuery } from './whole-list.ts';

type MakeContext = (request: FastifyRequest, network: Network) => Context;

/** Removes scheme and host, which proxies send. */
const targetOf = (url: string): string => url.replace(/^https?:\/\/[^/]*/i, '');

type Base = { url: string; path: string };

function readCall(target: string, base: Base): Call {
  const [path, ...query] = target.split('?');
  return { path: base.path + path, url: base.url + path, query: query.join('?') };
}

type Input = { params: unknown; query: unknown; body: unknown };

function rowsAnswered(body: unknown): number {
  if (body == null) return 0;
  const { data, results } = body as { data?: unknown; results?: unknown };
  for (const list of [body, data, results]) {
    if (list instanceof JsonText) return list.rows;
    if (Array.isArray(list)) return list.length;
  }
  return 1;
}

/** Units of the rows that are read besides those that are returned. */
const readingUnits = (
  route: Route<Context>,
  context: Context,
  input: object,
  reads: 'reads' | 'mayRead' = 'reads',
): number => unitsForReading(route[reads]?.(context, input as never) ?? 0);

const mostReadingUnits = (route: Route<Context>, context: Context, input: object): number =>
  readingUnits(route, context, input) + readingUnits(route, context, input, 'mayRead');

function roomCaller(route: Route<Context>, weight: Weight) {
  const write = jsonWriter(route.reply);
  const { status = 200 } = route;
  return async (context: Context, input: Input, call: Call): Promise<Stored & { units: number }> => {
    const { headers = {}, body } = await route.handle(context, input as never, call);
    const own = unitsFor(weight, rowsAnswered(body)) + readingUnits(route, context, input);
    const units = own + context.metering.charged;
    return { status, headers, pieces: status === 204 ? [''] : write(body), units };
  };
}

function estimator(route: Route<Context>, weight: Weight): (query: unknown) => number {
  const rows = route.reply instanceof z.ZodArray ? PLAIN_LIST_SIZE : 1;
  return (query) => {
    const { size, limit } = query as { size?: number; limit?: number };
    return unitsFor(weight, size ?? limit ?? rows);
  };
}

function formCaller(route: Route<Context>, list: List, options: Options) {
  const weight = weightOf(route.units ?? route.operationId);
  const readInput = inputReader(route);
  const estimate = estimator(route, weight);
  return async (request: FastifyRequest, form: Form, network: Network, base: Base, faults: Fault[]) => {
    const own = readCall(targetOf(request.url), base);
    const requested = request.query as Record<string, unknown>;
    const whole = wholeQuery(route, requested, faults);
    const inputOf = (given: unknown) => readInput({ ...pick(request), query: given }, faults);
    const first = inputOf(whole ?? requested);
    if (faults.length > 0) throw badInput(faults);
    const context = options.makeContext(request, network);
    const reading = readingUnits(route, context, first);
    request.metering?.claim(estimate(first.query) + mostReadingUnits(route, context, first));
    const read = async (given: Record<string, unknown>) => {
      const input = given === requested || given === whole ? first : inputOf(given);
      if (faults.length > 0) throw badInput(faults);
      const query = given === requested ? own.query : String(new URLSearchParams(given as never));
      const context = options.makeContext(request, network);
      return (await route.handle(context, input as never, { ...own, query })).body;
    };
    const headers = { 'content-type': formTypes[form] };
    if (whole && request.method === 'HEAD')
      // The length of the list is not known before it is read.
      return {
        status: 200,
        headers,
        body: Readable.from([]),
        units: unitsFor(weight, 0),
        notCached: 'form' as const,
      };
    if (whole) {
      const body = await wholeList({ request, form, list, weight, reading, query: whole, read });
      return { status: 200, headers, body, units: 0, notCached: 'form' as const };
    }
    const found = await read(requested);
    const rows = list.rowsOf(found);
    const body = Buffer.from(linesOf(form, list, rows, true));
    const units = unitsFor(weight, rows.length) + reading + (request.metering?.charged ?? 0);
    const linked = {
      ...headers,
      ...linksOf(found, route.successor && basePathOf(request) + route.successor),
    };
    return { status: 200, headers: linked, body, units, notCached: 'form' as const };
  };
}

const pick = ({ params, log }: FastifyRequest) => ({ params, log }) as FastifyRequest;

type Options = {
  networkHeaders: readonly string[];
  networkHeader: NetworkHeader;
  publicUrl?: string | undefined;
  makeContext: MakeContext;
  cache?: AnswerCache | undefined;
};

const JSON_TYPE = 'application/json; charset=utf-8';

function handlerOf(route: Route<Context>, options: Options) {
  const { method = 'GET' } = route;
  const weight = weightOf(route.units ?? route.operationId);
  const baseUnits = unitsFor(weight, 0);
  const read = inputReader(route);
  const usesDeprecated = deprecationReader(route);
  const callRoom = roomCaller(route, weight);
  const estimate = estimator(route, weight);
  const cache = method === 'GET' ? options.cache : undefined;
  const hasNetwork = route.networkHeader !== false;
  const header = hasNetwork ? options.networkHeader : networkHeader([]);
  const list = method === 'GET' ? listOf(route.reply) : undefined;
  const callForm = list && formCaller(route, list, options);
  const varied = [...(list ? ['Accept'] : []), 'Accept-Encoding'];
  const vary = [...varied, ...(hasNetwork ? options.networkHeaders : [])].join(', ');

  return answering(async (request, reply) => {
    if (usesDeprecated(request.query as Record<string, unknown>)) reply.headers(deprecated());
    const { network, faults } = header.read(request.headers);
    // Fastify reads forwarded headers only from trusted proxies.
    const path = basePathOf(request);
    const base = { path, url: baseUrl(options.publicUrl, request.protocol, request.host, path) };
    const target = targetOf(request.url);
    const form = callForm && formOf(request.headers.accept);
    if (form) {
      const others = reply.getHeader('vary');
      reply.header('vary', others ? `${others}, ${vary}` : vary);
      return callForm(request, form, network, base, faults);
    }
    const cacheKey = keyOfUrl(network, base.url, target);
    const cached = faults.length === 0 ? cache?.get(cacheKey) : undefined;
    if (cached) {
      request.metering?.claim(cached.units);
      return resourceAnswer(request, reply, cached, vary);
    }
    const { params, query } = read(request, faults);
    const body = route.body && readBody(route.body, request.body, faults);
    const key = method === 'POST' ? readKey(request, faults) : undefined;
    if (faults.length > 0) throw badInput(faults);
    const context = options.makeContext(request, network);
    request.metering?.claim(estimate(query) + mostReadingUnits(route, context, { query, body }));
    const call = (of: Context) => callRoom(of, { params, query, body }, readCall(target, base));
    const answered = key === undefined ? await call(context) : await idempotent(context, key, request, call);
    const { status, pieces, units = baseUnits } = answered;
    const bytes = status === 204 ? undefined : bytesOf(pieces);
    const headers = { ...(bytes && { 'content-type': JSON_TYPE }), ...answered.headers };
    if (!cache || !bytes) return { status, headers, body: bytes, units, notCached: 'method' };
    const stored = cache.store(cacheKey, context, { body: bytes, headers, units, unchangedUnits: baseUnits });
    const { entry, notCached } = stored;
    if (!entry) return { status, headers, body: bytes, units, ...(notCached && { notCached }) };
    return { ...(await resourceAnswer(request, reply, entry, vary)), ...(notCached && { notCached }) };
  });
}

export function serveRoute(app: FastifyInstance, route: Route<Context>, options: Options): void {
  const { method = 'GET', path, successor } = route;
  const handler = handlerOf(route, options);
  const config = successor === undefined ? {} : { successor };
  app.route({ method, url: path, handler, config, ...(method === 'GET' && { decompress: false }) });
}
