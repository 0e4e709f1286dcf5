import type { FastifyReply, FastifyRequest } from 'fastify';
import { TOKEN_IN_TEXT } from '../../accounts/token-format.ts';
import { rootOf } from '../request/base.ts';
import { assetPath } from './assets.ts';
import { exampleQueries } from './examples.ts';
import { escapeHtml, type Frame, html, inScript, nonceOf, pageCsp, sendPage } from './page.ts';
import { pageHead } from './page-head.ts';

// `transform:none` keeps draggable tabs from jumping when clicked.
const style = `<style>body{display:flex;flex-direction:column;height:100vh;margin:0}
#root{flex:1;min-height:0}.graphiql-tab{transform:none!important}
#lists{display:flex;flex:0 1 22.5rem;min-width:0;gap:.5rem}#lists select{flex:1;min-width:0}
@media(max-width:700px){#lists{flex-basis:100%}:has(>.graphiql-editors){flex-direction:column}.graphiql-horizontal-drag-bar{display:none}
.graphiql-editors,.graphiql-response{flex:1 1 50%!important;min-height:0}}</style>`;

const OPEN_TABS = 3;
const HISTORY_LENGTH = 30;
/** In characters; browsers store about 5 million. */
const MAX_REMEMBERED = 50_000;
const aboutOf = (query: string): string => /^# ([^.]+)/.exec(query)?.[1] ?? query;

const examples = exampleQueries.map(({ query, variables }) => ({
  query,
  variables: variables ? JSON.stringify(variables, null, 2) : null,
}));

const options = {
  title: 'GraphiQL',
  shouldPersistHeaders: false,
  method: 'POST',
  defaultTabs: examples.slice(0, OPEN_TABS),
};

const option = (text: string, value: number | '') => `<option value="${value}">${text}</option>`;
const lists = `<div id="lists"><select id="examples" aria-label="Examples">${option('Examples…', '')}${exampleQueries
  .map(({ query }, index) => option(aboutOf(query), index))
  .join('')}</select><select id="history" aria-label="History">${option('History…', '')}</select></div>`;

const history = `
const HISTORY = 'stakegraph:history';
const executed = () => JSON.parse(localStorage.getItem(HISTORY) ?? '[]');
const { fetch } = window;
window.fetch = (url, init) => {
  remember(init?.body);
  return fetch(url, init);
};
function remember(body) {
  if (typeof body !== 'string' || body.length > ${MAX_REMEMBERED} || ${TOKEN_IN_TEXT}.test(body)) return;
  const { query, variables, operationName } = JSON.parse(body);
  if (!query || operationName === 'IntrospectionQuery') return;
  const item = { query, variables: variables ? JSON.stringify(variables, null, 2) : null };
  const others = executed().filter((one) => one.query !== query || one.variables !== item.variables);
  localStorage.setItem(HISTORY, JSON.stringify([item, ...others].slice(0, ${HISTORY_LENGTH})));
  showHistory();
}
const titleOf = (query) => /(?:query|mutation|subscription) (\\w+)/.exec(query)?.[1] ?? query.replace(/\\s+/g, ' ').slice(0, 60);
function showHistory() {
  const list = document.querySelector('#history');
  list.length = 1;
  for (const [index, { query }] of executed().entries()) list.add(new Option(titleOf(query), index));
}
showHistory();`;

const start = `
if (theme && !localStorage.getItem('graphiql:theme')) localStorage.setItem('graphiql:theme', theme);
const TABS = 'graphiql:tabState';
function keptTabs() {
  try {
    const kept = JSON.parse(localStorage.getItem(TABS));
    for (const tab of kept.tabs) tab.headers = null;
    localStorage.setItem(TABS, JSON.stringify(kept));
    return kept;
  } catch {
    return { tabs: [] };
  }
}
function putIntoTab({ query, variables }) {
  const kept = keptTabs();
  const open = kept.tabs.findIndex((tab) => tab.query === query && (tab.variables ?? null) === variables);
  if (open < 0) kept.tabs.push({
    id: crypto.randomUUID(), title: titleOf(query), query, variables,
    hash: null, headers: null, operationName: null, response: null,
  });
  kept.activeTabIndex = open < 0 ? kept.tabs.length - 1 : open;
  localStorage.setItem(TABS, JSON.stringify(kept));
}
// The next page puts it into a tab: until this one is gone, GraphiQL may still write its own tabs. The address loses
// its query, which GraphiQL would open in place of that tab.
const CHOSEN = 'stakegraph:chosen';
function openInTab(item) {
  sessionStorage.setItem(CHOSEN, JSON.stringify(item));
  location.replace(location.pathname);
}
for (const [id, list] of [['#examples', () => examples], ['#history', executed]])
  document.querySelector(id).addEventListener('change', ({ target }) => openInTab(list()[target.value]));
const chosen = sessionStorage.getItem(CHOSEN);
sessionStorage.removeItem(CHOSEN);
if (chosen) putIntoTab(JSON.parse(chosen));
// A link of the explorer: the document is in the fragment, which no server sees.
const linked = new URLSearchParams(location.hash.slice(1));
if (linked.has('query')) {
  history.replaceState(null, '', location.pathname);
  putIntoTab({ query: linked.get('query'), variables: linked.get('variables') });
}
(async () => {
  const token = await sharedToken();
  // Without the active tab's query, GraphiQL opens an empty tab on every reload.
  const { tabs, activeTabIndex } = keptTabs();
  const { query, variables } = tabs[activeTabIndex] ?? {};
  YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#root'), {
    ...options,
    ...(token ? { additionalHeaders: { Authorization: 'Bearer ' + token } } : {}),
    ...(query ? { query, variables } : {}),
  });
})();`;

export async function graphiqlPage(
  request: FastifyRequest,
  reply: FastifyReply,
  frame: Frame,
): Promise<FastifyReply> {
  const root = rootOf(request);
  const nonce = nonceOf();
  const [script, sheet] = [await assetPath('graphiql.js'), await assetPath('graphiql.css')];
  const head = `<link rel="stylesheet" href="${root}${sheet}">${pageHead.style(frame, nonce)}${style}`;
  const body = `${pageHead.html(frame, root, 'graphql', lists)}<div id="root"></div><noscript>GraphiQL needs JavaScript.</noscript><script src="${root}${script}"></script>
<script nonce="${nonce}">const ROOT = ${inScript(root)};const options = ${inScript(options)};const examples = ${inScript(examples)};${pageHead.script}${history}${start}</script>`;
  return sendPage(reply, pageCsp(nonce), html(`GraphiQL · ${escapeHtml(frame.title)}`, head, body));
}
