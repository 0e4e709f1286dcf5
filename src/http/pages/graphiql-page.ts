import type { FastifyReply, FastifyRequest } from 'fastify';
import { TOKEN_IN_TEXT } from '../../accounts/token-format.ts';
import { rootOf } from '../request/base.ts';
import { exampleQueries } from './examples.ts';
import { html, inScript, nonceOf, pageCsp, sendPage } from './page.ts';
import { pageLinks, tokenBar } from './token-bar.ts';

// `transform:none` keeps draggable tabs from jumping when clicked.
const headAt = (
  root: string,
) => `<link rel="icon" href="data:,"><link rel="stylesheet" href="${root}assets/graphiql.css">
${tokenBar.style}<style>body{display:flex;flex-direction:column;height:100vh;margin:0}
#root{flex:1;min-height:0}.graphiql-tab{transform:none!important}#bar{display:flex;flex-wrap:wrap;align-items:center}
#lists{display:flex;flex-wrap:wrap;gap:.5rem;padding:.25rem 1rem}select{max-width:calc(100vw - 2rem)}
@media(max-width:700px){:has(>.graphiql-editors){flex-direction:column}.graphiql-horizontal-drag-bar{display:none}
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
  title: 'stakegraph GraphiQL',
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

export function graphiqlPage(request: FastifyRequest, reply: FastifyReply, hasExplorer: boolean) {
  const root = rootOf(request);
  const links = pageLinks(root, [...(hasExplorer ? (['explorer'] as const) : []), 'docs']);
  const nonce = nonceOf();
  const body = `<div id="bar">${tokenBar.form(links)}${lists}</div><div id="root"></div><script src="${root}assets/graphiql.js"></script>
<script nonce="${nonce}">const ROOT = ${inScript(root)};const options = ${inScript(options)};const examples = ${inScript(examples)};${tokenBar.script}${history}${start}</script>`;
  return sendPage(reply, pageCsp(nonce), html('stakegraph GraphiQL', headAt(root), body));
}
