import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * The headers of helmet that matter for data; the proxy that ends TLS sets HSTS. They are constants, because helmet
 * runs ten functions per request.
 */
export const securityHeaders = {
  'cross-origin-resource-policy': 'cross-origin', // any page may read the API: requests carry a token, never a cookie
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
};

export const privateHeaders = { 'cache-control': 'private, no-store', vary: 'Authorization' };

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

/** Uses the URL when no route matches. */
export const needsToken = ({ routeOptions, url }: FastifyRequest): boolean =>
  PRIVATE_PATH.test(routeOptions.url ?? '') || PRIVATE_PATH.test(url);

/** Makes answers that need a token uncacheable; handlers may override this. */
export function commonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(securityHeaders).header('x-request-id', request.id);
  if (needsToken(request)) reply.headers(privateHeaders);
}
