/**
 * The headers of Helmet that matter for data. They are constants, because Helmet runs ten functions per request. The
 * TLS proxy sets HSTS.
 */
export const securityHeaders = {
  'cross-origin-resource-policy': 'cross-origin', // safe, because requests carry a token, never a cookie
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
