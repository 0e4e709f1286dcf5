import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Settings } from '../../config/index.ts';
import { mediaRanges, preferredType } from '../../kernel/media-types.ts';
import { pageSecurityHeaders } from '../request/security-headers.ts';

/** Title and colours of the pages beside the explorer: those of the explorer or, without one, of its settings. */
export type Frame = {
  title: string;
  colors: Settings['EXPLORER_COLORS'];
  hasExplorer: boolean;
};

export const inScript = (value: unknown) => JSON.stringify(value).replace(/</g, '\\u003c');

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
export const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (sign) => entities[sign] as string);

export const html = (title: string, head: string, body: string) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>${head}</head>
<body>${body}</body>
</html>
`;

/** Sends no CORS headers, so other sites cannot read the page. */
export const sendPage = (reply: FastifyReply, csp: string, page: string) =>
  reply
    .removeHeader('access-control-allow-origin')
    .headers({ ...pageSecurityHeaders, 'content-security-policy': csp, 'cache-control': 'no-store' })
    .type('text/html; charset=utf-8')
    .send(page);

export const strict = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
export const pageCsp = (nonce: string) =>
  `${strict}; connect-src 'self'; img-src 'self' data:; font-src 'self' data:; style-src 'self' 'unsafe-inline'; script-src 'self' 'nonce-${nonce}'; worker-src blob:`;

export const nonceOf = () => randomBytes(16).toString('base64url');

const page = 'text/html';
const pageOrData = ['application/json', 'application/graphql-response+json', page];
/** Prefers JSON, because GraphQL clients accept any type. */
export const wantsPage = (request: FastifyRequest): boolean =>
  request.method === 'GET' && preferredType(mediaRanges(request.headers.accept), pageOrData)?.type === page;
