import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { rootOf } from '../request/base.ts';
import { sendPage, strict } from './page.ts';

const folder = fileURLToPath(new URL('../../../dist/web', import.meta.url));

/** Hash of the style sheet that Observable Plot puts into each plot. */
const plotStyle = "'sha256-jSYQUrW7J0b3jPqhZP9C2Xh1PyJKHKXd4s0fpGGKrww='";
const csp = `${strict}; connect-src 'self'; img-src 'self' data:; script-src 'self'; style-src 'self' ${plotStyle}`;

export type Explorer = {
  show: (request: FastifyRequest, reply: FastifyReply) => FastifyReply;
  documents: string[];
};

export function builtExplorer(): Explorer | undefined {
  try {
    const page = readFileSync(join(folder, 'index.html'), 'utf8');
    const documents: string[] = JSON.parse(readFileSync(join(folder, 'documents.json'), 'utf8'));
    // The build writes paths from the root of the gateway, which each page is at another depth of.
    const parts = page.split(/(?<=(?:href|src)=")\.\//);
    return { show: (request, reply) => sendPage(reply, csp, parts.join(rootOf(request))), documents };
  } catch {
    return undefined;
  }
}

export function serveExplorer(app: FastifyInstance, { show }: Explorer) {
  for (const path of ['/explore', '/explore/*']) app.get(path, show);
  app.register(fastifyStatic, {
    root: join(folder, 'assets/explorer'),
    prefix: '/assets/explorer/',
    wildcard: false,
    preCompressed: true,
    immutable: true,
    maxAge: '1y',
    decorateReply: false,
    index: false,
    setHeaders: (response) => void response.setHeader('vary', 'Accept-Encoding'),
  });
}
