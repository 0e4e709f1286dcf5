import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Settings } from '../../config/index.ts';
import { rootOf } from '../request/base.ts';
import { escapeHtml, sendPage, strict } from './page.ts';

const folder = fileURLToPath(new URL('../../../dist/web', import.meta.url));

/** Hash of the style sheet that Observable Plot puts into each plot. */
const plotStyle = "'sha256-jSYQUrW7J0b3jPqhZP9C2Xh1PyJKHKXd4s0fpGGKrww='";

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

type Look = Pick<Settings, 'EXPLORER_TITLE' | 'EXPLORER_COLORS'>;

const inline = /<script>([\s\S]*?)<\/script>/g;

/** Puts the title and the colours of the settings into the page; its policy allows no other inline style or script. */
function styled(page: string, { EXPLORER_TITLE: title, EXPLORER_COLORS: colors }: Look) {
  const style = colors && `:root{--accent:light-dark(${colors.light},${colors.dark})}`;
  const name = escapeHtml(title);
  const scripts = [...page.matchAll(inline)].map(([, text = '']) => ` ${hashOf(text)}`).join('');
  return {
    page: page
      .replace(/<title>.*<\/title>/, () => `<title>${name}</title>`)
      .replace(/(?<=<meta name="application-name" content=")[^"]*/, () => name)
      .replace('</head>', () => `${style ? `<style>${style}</style>` : ''}</head>`),
    csp: `${strict}; connect-src 'self'; img-src 'self' data:; script-src 'self'${scripts}; style-src 'self' ${plotStyle}${style ? ` ${hashOf(style)}` : ''}`,
  };
}

export type Explorer = {
  show: (request: FastifyRequest, reply: FastifyReply) => FastifyReply;
  documents: string[];
};

const SAMPLE = '<meta name="sample-data" content="on">';

/** `hasSample` tells whether a dataset has the sample data only. */
export function builtExplorer(look: Look, hasSample: () => boolean): Explorer | undefined {
  try {
    const { page, csp } = styled(readFileSync(join(folder, 'index.html'), 'utf8'), look);
    const documents: string[] = JSON.parse(readFileSync(join(folder, 'documents.json'), 'utf8'));
    // The build writes paths from the root of the gateway, which each page is at another depth of.
    const parts = page.split(/(?<=(?:href|src)=")\.\//);
    const textFor = (request: FastifyRequest) => {
      const text = parts.join(rootOf(request));
      return hasSample() ? text.replace('</head>', () => `${SAMPLE}</head>`) : text;
    };
    return { show: (request, reply) => sendPage(reply, csp, textFor(request)), documents };
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
