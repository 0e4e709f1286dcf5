import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { hasPage } from '../url/links.ts';
import type { Network } from '../url/network.ts';
import { useHref } from '../url/use-network.ts';

/** A link to a page of the same network, or of `network`; plain text when there is no such page. */
export function PageLink(props: { to: string; network?: Network; children: ReactNode }) {
  const { to, network, children } = props;
  const href = useHref(network);
  return hasPage(to) ? <Link to={href(to)}>{children}</Link> : children;
}

type Neighbour = { to: string; name: string } | undefined;

/** Links to the objects before and after this one. */
export function Neighbours({ previous, next }: { previous: Neighbour; next: Neighbour }) {
  const href = useHref();
  return (
    <nav className="neighbours" aria-label="Neighbours">
      {previous && (
        <Link to={href(previous.to)} rel="prev">
          ← {previous.name}
        </Link>
      )}
      {next && (
        <Link to={href(next.to)} rel="next">
          {next.name} →
        </Link>
      )}
    </nav>
  );
}
