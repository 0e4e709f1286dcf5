import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { unitsFor, weightOf } from '../accounts/compute-units.ts';
import type { Network } from '../chain/networks.ts';
import { networkParam } from '../chain/params.ts';
import type { Context } from '../context.ts';
import { bodyFaults } from '../kernel/body.ts';
import { boundedMap } from '../kernel/bounded.ts';
import { jsonWriter } from '../kernel/json.ts';
import { bytesOf } from '../kernel/json-text.ts';
import { paramDocument, paramFaults } from '../kernel/params.ts';
import { badInput, type Fault } from '../kernel/refusal.ts';
import { type Call, deprecated, type Route } from '../kernel/route.ts';
import { type AnswerCache, keyOfUrl, sendKept } from './answer-cache.ts';
import { type Answer, answerOnce, readKey } from './idempotency.ts';
import { rowsAnswered } from './metering.ts';

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

/** Reads one part of the request, as far as it is right; its faults are collected, so that a caller learns of all at once. */
function readPart(schema: z.ZodObject, part: string, input: unknown, faults: Fault[]) {
  // Every documented name is there, if only as undefined: zod does not run the check of a key that is missing.
  const given = input as Record<string, unknown>;
  const names = Object.keys(schema.shape);
  const read = schema.safeParse(
    Object.fromEntries(names.map((name) => [name, Object.hasOwn(given, name) ? given[name] : undefined])),
  );
  if (read.success) return read.data;
  faults.push(...paramFaults(read.error, part));
  const wrong = new Set(read.error.issues.map((issue) => issue.path[0]));
  const right = names.filter((name) => !wrong.has(name));
  return Object.fromEntries(
    right.map((name) => [name, z.parse(schema.shape[name] as z.ZodType, given[name])]),
  );
}

type Input = { params: Record<string, unknown>; query: Record<string, unknown>; unknown: string[] };
const LONGEST_URL = 1_000;

/**
 * Reads what is asked for in the URL. What a URL means is kept with it, as what a GraphQL document means is: reading it
 * anew took 25 of 140 µs of one summary.
 */
function inputReader(route: Pick<Route<Context>, 'params' | 'query' | 'together'>) {
  const known = boundedMap<Input>(200);
  return (request: FastifyRequest, faults: Fault[]): Input => {
    const kept = known.get(request.url) ?? readUrl(request, faults);
    if (kept.unknown.length > 0) request.log.debug({ unknown: kept.unknown }, 'unknown parameters ignored');
    return kept;
  };
  function readUrl(request: FastifyRequest, faults: Fault[]): Input {
    const own: Fault[] = [];
    const params = readPart(route.params, 'path', request.params, own);
    const query = readPart(route.query, 'query', request.query, own);
    own.push(...(route.together?.(query as never) ?? []));
    faults.push(...own);
    const names = Object.keys(request.query as object).filter((name) => !(name in route.query.shape));
    const unknown = names.slice(0, 20).map((name) => name.slice(0, 64));
    const input = { params: Object.freeze(params), query: Object.freeze(query), unknown };
    if (own.length === 0 && request.url.length <= LONGEST_URL) known.set(request.url, input);
    return input;
  }
}

/** Reads a JSON body; its faults join those of the other parts. */
function readBody(schema: z.ZodObject, input: unknown, faults: Fault[]) {
  const read = schema.safeParse(input ?? undefined);
  if (read.success) return read.data;
  faults.push(...bodyFaults(read.error));
  return undefined;
}

/** What a query says of a parameter that it does not give. */
const absent = new Set<unknown>([undefined, '', 'null']);

/** Serves a documented path: reads the input, calls the room's handler and writes its answer. */
export function serveRoute(
  app: FastifyInstance,
  route: Route<Context>,
  options: {
    networkHeaders: readonly string[];
    publicUrl?: string | undefined;
    makeContext: MakeContext;
    cache?: AnswerCache | undefined;
  },
) {
  const write = jsonWriter(route.reply);
  const read = inputReader(route);
  const weight = weightOf(route.units ?? route.operationId);
  const { successor } = route;
  const { method = 'GET', status = 200 } = route;
  const cache = method === 'GET' ? options.cache : undefined;
  const deprecatedNames = Object.entries(route.query.shape).flatMap(([name, type]) =>
    paramDocument(type)?.schema.deprecated ? [name] : [],
  );
  const usesDeprecated = (query: Record<string, unknown>) =>
    deprecatedNames.some((name) => !absent.has(query[name]));
  const headerNames = route.networkHeader === false ? [] : options.networkHeaders;
  const vary = ['Authorization', 'Accept-Encoding', ...headerNames].join(', ');
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    if (usesDeprecated(request.query as Record<string, unknown>)) reply.headers(deprecated()); // of refusals too
    const { network, faults } = readNetwork(request, headerNames);
    // Forwarded headers count only from trusted proxies: Fastify sees to that.
    const base = baseUrl(options.publicUrl, request.protocol, request.host);
    const target = targetOf(request.url);
    const cacheKey = keyOfUrl(network, base, target);
    const kept = faults.length === 0 ? cache?.get(cacheKey) : undefined;
    if (kept) {
      await sendKept(request, reply, kept, vary);
      return reply;
    }
    const { params, query } = read(request, faults);
    const body = route.body && readBody(route.body, request.body, faults);
    const key = method === 'POST' ? readKey(request, faults) : undefined;
    if (faults.length > 0) throw badInput(faults);
    const ask = async (context: Context): Promise<Answer> => {
      const { headers = {}, body: answer } = await route.handle(
        context,
        { params, query, body } as never,
        readCall(target, base),
      );
      request.units = unitsFor(weight, rowsAnswered(answer));
      return { status, headers, pieces: status === 204 ? [''] : write(answer) };
    };
    const context = options.makeContext(request, network);
    const answer = await (key === undefined ? ask(context) : answerOnce(context, key, request, ask));
    request.units ??= unitsFor(weight, 0); // an answer that is given again
    const bytes = bytesOf(answer.pieces);
    if (cache) {
      const headers = { 'content-type': 'application/json; charset=utf-8', ...answer.headers };
      const made = { body: bytes, headers, units: request.units, unchangedUnits: unitsFor(weight, 0) };
      const entry = cache.keep(cacheKey, context, made);
      if (entry) {
        await sendKept(request, reply, entry, vary);
        return reply;
      }
    }
    reply.code(answer.status).headers(answer.headers);
    return answer.status === 204 ? reply.send() : reply.type('application/json; charset=utf-8').send(bytes);
  };
  // A GET has no body that could be compressed.
  const config = successor
    ? { headers: { ...deprecated(), link: `<${successor}>; rel="successor-version"` } }
    : {};
  app.route({ method, url: route.path, handler, config, ...(method === 'GET' && { decompress: false }) });
}
