import { type RefObject, useEffect, useRef } from 'react';
import { Link, NavLink, useLocation, useNavigate } from 'react-router';
import { brand, Mark } from './brand.tsx';
import { pages } from './routes.tsx';
import { ethereumNetworks, networkParam } from './url/network.ts';
import { type NetworkPlace, otherPlaces, title } from './url/places.ts';
import { isCursor } from './url/url-state.ts';
import { useHref, useNetwork } from './url/use-network.ts';

/** The chains of Ethereum: its pages are those of one of them. */
function ChainSwitch() {
  const network = useNetwork().toLowerCase();
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  const go = (value: string) => {
    const params = new URLSearchParams(search);
    for (const cursor of [...params.keys()].filter(isCursor)) params.delete(cursor);
    if (value === networkParam.fallback) params.delete(networkParam.name);
    else params.set(networkParam.name, value);
    return navigate({ pathname, search: params.toString() });
  };
  return (
    <label className="chain">
      <span className="visually-hidden">Chain</span>
      <select value={network} onChange={({ target }) => void go(target.value)}>
        {ethereumNetworks.map((name) => (
          <option key={name} value={name}>
            {title(name)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Which network a path is of; undefined for pages of no network, such as the account and its views. */
function placeOf(pathname: string, others: readonly NetworkPlace[]): string | undefined {
  if (/^\/explore\/(account|views)\b/.test(pathname)) return undefined;
  const isAt = (path: string) => pathname === path || pathname.startsWith(`${path}/`);
  return others.find(({ pages }) => pages.some(({ path }) => isAt(path)))?.key ?? 'ethereum';
}

function Place(props: { place: NetworkPlace; isPresent: boolean; children?: React.ReactNode }) {
  const { place, isPresent, children } = props;
  const [home] = place.pages;
  if (!home) return null;
  return (
    <li>
      <Link className="place" to={home.path} aria-current={isPresent ? 'true' : undefined}>
        <span className="glyph" data-network={place.key} aria-hidden="true">
          {place.name.charAt(0)}
        </span>
        {place.name}
      </Link>
      {isPresent && children}
      {isPresent && place.pages.length > 1 && (
        <ul>
          {place.pages.map(({ name, path }) => (
            <li key={path}>
              <NavLink to={path} end={path.split('?')[0] === '/'}>
                {name}
              </NavLink>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

/** Closes what is open on a narrow screen once a page is chosen. */
function useClosing(nav: RefObject<HTMLElement | null>) {
  const { key } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: each navigation has another key
  useEffect(() => {
    if (nav.current?.matches(':popover-open')) nav.current.hidePopover();
  }, [key, nav]);
}

export const NAVIGATION = 'navigation';

/** The networks as places, and the pages of the present one; a column, or a drawer on a narrow screen. */
export function Navigation() {
  const { pathname } = useLocation();
  const href = useHref();
  const nav = useRef<HTMLElement>(null);
  useClosing(nav);
  const others = otherPlaces();
  const present = placeOf(pathname, others);
  const ethereum = {
    key: 'ethereum',
    name: 'Ethereum',
    pages: pages.flatMap(({ nav: name, path }) => (name ? [{ name, path: href(path) }] : [])),
  };
  return (
    <nav id={NAVIGATION} className="side" aria-label="Pages" popover="auto" ref={nav}>
      <Link className="brand" to={href('/')}>
        <Mark />
        <span>{brand}</span>
      </Link>
      <ul>
        <Place place={ethereum} isPresent={present === ethereum.key}>
          <ChainSwitch />
        </Place>
        {others.map((place) => (
          <Place key={place.key} place={place} isPresent={present === place.key} />
        ))}
      </ul>
    </nav>
  );
}
