import type { FastifyReply } from 'fastify';
import { html, nonceOf, pageCsp, sendPage } from './page.ts';
import { tokenBar } from './token-bar.ts';

const head = `<link rel="icon" href="data:,"><link rel="stylesheet" href="/assets/swagger-ui.css">
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
    url: '/openapi.json', dom_id: '#root', deepLinking: true, validatorUrl: null, persistAuthorization: false,
    filter: true, plugins: [() => ({ fn: { opsFilter } })],
    requestInterceptor: (request) => {
      if (token) request.headers.Authorization ??= 'Bearer ' + token;
      return request;
    },
  });
})();`;

export function docsPage(reply: FastifyReply) {
  const nonce = nonceOf();
  const body = `${tokenBar.form}<div id="root"></div><script src="/assets/swagger-ui.js"></script>
<script nonce="${nonce}">${tokenBar.script}${start}</script>`;
  return sendPage(reply, pageCsp(nonce), html('stakegraph REST reference', head, body));
}
