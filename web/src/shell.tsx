import { type RefObject, useEffect, useRef } from 'react';
import { Link, Outlet, ScrollRestoration, useLocation } from 'react-router';
import { announced } from './api/announced.ts';
import { awaited, useBusy } from './api/busy.ts';
import { lastCost, showsSample } from './api/environment.ts';
import { waiting } from './api/patience.ts';
import { changeToken, token } from './api/token.ts';
import { brand, Mark } from './brand.tsx';
import { NAVIGATION, Navigation } from './navigation.tsx';
import { count } from './parts/format.ts';
import { Search } from './search.tsx';
import { theme, toggleTheme } from './theme.ts';
import { at } from './url/base.ts';
import { useHref } from './url/use-network.ts';
import { Views } from './views.tsx';

function ThemeSwitch() {
  const next = theme.use() === 'dark' ? 'light' : 'dark';
  return (
    <button type="button" className="quiet" onClick={toggleTheme} aria-label={`Use the ${next} theme`}>
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <circle cx="8" cy="8" r="6.5" fill="none" stroke="currentColor" strokeWidth="1.5" />
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

/** On every page that shows rows of the sample data. */
function SampleNote() {
  if (!showsSample.use()) return null;
  return (
    <aside className="sample" aria-label="Sample data">
      <button type="button" popoverTarget="sample">
        Sample<span className="wide"> data</span>
      </button>
      <div id="sample" className="card" popover="auto">
        <p>
          <strong>These are generated figures with invented names.</strong>
        </p>
        <p>
          They behave like a chain, but are of none. docs/importing.md says how to load real data; this note
          goes when it has come.
        </p>
      </div>
    </aside>
  );
}

/** Signs in and out. Without a token, each page has the form for one. */
function Account() {
  if (!token())
    return (
      <a className="button" href="#token">
        Sign in
      </a>
    );
  return (
    <div className="account">
      <button type="button" className="quiet" popoverTarget="account" aria-label="Account">
        <svg viewBox="0 0 16 16" width="18" height="18" aria-hidden="true">
          <circle cx="8" cy="5.5" r="3" fill="none" stroke="currentColor" strokeWidth="1.5" />
          <path
            d="M2.5 14.5c.6-3 2.8-4.5 5.5-4.5s4.9 1.5 5.5 4.5"
            fill="none"
            stroke="currentColor"
            strokeWidth="1.5"
            strokeLinecap="round"
          />
        </svg>
      </button>
      <div id="account" className="card" popover="auto">
        <Link to="/explore/account" onClick={() => document.getElementById('account')?.hidePopover()}>
          Account and usage
        </Link>
        <Link to="/explore/views" onClick={() => document.getElementById('account')?.hidePopover()}>
          Saved views
        </Link>
        <button type="button" onClick={() => changeToken(null)}>
          Sign out
        </button>
        <p className="hint">Signing out forgets the token in all tabs.</p>
      </div>
    </div>
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
      <Navigation />
      <div className="frame">
        <header className="top" ref={head}>
          <button
            type="button"
            className="quiet narrow"
            popoverTarget={NAVIGATION}
            aria-label="Networks and pages"
          >
            <svg viewBox="0 0 16 16" width="18" height="18" aria-hidden="true">
              <path
                d="M2 4h12M2 8h12M2 12h12"
                stroke="currentColor"
                strokeWidth="1.5"
                strokeLinecap="round"
              />
            </svg>
          </button>
          <Link className="brand narrow" to={href('/')} aria-label={brand}>
            <Mark />
          </Link>
          <Search />
          <div className="actions">
            <SampleNote />
            <Views />
            <ThemeSwitch />
            <Account />
          </div>
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
      </div>
      <ScrollRestoration />
    </>
  );
}
