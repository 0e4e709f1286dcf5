/**
 * What helmet answers, but for the policies that pages set themselves and the one that is for the proxy that ends TLS to
 * say. Written out, because helmet asks each of its ten parts about every request, and the answer is always the same.
 */
export const securityHeaders = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'cross-origin', // any page may read the API: calls carry a token, never a cookie
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
};
