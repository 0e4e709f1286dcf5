import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { encodingOf, isUnchanged } from './answer-cache.ts';
import { exampleQueries } from './examples.ts';
import { pageSecurityHeaders } from './security-headers.ts';

type Asset = { type: string; body: Buffer; gzip: Buffer; br: Buffer; etag: string };

/** Compressed once, at first use: GraphiQL is 9 MB of script. */
async function makeAsset(type: string, body: Buffer): Promise<Asset> {
  const [gzipped, br] = await Promise.all([
    promisify(gzip)(body, { level: 6 }),
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  ]);
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  return { type, body, gzip: gzipped, br, etag };
}

function sendAsset(asset: Asset, request: FastifyRequest, reply: FastifyReply) {
  const coding = encodingOf(request.headers['accept-encoding']);
  const etag = coding ? asset.etag.replace(/"$/, `-${coding}"`) : asset.etag;
  reply.headers({ etag, 'cache-control': 'public, no-cache', vary: 'Accept-Encoding' });
  if (isUnchanged(request, etag)) return reply.code(304).send();
  if (coding) reply.header('content-encoding', coding);
  return reply.type(asset.type).send(coding ? asset[coding] : asset.body);
}

const lazy = <T>(make: () => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
};

const RENDER_CALL = 'YogaGraphiQL.renderYogaGraphiQL(';

/**
 * GraphiQL's style, script and icon, taken out of the single page that the package renders, so that the 9 MB are an
 * asset of their own and the page that holds the token is small. Throws when the package's page has changed shape.
 */
function splitGraphiql(html: string): { css: string; script: string; icon: string } {
  const css = /<style>([\s\S]*?)<\/style>/.exec(html)?.[1];
  const icon = /<link rel="icon" href="([^"]+)"/.exec(html)?.[1];
  const start = html.indexOf('<script>');
  const end = html.lastIndexOf(RENDER_CALL);
  if (!css || !icon || start < 0 || end < start) throw new Error('render-graphiql has changed its page.');
  return { css, icon, script: html.slice(start + '<script>'.length, end) };
}

const inScript = (value: unknown) => JSON.stringify(value).replace(/</g, '\\u003c');

const html = (title: string, head: string, body: string) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>${head}</head>
<body>${body}</body>
</html>
`;

/** Pages get no CORS header: another site must not read the token that GraphiQL is prefilled with. */
const sendPage = (reply: FastifyReply, csp: string, page: string) =>
  reply
    .removeHeader('access-control-allow-origin')
    .headers({ ...pageSecurityHeaders, 'content-security-policy': csp, 'cache-control': 'no-store' })
    .type('text/html; charset=utf-8')
    .send(page);

const strict = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const pageCsp = (nonce: string) =>
  `${strict}; connect-src 'self'; img-src 'self' data:; font-src 'self' data:; style-src 'self' 'unsafe-inline'; script-src 'self' 'nonce-${nonce}'; worker-src blob:`;

const nonceOf = () => randomBytes(16).toString('base64url');

const proxyHeaders = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
];

/** A browser on this machine, talking to this machine by name: no proxy, no rebound DNS name in between. */
function isLocal(request: FastifyRequest): boolean {
  // A proxy that says nothing of itself, as nginx by default, speaks HTTP/1.0; a browser does not.
  if (request.raw.httpVersion === '1.0') return false;
  if (proxyHeaders.some((name) => request.headers[name] !== undefined)) return false;
  const local = /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/.test(request.headers.host ?? '');
  return local && /^(::ffff:)?127\.|^::1$/.test(request.socket.remoteAddress ?? '');
}

export const wantsPage = (request: FastifyRequest): boolean =>
  request.method === 'GET' && String(request.headers.accept ?? '').includes('text/html');

// Tabs can be dragged, and as they are first shown each is some way off its place: a click would begin with a jump.
const graphiqlHead = `<link rel="icon" href="data:,"><link rel="stylesheet" href="/assets/graphiql.css">
<style>.graphiql-tab{transform:none!important}</style>`;

/** The tab that was open last: without being told of it GraphiQL opens an empty one at every reload. */
const LAST_TAB = `(() => {
  try {
    const { tabs, activeTabIndex } = JSON.parse(localStorage.getItem('graphiql:tabState'));
    const { query, variables, headers } = tabs[activeTabIndex];
    return query ? { query, variables, headers } : {};
  } catch {
    return {};
  }
})()`;

/** GraphiQL; the development token is prefilled for a browser on the same machine only. */
export function graphiqlPage(
  request: FastifyRequest,
  reply: FastifyReply,
  developmentToken: string | undefined,
) {
  const token = isLocal(request) ? developmentToken : undefined;
  const options = {
    title: 'stakegraph GraphiQL',
    defaultHeaders: JSON.stringify({ Authorization: `Bearer ${token ?? '<token>'}` }, null, 2),
    defaultTabs: exampleQueries.map(({ query, variables }) => ({
      query,
      variables: variables ? JSON.stringify(variables, null, 2) : null,
      headers: JSON.stringify({ Authorization: `Bearer ${token ?? '<token>'}` }, null, 2),
    })),
    ...(token ? { additionalHeaders: { Authorization: `Bearer ${token}` } } : {}),
  };
  const nonce = nonceOf();
  const body = `<div id="root" style="height:100vh"></div><script src="/assets/graphiql.js"></script>
<script nonce="${nonce}">YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#root'), { ...${inScript(options)}, ...${LAST_TAB} });</script>`;
  return sendPage(reply, pageCsp(nonce), html('stakegraph GraphiQL', graphiqlHead, body));
}

const landing = html(
  'stakegraph',
  '<style>body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:3rem auto;padding:0 1rem}dt{font-weight:600}</style>',
  `<h1>stakegraph</h1><p>Performance, rewards and network statistics of proof-of-stake validators.</p><dl>
<dt><a href="/graphql">/graphql</a></dt><dd>GraphQL; GraphiQL in a browser</dd>
<dt><a href="/docs">/docs</a></dt><dd>Reference of the REST paths</dd>
<dt><a href="/openapi.json">/openapi.json</a></dt><dd>OpenAPI 3.1 document</dd>
<dt><a href="/health">/health</a>, <a href="/ready">/ready</a>, <a href="/metrics">/metrics</a></dt><dd>Operations</dd></dl>
<p>Every call below /v0, /v1 and /graphql needs <code>Authorization: Bearer &lt;token&gt;</code>.</p>`,
);

const places = {
  name: 'stakegraph',
  graphql: '/graphql',
  docs: '/docs',
  openapi: '/openapi.json',
  health: '/health',
  ready: '/ready',
  metrics: '/metrics',
};

/** `/`, `/docs`, `/openapi.json` and their assets. Nothing here leaves the machine or needs a token. */
export function servePages(app: FastifyInstance, openApi: object) {
  const graphiql = lazy(async () => splitGraphiql(renderGraphiQL({})));
  const swagger = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const assets: Record<string, () => Promise<Asset>> = {
    '/assets/graphiql.js': lazy(async () =>
      makeAsset('text/javascript', Buffer.from((await graphiql()).script)),
    ),
    '/assets/graphiql.css': lazy(async () => makeAsset('text/css', Buffer.from((await graphiql()).css))),
    '/assets/swagger-ui.js': lazy(async () =>
      makeAsset('text/javascript', await readFile(join(swagger, 'swagger-ui-bundle.js'))),
    ),
    '/assets/swagger-ui.css': lazy(async () =>
      makeAsset('text/css', await readFile(join(swagger, 'swagger-ui.css'))),
    ),
    '/openapi.json': lazy(async () => makeAsset('application/json', Buffer.from(JSON.stringify(openApi)))),
  };
  for (const [url, asset] of Object.entries(assets)) {
    app.get(url, { compress: false }, async (request, reply) => sendAsset(await asset(), request, reply));
  }
  app.get('/', (request, reply) =>
    wantsPage(request)
      ? sendPage(reply, `${strict}; style-src 'unsafe-inline'`, landing)
      : reply.send(places),
  );
  app.get('/docs', (_request, reply) => {
    const nonce = nonceOf();
    const head = '<link rel="icon" href="data:,"><link rel="stylesheet" href="/assets/swagger-ui.css">';
    const body = `<div id="root"></div><script src="/assets/swagger-ui.js"></script><script nonce="${nonce}">
SwaggerUIBundle({ url: '/openapi.json', dom_id: '#root', deepLinking: true, validatorUrl: null, persistAuthorization: false });</script>`;
    return sendPage(reply, pageCsp(nonce), html('stakegraph REST reference', head, body));
  });
}
