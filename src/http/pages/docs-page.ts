import type { FastifyReply, FastifyRequest } from 'fastify';
import { rootOf } from '../request/base.ts';
import { html, inScript, nonceOf, pageCsp, sendPage } from './page.ts';
import { pageLinks, tokenBar } from './token-bar.ts';

const headAt = (
  root: string,
) => `<link rel="icon" href="data:,"><link rel="stylesheet" href="${root}assets/swagger-ui.css">
${tokenBar.style}<style>:root{color-scheme:light dark}body{margin:0}html.dark-mode{background:#1c2022}</style>`;

const start = `
const dark = matchMedia('(prefers-color-scheme: dark)');
const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
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

export function docsPage(request: FastifyRequest, reply: FastifyReply, hasExplorer: boolean) {
  const root = rootOf(request);
  const links = pageLinks(root, [...(hasExplorer ? (['explorer'] as const) : []), 'graphql']);
  const nonce = nonceOf();
  const body = `${tokenBar.form(links)}<div id="root"></div><script src="${root}assets/swagger-ui.js"></script>
<script nonce="${nonce}">const ROOT = ${inScript(root)};${tokenBar.script}${start}</script>`;
  return sendPage(reply, pageCsp(nonce), html('stakegraph REST reference', headAt(root), body));
}
