import { CODE_FORM } from '../../accounts/page-codes.ts';

type Place = 'explorer' | 'graphql' | 'docs';
const places: Record<Place, { path: string; name: string }> = {
  explorer: { path: '', name: 'Explorer' },
  graphql: { path: 'graphql', name: 'GraphiQL' },
  docs: { path: 'docs', name: 'REST reference' },
};

/** Links to these pages of a gateway; `root` is that of `rootOf`. */
export const pageLinks = (root: string, names: readonly Place[]) =>
  `<nav aria-label="Pages">${names
    .map((name) => `<a href="${root}${places[name].path}">${places[name].name}</a>`)
    .join(' ')}</nav>`;

export const tokenBar = {
  style: `<style>#token{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;padding:.25rem 1rem;font:14px/1.5 system-ui,sans-serif}
#token label{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center}#token input{width:28rem;max-width:100%}#token [hidden]{display:none}
#token nav{display:flex;gap:.75rem}#token nav a{color:inherit}</style>`,

  /** `links` are those to the other pages, see `pageLinks`. */
  form: (links: string) => `<form id="token" autocomplete="off">${links}
<span id="token-state" role="status"></span>
<label>Access token <input name="token" required pattern="[!-~]+" autocomplete="off" spellcheck="false"></label>
<button>Use</button><button type="button" hidden>Forget</button></form>`,

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
  document.querySelector('#token-state').textContent = failure ?? state;
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
