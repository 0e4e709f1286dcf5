import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { boundedMap } from '../../kernel/bounded.ts';
import { basePathOf, rootOf, wasShortened } from '../request/base.ts';
import { type Asset, compressed, sendAsset, serveAssets, sourceOf } from './assets.ts';
import { docsPage } from './docs-page.ts';
import { type Explorer, serveExplorer } from './explorer.ts';
import { type Frame, html, sendPage, strict, wantsPage } from './page.ts';

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
  has: { explorer: Explorer | undefined; frame: Frame; metrics: boolean },
) {
  const hasMetrics = (request: FastifyRequest) => has.metrics && !wasShortened(request);
  const placesFor = (request: FastifyRequest) => {
    const shown = { ...places, ...(hasMetrics(request) && { metrics: '/metrics' }) };
    const at = Object.entries(shown).map(([name, place]) => [name, basePathOf(request) + place]);
    return { name: 'stakegraph', ...Object.fromEntries(at) };
  };
  const { explorer, frame } = has;
  if (explorer) serveExplorer(app, explorer);
  const showIndex = (request: FastifyRequest, reply: FastifyReply) =>
    sendPage(
      reply,
      `${strict}; style-src 'unsafe-inline'`,
      landing(rootOf(request), ['/health', '/ready', ...(hasMetrics(request) ? ['/metrics'] : [])]),
    );
  serveAssets(app);
  const openApis = boundedMap<Promise<Asset>>(MAX_BASE_PATHS);
  app.get('/openapi.json', { compress: false }, async (request, reply) => {
    const path = basePathOf(request);
    const made =
      openApis.get(path) ??
      compressed(sourceOf('application/json', Buffer.from(JSON.stringify(openApiAt(path)))));
    openApis.set(path, made);
    return sendAsset(await made, request, reply);
  });
  app.get('/', (request, reply) =>
    wantsPage(request) ? (explorer?.show ?? showIndex)(request, reply) : reply.send(placesFor(request)),
  );
  let document: object | undefined;
  app.get('/docs', (request, reply) => {
    document ??= openApiAt('');
    return docsPage(request, reply, frame, document);
  });
}
