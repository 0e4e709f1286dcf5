import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Headers of helmet that mean something for data; the proxy that ends TLS sets HSTS. Written out, because helmet runs ten
 * functions for each request and they never change.
 */
export const securityHeaders = {
  'cross-origin-resource-policy': 'cross-origin', // any page may read the API: calls carry a token, never a cookie
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
};

/** Headers of answers that need a token: a shared cache must not store them. */
export const privateHeaders = { 'cache-control': 'private, no-store', vary: 'Authorization' };

/** Headers that a page has in addition, or with another value. */
export const pageSecurityHeaders = {
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
};

const PRIVATE_PATH = /^(https?:\/\/[^/]*)?\/(v\d+|graphql)([/?]|$)/i;

/** Whether a request needs a token, by its route, or by its URL when no route matches. */
export const needsToken = ({ routeOptions, url }: FastifyRequest): boolean =>
  PRIVATE_PATH.test(routeOptions.url ?? '') || PRIVATE_PATH.test(url);

/** Sets the headers of every answer. Answers that need a token are not cacheable unless their handler changes that. */
export function commonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(securityHeaders).header('x-request-id', request.id);
  if (needsToken(request)) reply.headers(privateHeaders);
}
