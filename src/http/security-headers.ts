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

/** What a page has beside these. */
export const pageSecurityHeaders = {
  'cross-origin-opener-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
};
