import { createRoot } from 'react-dom/client';
import { RelayEnvironmentProvider } from 'react-relay';
import { createBrowserRouter, createPath } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { environment } from './api/environment.ts';
import { missing } from './api/failure.ts';
import { loadFiles } from './api/files.ts';
import { findToken } from './api/token.ts';
import { type Page, pages } from './routes.tsx';
import { Shell } from './shell.tsx';
import { Loading, RouteProblem } from './states.tsx';
import { applyTheme } from './theme.ts';
import { at, base } from './url/base.ts';
import { pagePaths } from './url/links.ts';

const unknown = {
  path: '*',
  loader: () => {
    throw missing('There is no such page.');
  },
};

const routesWith = (target: () => string) => {
  const withFiles = ({ lazy, ...page }: Page): Page => ({ ...page, lazy: () => loadFiles(lazy, target) });
  return [
    {
      Component: Shell,
      children: [
        {
          ErrorBoundary: RouteProblem,
          HydrateFallback: Loading,
          children: [...pages.map(withFiles), unknown],
        },
      ],
    },
  ];
};

function makeRouter() {
  /** The page that is navigated to, or the present one. */
  const target = () => {
    const to = router.state.navigation.location;
    return to ? createPath(to) : location.href;
  };
  const router = createBrowserRouter(routesWith(target), { basename: at('/') });
  return router;
}

/** What was drawn before the application stays until the first page can be shown. */
async function firstPage({ state, subscribe }: ReturnType<typeof makeRouter>) {
  if (state.initialized) return;
  await new Promise<void>((done) => {
    const stop = subscribe(({ initialized }) => {
      if (!initialized) return;
      stop();
      done();
    });
  });
}

/** Not at the top of the file: the files of pages import it, and would wait for it. */
async function start() {
  pagePaths.push(...pages.map(({ path }) => path));
  applyTheme();
  await findToken();
  // The router knows the overview only with the slash that links to it have.
  if (location.pathname === base) history.replaceState(null, '', at('/') + location.search);
  const router = makeRouter();
  if (document.querySelector('#first[data-drawn]')) await firstPage(router);
  createRoot(document.querySelector('#root') as HTMLElement).render(
    <RelayEnvironmentProvider environment={environment}>
      <RouterProvider router={router} />
    </RelayEnvironmentProvider>,
  );
}

void start();
