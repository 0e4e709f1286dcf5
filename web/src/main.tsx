import { createRoot } from 'react-dom/client';
import { RelayEnvironmentProvider } from 'react-relay';
import { createBrowserRouter, createPath } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { environment } from './api/environment.ts';
import { Failure, missing, UNREACHABLE } from './api/failure.ts';
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

const isReachable = () =>
  fetch(location.pathname, { method: 'HEAD', cache: 'no-store' }).then(
    () => true,
    () => false,
  );

/**
 * A file of this version is gone if the gateway was updated: the browser then loads the page anew, once, with the files of
 * the new version.
 */
function withFiles({ lazy, ...page }: Page): Page {
  const load = async () => {
    try {
      return await lazy();
    } catch (error) {
      const { navigation } = router.state;
      const target = navigation.location ? createPath(navigation.location) : location.href;
      const open = async () => {
        if (await isReachable()) location.assign(target);
      };
      if (!(await isReachable())) throw new Failure('connection', UNREACHABLE, undefined, open);
      const [{ type }] = performance.getEntriesByType('navigation') as [PerformanceNavigationTiming];
      if (!navigation.location && type === 'reload') throw error;
      if (navigation.location) location.assign(target);
      else location.reload();
      return await new Promise<never>(() => undefined);
    }
  };
  return { ...page, lazy: load };
}

pagePaths.push(...pages.map(({ path }) => path));
applyTheme();
await findToken();
// The router knows the overview only with the slash that links to it have.
if (location.pathname === base) history.replaceState(null, '', at('/') + location.search);
const router = createBrowserRouter(
  [
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
  ],
  { basename: at('/') },
);
/** What was drawn before the application stays until the first page can be shown. */
async function firstPage() {
  if (router.state.initialized) return;
  await new Promise<void>((done) => {
    const stop = router.subscribe(({ initialized }) => {
      if (!initialized) return;
      stop();
      done();
    });
  });
}
if (document.querySelector('#first .tile')) await firstPage();
createRoot(document.querySelector('#root') as HTMLElement).render(
  <RelayEnvironmentProvider environment={environment}>
    <RouterProvider router={router} />
  </RelayEnvironmentProvider>,
);
