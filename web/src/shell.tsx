import { type RefObject, useEffect, useRef } from 'react';
import { NavLink, Outlet, ScrollRestoration, useLocation, useNavigate } from 'react-router';
import { announced } from './api/announced.ts';
import { awaited, useBusy } from './api/busy.ts';
import { lastCost, showsSample } from './api/environment.ts';
import { waiting } from './api/patience.ts';
import { changeToken, token } from './api/token.ts';
import { count } from './parts/format.ts';
import { pages } from './routes.tsx';
import { Search } from './search.tsx';
import { theme, toggleTheme } from './theme.ts';
import { at } from './url/base.ts';
import { hasPage } from './url/links.ts';
import { ethereumNetworks, networkParam, useHref, useNetwork } from './url/network.ts';
import { isCursor } from './url/url-state.ts';

const title = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
const rewardNetworks = ['avalanche', 'babylon', 'cardano', 'celestia', 'polkadot', 'polygon', 'solana'];

/** Pages of networks other than Ethereum, by what the switch calls them. */
const networks = [
  { name: 'Solana', path: '/explore/solana' },
  ...rewardNetworks.map((name) => ({ name: `${title(name)} rewards`, path: `/explore/rewards/${name}` })),
];

function NetworkSwitch() {
  const network = useNetwork().toLowerCase();
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  const elsewhere = networks.filter(({ path }) => hasPage(path));
  const other = elsewhere.find(({ path }) => path === pathname);
  const go = (value: string) => {
    if (value.startsWith('/')) return navigate(value);
    const params = new URLSearchParams(other ? '' : search);
    for (const cursor of [...params.keys()].filter(isCursor)) params.delete(cursor);
    if (value === networkParam.fallback) params.delete('network');
    else params.set('network', value);
    return navigate({ pathname: other ? '/' : pathname, search: params.toString() });
  };
  return (
    <label className="network">
      <span className="visually-hidden">Network</span>
      <select value={other?.path ?? network} onChange={({ target }) => void go(target.value)}>
        <optgroup label="Ethereum">
          {ethereumNetworks.map((name) => (
            <option key={name} value={name}>
              {title(name)}
            </option>
          ))}
        </optgroup>
        {elsewhere.length > 0 && (
          <optgroup label="Other networks">
            {elsewhere.map(({ name, path }) => (
              <option key={path} value={path}>
                {name}
              </option>
            ))}
          </optgroup>
        )}
      </select>
    </label>
  );
}

function ThemeSwitch() {
  const next = theme.use() === 'dark' ? 'light' : 'dark';
  return (
    <button type="button" className="quiet" onClick={toggleTheme} aria-label={`Use the ${next} theme`}>
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <circle cx="8" cy="8" r="6.5" fill="none" stroke="currentColor" />
        <path d="M8 1.5a6.5 6.5 0 0 1 0 13z" fill="currentColor" />
      </svg>
    </button>
  );
}

function Cost() {
  const cost = lastCost.use();
  if (!cost) return null;
  return (
    <p>
      The last query cost {count(cost.charged)} {cost.charged === 1 ? 'unit' : 'units'}
      {cost.remaining !== null && `; ${count(cost.remaining)} are left`}.
    </p>
  );
}

function SampleNote() {
  if (!showsSample.use()) return null;
  return (
    <aside className="sample" aria-label="Sample data">
      <strong>Sample data</strong>: generated figures and invented names. docs/importing.md says how to load
      real data.
    </aside>
  );
}

/** Says why a change takes its time. */
const Waiting = () => (
  <p role="status" className="waiting">
    {waiting.use() > 0 && <span>Waiting for the rate limit of the token…</span>}
  </p>
);

/** Tells screen readers what a filter has found. */
function Announced() {
  const { pathname, text } = announced.use();
  const isAwaited = awaited.use() !== undefined;
  const isOfPage = useLocation().pathname === pathname;
  return (
    <p role="status" className="visually-hidden">
      {!isAwaited && isOfPage && text}
    </p>
  );
}

/** Tells the design how much of the window the head takes while it stays in sight. */
function useHeadHeight(head: RefObject<HTMLElement | null>) {
  useEffect(() => {
    const { current: element } = head;
    if (!element) return;
    const watch = new ResizeObserver(() => {
      const stays = getComputedStyle(element).position === 'sticky';
      document.documentElement.style.setProperty('--head', `${stays ? element.offsetHeight : 0}px`);
    });
    watch.observe(element);
    return () => watch.disconnect();
  }, [head]);
}

/** The frame around every page. */
export function Shell() {
  const href = useHref();
  const busy = useBusy();
  const { pathname } = useLocation();
  const main = useRef<HTMLElement>(null);
  const head = useRef<HTMLElement>(null);
  useHeadHeight(head);
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    main.current?.focus({ preventScroll: true });
  }, [pathname]);
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <SampleNote />
      <header className="top" ref={head}>
        <NavLink className="brand" to={href('/')}>
          stakegraph
        </NavLink>
        <nav aria-label="Pages">
          {pages.map(
            ({ nav, path }) =>
              nav && (
                <NavLink key={path} to={href(path)} end={path === '/'}>
                  {nav}
                </NavLink>
              ),
          )}
        </nav>
        <Search />
        <NetworkSwitch />
        <ThemeSwitch />
        {token() && (
          <button type="button" className="quiet" aria-label="Forget token" onClick={() => changeToken(null)}>
            Forget<span className="wide"> token</span>
          </button>
        )}
        <div className="progress" hidden={!busy} />
      </header>
      <main id="main" ref={main} tabIndex={-1} aria-busy={busy}>
        <Outlet />
      </main>
      <Announced />
      <Waiting />
      <footer className="bottom">
        <Cost />
        <p>
          <a href={at('/graphql')}>GraphiQL</a> <a href={at('/docs')}>REST reference</a>{' '}
          <a href={at('/openapi.json')}>OpenAPI</a>
        </p>
      </footer>
      <ScrollRestoration />
    </>
  );
}
