import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Network } from '../chain/networks.ts';
import type { Context } from '../context.ts';
import { graphqlEngine } from '../graphql/run/index.ts';
import { badInput, type Fault } from '../kernel/refusal.ts';
import type { AnswerCache } from './cache/answer-cache.ts';
import { findQuery, keyOfQuery, storeQuery } from './cache/graphql-cache.ts';
import { parseJsonAs } from './json-body.ts';
import { answering } from './metering.ts';
import { readNetwork } from './rest/rest.ts';

const MAX_BODY = 256 * 1024;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isJsonObject = (text: unknown): boolean => {
  try {
    return typeof text === 'string' && isObject(JSON.parse(text));
  } catch {
    return false;
  }
};

/** Checked here because Yoga treats `{}` as a missing body, and answers 500 to bad JSON in a URL. */
function paramsFaults({ method, body, query }: FastifyRequest): Fault[] {
  const fault = (loc: string[], msg: string): Fault[] => [{ loc, msg, type: 'graphql_params' }];
  if (method === 'POST') {
    if (!isObject(body)) return fault(['body'], 'The body must be one JSON object with a query.');
    return typeof body.query === 'string' ? [] : fault(['body', 'query'], 'query must be given, as text.');
  }
  const given = query as Record<string, unknown>;
  if (!given.query || typeof given.query !== 'string')
    return fault(['query', 'query'], 'query must be given, once.');
  return ['variables', 'extensions'].flatMap((name) =>
    !given[name] || isJsonObject(given[name]) ? [] : fault(['query', name], `${name} must be a JSON object.`),
  );
}

export function serveGraphql(
  app: FastifyInstance,
  options: {
    networkHeaders: readonly string[];
    makeContext: (request: FastifyRequest, network: Network) => Context;
    cache?: AnswerCache | undefined;
  },
) {
  const answer = graphqlEngine();
  const { cache } = options;
  // The cache key contains the text; only a miss parses it.
  const parseJson = app.getDefaultJsonParser('error', 'error');
  parseJsonAs(app, (_request, text, done) => done(null, text));
  const handler = answering(async (request) => {
    const { network, faults } = readNetwork(request, options.networkHeaders);
    const context = options.makeContext(request, network);
    const text = typeof request.body === 'string' ? request.body : undefined;
    const isCacheable = cache && text !== undefined && faults.length === 0;
    const key = isCacheable ? keyOfQuery(text, request.headers.accept, network) : undefined;
    const cached = cache && key && (await findQuery(cache, key, context, request));
    if (cached) return cached;
    if (text !== undefined)
      parseJson(request, text, (error, body) => {
        if (error) throw error;
        request.body = body;
      });
    faults.push(...paramsFaults(request));
    if (faults.length > 0) throw badInput(faults);
    const answered = await answer(request, context);
    if (!cache) return answered;
    return text === undefined
      ? { ...answered, notCached: 'method' }
      : storeQuery(cache, key, context, answered);
  });
  app.route({
    method: ['GET', 'POST'],
    url: '/graphql',
    bodyLimit: MAX_BODY,
    exposeHeadRoute: false,
    handler,
  });
}
