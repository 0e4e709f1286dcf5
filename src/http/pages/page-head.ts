import { CODE_FORM } from '../../accounts/page-codes.ts';
import { escapeHtml, type Frame } from './page.ts';

type Place = 'explorer' | 'graphql' | 'docs';
const places: Record<Place, { path: string; name: string }> = {
  explorer: { path: '', name: 'Explorer' },
  graphql: { path: 'graphql', name: 'GraphiQL' },
  docs: { path: 'docs', name: 'REST reference' },
};

/** The mark of the explorer (web/src/brand.tsx). */
const mark = (fill: string, stroke: string, attributes: string) =>
  `<svg viewBox="0 0 24 24" ${attributes}><rect width="24" height="24" rx="6" fill="${fill}"/><path d="M5.5 16.5 10 12l3.5 2.5 5-6.5" fill="none" stroke="${stroke}" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/><circle cx="18.5" cy="8" r="2.1" fill="${stroke}"/><circle cx="5.5" cy="16.5" r="1.6" fill="${stroke}"/></svg>`;

/** The head of the pages beside the explorer: its colours, its title, and links to the others. */
export const pageHead = {
  /** Belongs into the head of the document. The theme is the one that was chosen in the explorer. */
  style: (
    { colors }: Frame,
    nonce: string,
  ) => `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(mark('#3d4ed8', '#fff', 'xmlns="http://www.w3.org/2000/svg"'))}">
<style>:root{color-scheme:light dark;--page:light-dark(#f7f7fa,#0b0e14);--surface:light-dark(#fff,#12161f);--ink:light-dark(#151926,#e8eaf1);--muted:light-dark(#575e73,#9aa3b7)
;--line:light-dark(#e3e5ee,#232a38);--control:light-dark(#7a8196,#717b91);--accent:light-dark(${colors?.light ?? '#3d4ed8'},${colors?.dark ?? '#9aa8ff'});--on-accent:light-dark(#fff,#0b0e14)}
:root[data-theme=light]{color-scheme:light}:root[data-theme=dark]{color-scheme:dark}
#head{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;align-items:center;padding:.5rem clamp(1rem,2vw,2rem);background:var(--surface);color:var(--ink);border-bottom:1px solid var(--line);font:14px/1.5 system-ui,sans-serif}
#head .brand{display:flex;gap:.5rem;align-items:center;font-weight:600;font-size:16px;color:inherit;text-decoration:none}
#head nav{display:flex;gap:.25rem;margin-inline-end:auto}#head nav a{padding:.25rem .625rem;border-radius:.375rem;color:var(--muted);text-decoration:none}
#head nav a:hover,#head nav [aria-current]{color:var(--ink);background:light-dark(#eeeff5,#1c222e)}
#head :focus-visible{outline:2px solid var(--accent);outline-offset:2px}
#token,#token label{display:flex;gap:.25rem .625rem;align-items:center}#token label{flex:1;white-space:nowrap}#token-state{color:var(--muted)}#token [hidden]{display:none}
#token input{flex:1;width:11rem;min-width:6rem}#head :is(input,button,select){box-sizing:border-box;font:inherit;color:inherit;height:2.25rem;padding:.25rem .625rem;border:1px solid var(--control);border-radius:.375rem;background:var(--surface)}
#head button{background:var(--accent);color:var(--on-accent);border-color:transparent}#head button[type=button]{background:none;color:inherit;border-color:var(--control)}
@media(max-width:40rem){#token{flex-wrap:wrap;width:100%}#token:has(label:not([hidden])) #token-state:not(.failed){display:none}}</style>
<script nonce="${nonce}">const theme = localStorage.getItem('stakegraph:theme');
if (theme) document.documentElement.dataset.theme = theme;</script>`,

  /** `root` is that of `rootOf`; `more` belongs to the page that is `here`. */
  html: ({ title, hasExplorer }: Frame, root: string, here: Place, more = '') =>
    `<header id="head"><a class="brand" href="${root}">${mark('var(--accent)', 'var(--on-accent)', 'width="24" height="24" aria-hidden="true"')}${escapeHtml(title)}</a>
<nav aria-label="Pages">${Object.entries(places)
      .filter(([name]) => hasExplorer || name !== 'explorer')
      .map(
        ([name, { path, name: text }]) =>
          `<a href="${root}${path}"${name === here ? ' aria-current="page"' : ''}>${text}</a>`,
      )
      .join('')}</nav>${more}
<form id="token" autocomplete="off"><span id="token-state" role="status"></span>
<label>Access token <input name="token" required pattern="[!-~]+" autocomplete="off" spellcheck="false"></label>
<button>Use</button><button type="button" hidden>Forget</button></form></header>`,

  /**
   * Tabs keep the token in sessionStorage and pass it to new tabs, so the token is lost when the last tab closes.
   * Clears localStorage, where earlier versions kept the token.
   */
  script: `
const KEY = 'stakegraph:token';
localStorage.removeItem('graphiql:headers');
localStorage.removeItem('graphiql:shouldPersistHeaders');
const stored = () => sessionStorage.getItem(KEY);
const tabs = new BroadcastChannel(KEY);
tabs.addEventListener('message', ({ data }) => {
  if (data.ask && stored()) tabs.postMessage({ token: stored() });
  if (data.changed && data.token !== stored()) keep(data.token);
});
function keep(token) {
  if (token) sessionStorage.setItem(KEY, token);
  else sessionStorage.removeItem(KEY);
  location.reload();
}
function change(token) {
  tabs.postMessage({ changed: true, token });
  keep(token);
}
const fromOtherTab = () => new Promise((done) => {
  let isLate = false;
  tabs.addEventListener('message', ({ data }) => {
    if (!data.token) return;
    if (!isLate) done(data.token);
    else if (!stored()) keep(data.token); // by a tab that was busy
  });
  tabs.postMessage({ ask: true });
  setTimeout(() => {
    isLate = true;
    done();
  }, 200);
});
const codeIn = (hash) => /^#(${CODE_FORM})$/.exec(hash)?.[1];
addEventListener('hashchange', () => codeIn(location.hash) && location.reload());
async function exchange(code) {
  // Removes the code from the address bar and the history before it is used.
  history.replaceState(null, '', location.pathname + location.search);
  const answer = await fetch(ROOT + 'page-token', {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ code }),
  }).catch(() => undefined);
  if (!answer?.ok) return answer?.status === 400
    ? 'This link was used before or has expired; "npx stakegraph open" prints another.'
    : 'The token could not be fetched; "npx stakegraph open" prints another link.';
  sessionStorage.setItem(KEY, (await answer.json()).token);
}
const form = document.querySelector('#token');
const [use, forget] = form.querySelectorAll('button');
form.addEventListener('submit', (event) => {
  event.preventDefault();
  change(form.elements.token.value.trim());
});
forget.addEventListener('click', () => change(null));
function showToken(token, failure) {
  const state = token ? 'Requests carry a token.' : 'Requests need a token.';
  const shown = document.querySelector('#token-state');
  shown.textContent = failure ?? state;
  shown.classList.toggle('failed', failure !== undefined);
  form.querySelector('label').hidden = use.hidden = Boolean(token);
  forget.hidden = !token;
}
async function sharedToken() {
  const code = codeIn(location.hash);
  const failure = code && (await exchange(code));
  const token = stored() ?? (await fromOtherTab());
  if (token) sessionStorage.setItem(KEY, token);
  showToken(token, failure);
  return token;
}`,
};
