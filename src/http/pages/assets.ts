import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { shared } from '../../kernel/shared.ts';
import { encodingOf, isUnchanged } from '../request/negotiation.ts';

type Source = { type: string; body: Buffer; hash: string };
export type Asset = Source & { gzip: Buffer; br: Buffer };

export const sourceOf = (type: string, body: Buffer): Source => ({
  ...{ type, body },
  hash: createHash('sha256').update(body).digest('base64url').slice(0, 22),
});

/** Called at first use, because GraphiQL is 9 MB of script. */
export async function compressed(source: Source): Promise<Asset> {
  const { body } = source;
  const [gzipped, br] = await Promise.all([
    promisify(gzip)(body, { level: 6 }),
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  ]);
  return { ...source, gzip: gzipped, br };
}

const REVALIDATED = 'public, no-cache';
const IMMUTABLE = 'public, max-age=31536000, immutable';

export function sendAsset(
  asset: Asset,
  request: FastifyRequest,
  reply: FastifyReply,
  cacheControl = REVALIDATED,
) {
  const coding = encodingOf(request);
  const etag = coding ? `"${asset.hash}-${coding}"` : `"${asset.hash}"`;
  reply.headers({ etag, 'cache-control': cacheControl, vary: 'Accept-Encoding' });
  if (isUnchanged(request, etag)) return reply.code(304).send();
  if (coding) reply.header('content-encoding', coding);
  return reply.type(asset.type).send(coding ? asset[coding] : asset.body);
}

const lazy = <T>(make: () => Promise<T>) => {
  const made = new Map<'made', Promise<T>>();
  return () => shared(made, 'made', make);
};

const RENDER_CALL = 'YogaGraphiQL.renderYogaGraphiQL(';

function splitGraphiql(page: string): { css: string; script: string } {
  const css = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1];
  const start = page.indexOf('<script>');
  const end = page.lastIndexOf(RENDER_CALL);
  if (!css || start < 0 || end < start) throw new Error('render-graphiql has changed its page.');
  return { css, script: page.slice(start + '<script>'.length, end) };
}

const graphiql = lazy(async () => splitGraphiql(renderGraphiQL({})));
const swagger = (name: string) =>
  readFile(join(dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json')), name));

const types = { js: 'text/javascript', css: 'text/css' };
/** `type` is the ending of the name. */
const asset = (type: keyof typeof types, read: () => Promise<Buffer>) => {
  const source = lazy(async () => sourceOf(types[type], await read()));
  return { source, whole: lazy(async () => compressed(await source())) };
};
const assets = {
  'graphiql.js': asset('js', async () => Buffer.from((await graphiql()).script)),
  'graphiql.css': asset('css', async () => Buffer.from((await graphiql()).css)),
  'swagger-ui.js': asset('js', () => swagger('swagger-ui-bundle.js')),
  'swagger-ui.css': asset('css', () => swagger('swagger-ui.css')),
};

/** Where a script or style is, below the root of the gateway. It changes with what the file holds. */
export async function assetPath(name: keyof typeof assets): Promise<string> {
  const { hash } = await assets[name].source();
  return `assets/${name.replace(/(?=\.\w+$)/, `.${hash}`)}`;
}

/** Only a file with the current hash is cached for ever: without a hash, or with an older one, a file may change. */
export function serveAssets(app: FastifyInstance): void {
  for (const [name, { whole }] of Object.entries(assets)) {
    const [stem, ending] = name.split('.');
    app.get(`/assets/${name}`, { compress: false }, async (request, reply) =>
      sendAsset(await whole(), request, reply),
    );
    app.get<{ Params: { hash: string } }>(
      `/assets/${stem}.:hash.${ending}`,
      { compress: false },
      async (request, reply) => {
        const found = await whole();
        const isCurrent = request.params.hash === found.hash;
        return sendAsset(found, request, reply, isCurrent ? IMMUTABLE : REVALIDATED);
      },
    );
  }
}
