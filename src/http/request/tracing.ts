import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { getOperationAST, parse } from 'graphql';
import { withoutTokens } from '../../accounts/token-format.ts';
import { boundedMap } from '../../kernel/bounded.ts';
import type { Attributes, Span, Tracer } from '../../kernel/tracing.ts';
import { onAnswered } from './answered.ts';

const spans = new WeakMap<FastifyRequest, Span>();

export const spanOf = (request: FastifyRequest): Span | undefined => spans.get(request);

/** A span has the route's pattern, because callers choose the path. */
export const requestAttributes = (answered: {
  route: string;
  method: string;
  status: number;
  account?: string | undefined;
  tokenName?: string | undefined;
  units?: number | undefined;
}): Attributes => {
  const { route, method, status, account, tokenName, units } = answered;
  return {
    'http.request.method': method,
    'http.route': route,
    'http.response.status_code': status,
    ...(account === undefined ? {} : { 'stakegraph.account': account }),
    ...(tokenName === undefined ? {} : { 'stakegraph.token.name': tokenName }),
    ...(units === undefined ? {} : { 'stakegraph.units': units }),
  };
};

/** Asked so often that their traces would hide those of clients. */
const untraced = new Set<string | undefined>(['/health', '/metrics', '/ready']);

/** Call it before other hooks are added. `isKnown` tells whether a request has a valid token. */
export function traceRequests(
  app: FastifyInstance,
  tracer: Tracer,
  isKnown: (headers: IncomingHttpHeaders) => boolean,
): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (untraced.has(request.routeOptions.url)) return tracer.untraced(done);
    const { headers, method, routeOptions } = request;
    const span = tracer.request(headers, `${method} ${routeOptions.url ?? 'none'}`, isKnown(headers));
    spans.set(request, span);
    request.log = request.log.child(span.ids);
    tracer.within(span, done);
  });
  onAnswered(app, (request, _reply, status) => {
    const span = spans.get(request);
    const { account, tokenName } = request.caller ?? {};
    const units = request.metering?.spent;
    const { method } = request;
    const route = request.routeOptions.url ?? 'none';
    span?.set(requestAttributes({ route, method, status, account, tokenName, units }));
    span?.end(status >= 500 ? String(status) : undefined);
  });
}

const MAX_LENGTH = 20_000;
const operations = boundedMap<{ name: string; attributes: Attributes }>(1_000);

/** Omits the document, whose literals may be secret. */
function operationOf(body: unknown): { name: string; attributes: Attributes } {
  const unknown = { name: 'graphql', attributes: {} };
  const { query, operationName } = (body ?? {}) as { query?: unknown; operationName?: unknown };
  if (typeof query !== 'string' || query.length > MAX_LENGTH) return unknown;
  const key = `${operationName}\n${query}`;
  let known = operations.get(key);
  if (!known) {
    try {
      const named = typeof operationName === 'string' ? operationName : undefined;
      const operation = getOperationAST(parse(query, { maxTokens: 5_000 }), named);
      if (!operation) return unknown;
      const type = operation.operation;
      const name = operation.name && withoutTokens(operation.name.value);
      known = {
        name: name ? `${type} ${name}` : type,
        attributes: { 'graphql.operation.type': type, ...(name && { 'graphql.operation.name': name }) },
      };
    } catch {
      return unknown;
    }
    operations.set(key, known);
  }
  return known;
}

export function tracedOperation<T>(tracer: Tracer, body: unknown, run: () => Promise<T>): Promise<T> {
  const { name, attributes } = operationOf(body);
  return tracer.span(name, attributes, run);
}
