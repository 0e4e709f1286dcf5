import type { FastifyReply } from 'fastify';
import { CODE_FORM } from '../../accounts/page-codes.ts';
import { exampleQueries } from './examples.ts';
import { html, inScript, nonceOf, pageCsp, sendPage } from './page.ts';

// `transform:none` keeps draggable tabs from jumping when clicked.
const head = `<link rel="icon" href="data:,"><link rel="stylesheet" href="/assets/graphiql.css">
<style>body{display:flex;flex-direction:column;height:100vh;margin:0;font:14px/1.5 system-ui,sans-serif}
#root{flex:1;min-height:0}.graphiql-tab{transform:none!important}
#token{display:flex;gap:.5rem;align-items:center;padding:.25rem 1rem}#token input{width:28rem}#token [hidden]{display:none}</style>`;

const tokenForm = `<form id="token" autocomplete="off">
<span id="token-state" role="status"></span>
<label>Access token <input name="token" required pattern="[!-~]+" autocomplete="off" spellcheck="false"></label>
<button>Use in this tab</button><button type="button" hidden>Forget</button></form>`;

/**
 * sessionStorage hides the token from other tabs. Earlier versions stored it in localStorage; the script removes it
 * there.
 */
const tokenOfTab = `
const KEY = 'stakegraph:token';
localStorage.removeItem('graphiql:headers');
localStorage.removeItem('graphiql:shouldPersistHeaders');
function keptTabs() {
  try {
    const kept = JSON.parse(localStorage.getItem('graphiql:tabState'));
    for (const tab of kept.tabs) tab.headers = null;
    localStorage.setItem('graphiql:tabState', JSON.stringify(kept));
    return kept;
  } catch {
    return { tabs: [] };
  }
}
const codeIn = (hash) => /^#(${CODE_FORM})$/.exec(hash)?.[1];
async function exchange(code) {
  // Removes the code from the address bar and the history before it is used.
  history.replaceState(null, '', location.pathname + location.search);
  const answer = await fetch('/page-token', {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ code }),
  }).catch(() => undefined);
  if (!answer?.ok) return answer?.status === 400
    ? 'This link was used before or has expired; "npx stakegraph open" prints another.'
    : 'The token could not be fetched; "npx stakegraph open" prints another link.';
  sessionStorage.setItem(KEY, (await answer.json()).token);
}
function showToken(token, failure) {
  const form = document.querySelector('#token');
  const [use, forget] = form.querySelectorAll('button');
  const state = token ? 'Requests of this tab carry a token.' : 'Requests need a token.';
  document.querySelector('#token-state').textContent = failure ?? state;
  form.querySelector('label').hidden = use.hidden = Boolean(token);
  forget.hidden = !token;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    sessionStorage.setItem(KEY, form.elements.token.value.trim());
    location.reload();
  });
  forget.addEventListener('click', () => {
    sessionStorage.removeItem(KEY);
    location.reload();
  });
}`;

const start = `
addEventListener('hashchange', () => codeIn(location.hash) && location.reload());
(async () => {
  const code = codeIn(location.hash);
  const failure = code && (await exchange(code));
  const token = sessionStorage.getItem(KEY);
  showToken(token, failure);
  // Without the active tab's query, GraphiQL opens an empty tab on every reload.
  const { tabs, activeTabIndex } = keptTabs();
  const { query, variables } = tabs[activeTabIndex] ?? {};
  YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#root'), {
    ...options,
    ...(token ? { additionalHeaders: { Authorization: 'Bearer ' + token } } : {}),
    ...(query ? { query, variables } : {}),
  });
})();`;

const options = {
  title: 'stakegraph GraphiQL',
  shouldPersistHeaders: false,
  defaultTabs: exampleQueries.map(({ query, variables }) => ({
    query,
    variables: variables ? JSON.stringify(variables, null, 2) : null,
  })),
};

export function graphiqlPage(reply: FastifyReply) {
  const nonce = nonceOf();
  const body = `${tokenForm}<div id="root"></div><script src="/assets/graphiql.js"></script>
<script nonce="${nonce}">const options = ${inScript(options)};${tokenOfTab}${start}</script>`;
  return sendPage(reply, pageCsp(nonce), html('stakegraph GraphiQL', head, body));
}
