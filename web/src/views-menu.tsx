import { type FormEvent, useCallback, useEffect, useState } from 'react';
import { fetchQuery, graphql } from 'react-relay';
import { Link, useLocation } from 'react-router';
import type { viewsMenuQuery } from './__generated__/viewsMenuQuery.graphql';
import { environment } from './api/environment.ts';
import { NameField } from './parts/ask.tsx';
import { saveView } from './parts/saved-views.ts';
import { changed } from './url/url-state.ts';

const query = graphql`
  query viewsMenuQuery {
    savedViews {
      id
      name
      path
    }
  }
`;

type View = viewsMenuQuery['response']['savedViews'][number];

/** The address of the page, without the place in its lists, which a later revision does not have. */
function usePath(): string {
  const { pathname, search } = useLocation();
  const kept = String(changed(new URLSearchParams(search), {}));
  return kept ? `${pathname}?${kept}` : pathname;
}

/** Saves the page that is shown, and lists the pages that the account has saved. */
export function ViewsMenu({ close }: { close: () => void }) {
  const path = usePath();
  const [views, setViews] = useState<readonly View[]>();
  const [problem, setProblem] = useState('');
  const [said, say] = useState('');
  const load = useCallback(async () => {
    const data = await fetchQuery<viewsMenuQuery>(
      environment,
      query,
      {},
      { networkCacheConfig: { force: true } },
    ).toPromise();
    setViews(data?.savedViews);
  }, []);
  useEffect(() => {
    load().catch((error: Error) => setProblem(error.message));
  }, [load]);
  async function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget).get('name'));
    say('');
    try {
      const refused = await saveView(name, path);
      setProblem(refused.map(({ message }) => message).join(' '));
      if (refused.length > 0) return;
      say(`Saved as ${name}.`);
      await load();
    } catch (error) {
      setProblem((error as Error).message);
    }
  }
  return (
    <>
      <form onSubmit={(event) => void save(event)}>
        <NameField given={document.querySelector('main h1')?.textContent ?? ''} />
        <button type="submit">Save this page</button>
      </form>
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      <p role="status">{said}</p>
      {views?.length === 0 && <p className="hint">Your account has saved no page yet.</p>}
      {views && views.length > 0 && (
        <>
          <ul aria-label="Saved views">
            {views.map((view) => (
              <li key={view.id}>
                <Link
                  to={view.path}
                  onClick={close}
                  title={view.path}
                  aria-current={view.path === path ? 'page' : undefined}
                >
                  {view.name}
                </Link>
              </li>
            ))}
          </ul>
          <Link to="/explore/views" onClick={close}>
            Rename or delete
          </Link>
        </>
      )}
    </>
  );
}
