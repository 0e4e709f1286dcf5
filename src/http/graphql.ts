import type { FastifyInstance } from 'fastify';
import type { Metering } from '../accounts/meter.ts';
import type { contextMaker } from '../context.ts';
import type { Streams } from '../graphql/live/streams.ts';
import { graphqlEngine } from '../graphql/run/index.ts';
import { paramsFaults } from '../graphql/run/params.ts';
import type { TrustedDocuments } from '../graphql/run/trusted-documents.ts';
import { badInput } from '../kernel/refusal.ts';
import { tracer } from '../kernel/tracing.ts';
import { answering } from './cache/answer.ts';
import type { AnswerCache } from './cache/answer-cache.ts';
import { findQuery, keyOfQuery, storeQuery } from './cache/graphql-cache.ts';
import type { NetworkHeader } from './request/network-header.ts';
import { tracedOperation } from './request/tracing.ts';

export function serveGraphql(
  app: FastifyInstance,
  options: {
    networkHeader: NetworkHeader;
    makeContext: ReturnType<typeof contextMaker>;
    cache?: AnswerCache | undefined;
    trusted: TrustedDocuments | undefined;
    streams: Streams;
  },
) {
  const { cache, trusted } = options;
  const answer = graphqlEngine(trusted, options.streams);
  // Parses the body only on a cache miss, because the cache key contains the body's text.
  const parseJson = app.getDefaultJsonParser('error', 'error');
  const handler = answering(async (request) => {
    const { network, faults } = options.networkHeader.read(request.headers);
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
    if (faults.length > 0) throw badInput([...faults, ...paramsFaults(request, trusted !== undefined)]);
    const newContext = (metering: Metering, line?: string) => {
      const { id, log, caller } = request;
      return options.makeContext({ id, log, caller, metering, line }, network);
    };
    const answered = await (tracer
      ? tracedOperation(tracer, request.body, () => answer(request, context, newContext))
      : answer(request, context, newContext));
    if (!cache) return answered;
    return text === undefined
      ? { ...answered, notCached: 'method' }
      : storeQuery(cache, key, context, answered);
  });
  app.route({
    method: ['GET', 'POST'],
    url: '/graphql',
    config: { bodyAsText: true },
    exposeHeadRoute: false,
    handler,
  });
}
