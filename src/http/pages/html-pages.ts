import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { boundedMap } from '../../kernel/bounded.ts';
import { shared } from '../../kernel/shared.ts';
import { basePathOf, rootOf, wasShortened } from '../request/base.ts';
import { encodingOf, isUnchanged } from '../request/negotiation.ts';
import { docsPage } from './docs-page.ts';
import { type Explorer, serveExplorer } from './explorer.ts';
import { html, sendPage, strict, wantsPage } from './page.ts';

type Asset = { type: string; body: Buffer; gzip: Buffer; br: Buffer; etag: string };

/** Called at first use, because GraphiQL is 9 MB of script. */
async function makeAsset(type: string, body: Buffer): Promise<Asset> {
  const [gzipped, br] = await Promise.all([
    promisify(gzip)(body, { level: 6 }),
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  ]);
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  return { type, body, gzip: gzipped, br, etag };
}

function sendAsset(asset: Asset, request: FastifyRequest, reply: FastifyReply) {
  const coding = encodingOf(request);
  const etag = coding ? asset.etag.replace(/"$/, `-${coding}"`) : asset.etag;
  reply.headers({ etag, 'cache-control': 'public, no-cache', vary: 'Accept-Encoding' });
  if (isUnchanged(request, etag)) return reply.code(304).send();
  if (coding) reply.header('content-encoding', coding);
  return reply.type(asset.type).send(coding ? asset[coding] : asset.body);
}

const lazy = <T>(make: () => Promise<T>) => {
  const made = new Map<'made', Promise<T>>();
  return () => shared(made, 'made', make);
};

const RENDER_CALL = 'YogaGraphiQL.renderYogaGraphiQL(';

function splitGraphiql(html: string): { css: string; script: string; icon: string } {
  const css = /<style>([\s\S]*?)<\/style>/.exec(html)?.[1];
  const icon = /<link rel="icon" href="([^"]+)"/.exec(html)?.[1];
  const start = html.indexOf('<script>');
  const end = html.lastIndexOf(RENDER_CALL);
  if (!css || !icon || start < 0 || end < start) throw new Error('render-graphiql has changed its page.');
  return { css, icon, script: html.slice(start + '<script>'.length, end) };
}

/** Paths below which trusted proxies say that the gateway is; usually one. */
const MAX_BASE_PATHS = 8;

const landing = (root: string, operations: readonly string[]) =>
  html(
    'stakegraph',
    '<style>body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:3rem auto;padding:0 1rem}dt{font-weight:600}</style>',
    `<h1>stakegraph</h1><p>Performance, rewards and network statistics of proof-of-stake validators.</p><dl>
<dt><a href="${root}graphql">/graphql</a></dt><dd>GraphQL; GraphiQL in a browser</dd>
<dt><a href="${root}docs">/docs</a></dt><dd>Reference of the REST paths</dd>
<dt><a href="${root}openapi.json">/openapi.json</a></dt><dd>OpenAPI 3.1 document</dd>
<dt>${operations.map((path) => `<a href="${root}${path.slice(1)}">${path}</a>`).join(', ')}</dt><dd>Operations</dd></dl>
<p>Every call below /v0, /v1 and /graphql needs <code>Authorization: Bearer &lt;token&gt;</code>.</p>`,
  );

const places = {
  graphql: '/graphql',
  docs: '/docs',
  openapi: '/openapi.json',
  health: '/health',
  ready: '/ready',
};

export function servePages(
  app: FastifyInstance,
  openApiAt: (basePath: string) => object,
  has: { explorer: Explorer | undefined; metrics: boolean },
) {
  const hasMetrics = (request: FastifyRequest) => has.metrics && !wasShortened(request);
  const placesFor = (request: FastifyRequest) => {
    const shown = { ...places, ...(hasMetrics(request) && { metrics: '/metrics' }) };
    const at = Object.entries(shown).map(([name, place]) => [name, basePathOf(request) + place]);
    return { name: 'stakegraph', ...Object.fromEntries(at) };
  };
  const { explorer } = has;
  if (explorer) serveExplorer(app, explorer);
  const showIndex = (request: FastifyRequest, reply: FastifyReply) =>
    sendPage(
      reply,
      `${strict}; style-src 'unsafe-inline'`,
      landing(rootOf(request), ['/health', '/ready', ...(hasMetrics(request) ? ['/metrics'] : [])]),
    );
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
  };
  for (const [url, asset] of Object.entries(assets)) {
    app.get(url, { compress: false }, async (request, reply) => sendAsset(await asset(), request, reply));
  }
  const openApis = boundedMap<Promise<Asset>>(MAX_BASE_PATHS);
  app.get('/openapi.json', { compress: false }, async (request, reply) => {
    const path = basePathOf(request);
    const made =
      openApis.get(path) ?? makeAsset('application/json', Buffer.from(JSON.stringify(openApiAt(path))));
    openApis.set(path, made);
    return sendAsset(await made, request, reply);
  });
  app.get('/', (request, reply) =>
    wantsPage(request) ? (explorer?.show ?? showIndex)(request, reply) : reply.send(placesFor(request)),
  );
  app.get('/docs', (request, reply) => docsPage(request, reply, explorer !== undefined));
}
