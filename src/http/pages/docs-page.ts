import type { FastifyReply, FastifyRequest } from 'fastify';
import { rootOf } from '../request/base.ts';
import { assetPath } from './assets.ts';
import { escapeHtml, type Frame, html, inScript, nonceOf, pageCsp, sendPage } from './page.ts';
import { pageHead } from './page-head.ts';

/** The part of the OpenAPI document that is shown before Swagger UI has come. */
type Outline = {
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, { tags: string[]; summary: string; description: string }>>;
};

/** Descriptions are Markdown, in which code is all that is marked. */
const prose = (text: string) => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');

function outline({ tags, paths }: Outline): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  );
  return tags
    .map(({ name, description }) => {
      const own = operations
        .filter((one) => one.tags.includes(name))
        .map(
          ({ method, path, summary, description }) =>
            `<dt><code>${method.toUpperCase()} ${escapeHtml(path)}</code></dt><dd>${prose(`${summary}. ${description}`)}</dd>`,
        );
      return `<h2>${escapeHtml(name)}</h2><p>${prose(description)}</p><dl>${own.join('')}</dl>`;
    })
    .join('');
}

const style = `<style>body{margin:0;background:var(--page)}html.dark-mode body{background:#1c2022}
.outline{max-width:1460px;margin:0 auto;padding:1rem 1.25rem;color:var(--ink);font:14px/1.5 system-ui,sans-serif}.outline dt{font-weight:600;margin-top:.5rem}.outline dd{margin:0}</style>`;

const start = `
const dark = matchMedia('(prefers-color-scheme: dark)');
const isDark = () => (theme ? theme === 'dark' : dark.matches);
const paint = () => document.documentElement.classList.toggle('dark-mode', isDark());
dark.addEventListener('change', paint);
paint();
const contains = (text, phrase) => (text ?? '').toLowerCase().includes(phrase.toLowerCase());
const opsFilter = (tags, phrase) => tags
  .map((tag, name) => contains(name, phrase) ? tag : tag.update('operations', (all) => all.filter((operation) =>
    contains(operation.get('path'), phrase) || contains(operation.getIn(['operation', 'summary']), phrase))))
  .filter((tag) => tag.get('operations').size > 0);
(async () => {
  const token = await sharedToken();
  SwaggerUIBundle({
    url: ROOT + 'openapi.json', dom_id: '#root', deepLinking: true, validatorUrl: null, persistAuthorization: false,
    filter: true, plugins: [() => ({ fn: { opsFilter } })],
    requestInterceptor: (request) => {
      if (token) request.headers.Authorization ??= 'Bearer ' + token;
      return request;
    },
  });
})();`;

export async function docsPage(
  request: FastifyRequest,
  reply: FastifyReply,
  frame: Frame,
  document: object,
): Promise<FastifyReply> {
  const root = rootOf(request);
  const nonce = nonceOf();
  const [script, sheet] = [await assetPath('swagger-ui.js'), await assetPath('swagger-ui.css')];
  const head = `<link rel="stylesheet" href="${root}${sheet}">${pageHead.style(frame, nonce)}${style}`;
  const shown = `<div class="outline">${outline(document as Outline)}</div>`;
  const body = `${pageHead.html(frame, root, 'docs')}<div id="root">${shown}</div><script defer src="${root}${script}"></script>
<script type="module" nonce="${nonce}">const ROOT = ${inScript(root)};${pageHead.script}${start}</script>`;
  return sendPage(reply, pageCsp(nonce), html(`REST reference · ${escapeHtml(frame.title)}`, head, body));
}
