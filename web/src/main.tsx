import { createRoot } from 'react-dom/client';
import { RelayEnvironmentProvider } from 'react-relay';
import { createBrowserRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { environment } from './environment.ts';
import { missing } from './failure.ts';
import { pagePaths } from './links.ts';
import { pages } from './routes.tsx';
import { Shell } from './shell.tsx';
import { Loading, RouteProblem } from './states.tsx';
import { applyTheme } from './theme.ts';
import { findToken } from './token.ts';

const unknown = {
  path: '*',
  loader: () => {
    throw missing('There is no such page.');
  },
};

// A file of this version is gone because the gateway was updated: the page of the new one names its own.
addEventListener('vite:preloadError', (event) => {
  if (performance.getEntriesByType('navigation')[0]?.toJSON().type === 'reload') return;
  event.preventDefault();
  location.reload();
});
pagePaths.push(...pages.map(({ path }) => path));
applyTheme();
await findToken();
const router = createBrowserRouter([
  {
    Component: Shell,
    children: [{ ErrorBoundary: RouteProblem, HydrateFallback: Loading, children: [...pages, unknown] }],
  },
]);
createRoot(document.querySelector('#root') as HTMLElement).render(
  <RelayEnvironmentProvider environment={environment}>
    <RouterProvider router={router} />
  </RelayEnvironmentProvider>,
);
