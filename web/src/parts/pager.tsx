import { useEffect, useRef } from 'react';
import { graphql } from 'react-relay';
import { useSearchParams } from 'react-router';
import { useSource } from '../page.tsx';
import { cursorName, skippedOf } from '../url/url-state.ts';
import { ChangeLink } from './controls.tsx';
import { count } from './format.ts';

graphql`
  fragment pager_pageInfo on PageInfo {
    hasNextPage
    hasPreviousPage
    startCursor
    endCursor
  }
`;

export type PageInfo = {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly startCursor?: string | null;
  readonly endCursor?: string | null;
};

/** The label of the pager that has, or had until its link was removed, the focus. */
let focusedPager: string | undefined;

/** The pager of which a link was followed, and the page that it left. */
let turned: { label: string; from: string | null | undefined } | undefined;

/** How many rows a page of the list has, the last one excepted. */
function useSize(list: string | undefined): number {
  const variables = useSource().variables as Record<string, unknown>;
  const of = (name: 'First' | 'Last') => variables[list ? list + name : name.toLowerCase()];
  return Number(of('First') ?? of('Last') ?? 0);
}

/** Walks through the pages of a list; see `pageOf`. */
export function Pager(props: {
  info: PageInfo;
  total?: number;
  label: string;
  /** The name of the list, as given to `pageOf`. */
  list?: string;
  /** The number of rows of the page: the next one then knows how many are before it. */
  rows?: number;
}) {
  const { info, total, label, list, rows } = props;
  const [search] = useSearchParams();
  const skipped = skippedOf(search, list);
  const size = useSize(list);
  const skip = (by: number) =>
    rows === undefined || skipped === undefined ? undefined : String(Math.max(0, skipped + by));
  const previous = info.hasPreviousPage && info.startCursor;
  const next = info.hasNextPage && info.endCursor;
  const nav = useRef<HTMLElement>(null);
  // A page that has no such link any more, or replaces the list, would move the focus to the top of the document.
  useEffect(() => {
    if (focusedPager === label && document.activeElement === document.body) nav.current?.focus();
  });
  // The pager is below its list, and a new page is read from the top.
  useEffect(() => {
    if (turned?.label !== label || turned.from === info.startCursor) return;
    turned = undefined;
    const list = nav.current?.closest('figure, section');
    const head = document.querySelector('.top')?.getBoundingClientRect().bottom ?? 0;
    if (list && list.getBoundingClientRect().top < Math.max(0, head)) list.scrollIntoView();
  });
  const link = (text: string, place: { after?: string; before?: string; skip?: string | undefined }) => (
    <ChangeLink
      changes={{
        [cursorName('after', list)]: place.after,
        [cursorName('before', list)]: place.before,
        [cursorName('skip', list)]: place.skip,
      }}
      onFollow={() => {
        turned = { label, from: info.startCursor };
      }}
    >
      {text}
    </ChangeLink>
  );
  return (
    <nav
      ref={nav}
      className="pager"
      aria-label={`Pages of ${label}`}
      tabIndex={-1}
      onFocus={() => {
        focusedPager = label;
      }}
      onBlur={({ relatedTarget }) => {
        if (relatedTarget) focusedPager = undefined;
      }}
    >
      {total !== undefined && (
        <span>
          {rows !== undefined && skipped !== undefined && total > rows
            ? `${count(skipped + 1)} to ${count(skipped + rows)} of ${count(total)}`
            : `${count(total)} in all`}
        </span>
      )}
      {previous && (
        <>
          {link('First', {})}
          {link('Previous', { before: previous, skip: skip(-size) })}
        </>
      )}
      {next && link('Next', { after: next, skip: skip(rows ?? 0) })}
    </nav>
  );
}
