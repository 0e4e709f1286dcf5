import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * What helmet answers, but for the policies that pages set themselves and the one that is for the proxy that ends TLS to
 * say. Written out, because helmet asks each of its ten parts about every request, and the answer is always the same; each
 * header also costs, so that data has only those that mean something for data.
 */
export const securityHeaders = {
  'cross-origin-resource-policy': 'cross-origin', // any page may read the API: calls carry a token, never a cookie
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
};

/** What answers have that need a token: a shared cache must give them to no one else. */
export const privateHeaders = { 'cache-control': 'private, no-store', vary: 'Authorization' };

/** What a page has beside these, or in their place. */
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

/** Whether a request is for what needs a token: by its route, or where that is none of ours, by its URL. */
export const needsToken = ({ routeOptions, url }: FastifyRequest): boolean =>
  PRIVATE_PATH.test(routeOptions.url ?? '') || PRIVATE_PATH.test(url);

/** Headers of every answer. What needs a token is kept by no cache unless its handler says otherwise. */
export function commonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(securityHeaders).header('x-request-id', request.id);
  if (needsToken(request)) reply.headers(privateHeaders);
}
