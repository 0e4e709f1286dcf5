import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Network } from '../chain/networks.ts';
import type { Context } from '../context.ts';
import { makeQuick } from '../graphql/run/fast-path.ts';
import { makeYoga } from '../graphql/run/yoga.ts';
import { badInput, type Fault } from '../kernel/refusal.ts';
import { type AnswerCache, keyOfQuery } from './cache/answer-cache.ts';
import { keepAnswer, sendAgain } from './cache/graphql-cache.ts';
import { parseJsonAs } from './json-body.ts';
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

/**
 * What is wrong with a request as one of GraphQL. Checked here because Yoga reads an empty object as no body at all,
 * and answers bad JSON in a URL as a fault of ours.
 */
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

/** Headers of Yoga's response that the server sets itself: how it is sent, and who may cache it. */
const ours = new Set([
  'content-length',
  'transfer-encoding',
  'connection',
  'content-encoding',
  'cache-control',
  'vary',
]);

/** `/graphql` over POST and GET. */
export function serveGraphql(
  app: FastifyInstance,
  options: {
    networkHeaders: readonly string[];
    makeContext: (request: FastifyRequest, network: Network) => Context;
    cache?: AnswerCache | undefined;
  },
) {
  const yoga = makeYoga();
  const quick = makeQuick();
  const { cache } = options;
  // As text at first: an answer that is kept is found by it.
  const parseJson = app.getDefaultJsonParser('error', 'error');
  parseJsonAs(app, (_request, text, done) => done(null, text));
  const parse = (request: FastifyRequest) =>
    new Promise<void>((resolve, reject) => {
      parseJson(request, request.body as string, (error, body) => {
        request.body = body;
        if (error) reject(error);
        else resolve();
      });
    });
  app.route({
    method: ['GET', 'POST'],
    url: '/graphql',
    bodyLimit: MAX_BODY,
    exposeHeadRoute: false,
    async handler(request, reply) {
      const { network, faults } = readNetwork(request, options.networkHeaders);
      const { accept } = request.headers;
      const context = options.makeContext(request, network);
      const text = typeof request.body === 'string' ? request.body : undefined;
      const key =
        cache && text !== undefined && faults.length === 0 ? keyOfQuery(text, accept, network) : undefined;
      if (cache && key && (await sendAgain(cache, key, context, request, reply))) return reply;
      if (text !== undefined) await parse(request);
      faults.push(...paramsFaults(request));
      if (faults.length > 0) throw badInput(faults);
      if (request.method === 'POST') {
        const answer = await quick(request.body as Record<string, unknown>, accept, context);
        if (answer) {
          if (cache && key) keepAnswer(cache, key, context, answer);
          request.units = context.metering.charged;
          // As bytes: a kept answer of 295 kB took Node 506 µs to send as text, and 72 so.
          return reply.code(answer.status).headers(answer.headers).send(answer.bytes);
        }
      }
      const response = await yoga(request, reply, context);
      request.units = context.metering.charged;
      if (response.status === 406) {
        const detail =
          'The answer is application/json or application/graphql-response+json; accept one of them.';
        return reply.code(406).send({ detail });
      }
      for (const [name, value] of response.headers) {
        if (!ours.has(name.toLowerCase())) reply.header(name, value);
      }
      return reply.code(response.status).send(response.body);
    },
  });
}
