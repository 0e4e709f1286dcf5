import { at } from '../url/base.ts';
import { TOKEN_KEY, token } from './stored-token.ts';

export { token };

/**
 * The access token, as GraphiQL and /docs hold it (src/http/pages/token-bar.ts): in sessionStorage, passed to new tabs
 * by open ones, so that it is gone when all are closed.
 */
const ANSWER_MS = 200;
const tabs = new BroadcastChannel(TOKEN_KEY);

/** Reloads the page, so that nothing of another account stays in memory. */
function keep(next: string | null) {
  if (next) sessionStorage.setItem(TOKEN_KEY, next);
  else sessionStorage.removeItem(TOKEN_KEY);
  location.reload();
}

export function changeToken(next: string | null) {
  tabs.postMessage({ changed: true, token: next });
  keep(next);
}

tabs.addEventListener('message', ({ data }) => {
  if (data.ask && token()) tabs.postMessage({ token: token() });
  if (data.changed && data.token !== token()) keep(data.token);
});

const fromOtherTab = () =>
  new Promise<string | undefined>((done) => {
    let isLate = false;
    tabs.addEventListener('message', ({ data }) => {
      if (!data.token) return;
      if (!isLate) done(data.token);
      else if (!token()) keep(data.token); // by a tab that was busy
    });
    tabs.postMessage({ ask: true });
    setTimeout(() => {
      isLate = true;
      done(undefined);
    }, ANSWER_MS);
  });

const codeIn = (hash: string) => /^#([\w-]{24})$/.exec(hash)?.[1];
addEventListener('hashchange', () => codeIn(location.hash) && location.reload());

/** Why the code of the link was refused. */
export let tokenFailure: string | undefined;

async function exchange(code: string) {
  // Removes the code from the address bar and the history before it is used.
  history.replaceState(null, '', location.pathname + location.search);
  const answer = await fetch(at('/page-token'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  }).catch(() => undefined);
  if (answer?.ok) sessionStorage.setItem(TOKEN_KEY, (await answer.json()).token);
  else
    tokenFailure =
      answer?.status === 400
        ? 'This link was used before or has expired; "npx stakegraph open" prints another.'
        : 'The token could not be fetched; "npx stakegraph open" prints another link.';
}

export async function findToken() {
  const code = codeIn(location.hash);
  if (code) await exchange(code);
  const found = token() ?? (await fromOtherTab());
  if (found) sessionStorage.setItem(TOKEN_KEY, found);
}
