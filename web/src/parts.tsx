import {
  Children,
  type CSSProperties,
  type FormEvent,
  type MouseEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
} from 'react';
import { graphql } from 'react-relay';
import { Link, type LinkProps, useNavigate, useSearchParams } from 'react-router';
import { ago, count, momentUtc } from './format.ts';
import { hasPage } from './links.ts';
import { useHref } from './network.ts';
import { changed, cursorName, MAX_INTEGER, newest, type Param, useParam } from './url-state.ts';

/** Until when the figures of a page go. */
export type AsOf =
  | { readonly epoch?: number | null; readonly slot?: number | null; readonly time: string }
  | null
  | undefined;

export function Heading(props: { title: string; about?: ReactNode; asOf?: AsOf; children?: ReactNode }) {
  const { title, about, asOf, children } = props;
  return (
    <header className="heading">
      <title>{`${title} · stakegraph`}</title>
      <div>
        <h1>{title}</h1>
        {about && <p className="about">{about}</p>}
        {asOf && (
          <p className="as-of">
            Data as of <time dateTime={asOf.time}>{momentUtc(asOf.time)}</time> ({ago(asOf.time)})
            {asOf.epoch != null && `, epoch ${asOf.epoch}`}
          </p>
        )}
      </div>
      {children && <div className="controls">{children}</div>}
    </header>
  );
}

export type TileProps = {
  label: string;
  unit?: string;
  exact?: string;
  note?: ReactNode;
  children: ReactNode;
};

/** A figure in large type. `exact` is its full value, when `children` is shortened. */
export function Tile(props: TileProps) {
  const { label, unit, exact, note, children } = props;
  return (
    <div className="tile">
      <dt>{label}</dt>
      <dd>
        <span className="value" title={exact}>
          {children}
          {unit && <small> {unit}</small>}
        </span>
        {note && <span className="note">{note}</span>}
      </dd>
    </div>
  );
}

/** The most tiles in a row, by the width of the screen; see styles.css. */
const mostTiles = { '--narrow': 2, '--medium': 4, '--large': 5, '--wide': 8 };

/** Tiles in rows of about equal length, so that none is left alone. */
export function Tiles({ children }: { children: ReactNode }) {
  const number = Children.toArray(children).length;
  const inRow = (most: number) => Math.ceil(number / Math.ceil(number / most));
  const style = Object.fromEntries(Object.entries(mostTiles).map(([name, most]) => [name, inRow(most)]));
  return (
    <dl className="tiles" style={style as CSSProperties}>
      {children}
    </dl>
  );
}

export const TileList = ({ tiles }: { tiles: readonly TileProps[] }) => (
  <Tiles>
    {tiles.map((tile) => (
      <Tile key={tile.label} {...tile} />
    ))}
  </Tiles>
);

/** A list of values of one parameter of the URL. */
export function Choice<T extends string>(props: {
  param: Param<T> & { values: readonly T[] };
  label: string;
  names?: Partial<Record<T, string>>;
}) {
  const { param, label, names } = props;
  const [value, set] = useParam(param);
  return (
    <fieldset className="choice">
      <legend className="visually-hidden">{label}</legend>
      {param.values.map((one) => (
        <label key={one}>
          <input type="radio" name={param.name} checked={one === value} onChange={() => set(one)} />
          <span>{names?.[one] ?? one}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** As Choice, for more values than have room beside each other. */
export function Select<T extends string>(props: {
  param: Param<T> & { values: readonly T[] };
  label: string;
  names?: Partial<Record<T, string>>;
}) {
  const { param, label, names } = props;
  const [value, set] = useParam(param);
  return (
    <label className="field">
      {label}
      <select name={param.name} value={value} onChange={({ target }) => set(target.value as T)}>
        {param.values.map((one) => (
          <option key={one} value={one}>
            {names?.[one] ?? one}
          </option>
        ))}
      </select>
    </label>
  );
}

/**
 * A link that changes parameters of the URL. While rows of other parameters are loading, React shows the page before them
 * with its links; a click keeps those parameters too.
 */
export function ChangeLink(
  props: Omit<LinkProps, 'to' | 'onClick'> & { changes: Record<string, string | undefined> },
) {
  const { changes, preventScrollReset = true, ...rest } = props;
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(`?${changed(newest(), changes)}`, { preventScrollReset });
  };
  return <Link {...rest} to={`?${changed(search, changes)}`} onClick={follow} />;
}

/** A text, number or date of the URL; Enter or leaving the field applies it. */
export function Field(props: {
  param: Param<string> | Param<number | undefined> | Param<string | undefined>;
  label: string;
  type?: 'text' | 'number' | 'date' | 'search';
  /** Other parameters that a value changes. */
  also?: (value: string) => Record<string, string | undefined>;
}) {
  const { param, label, type = 'text', also } = props;
  const [search, setSearch] = useSearchParams();
  const id = useId();
  const value = String(param.read(search) ?? '');
  const apply = (form: HTMLFormElement) => {
    const next = String(new FormData(form).get(param.name)).trim();
    if (next === value) return;
    setSearch(changed(newest(), { [param.name]: next, ...also?.(next) }), { preventScrollReset: true });
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    apply(event.currentTarget);
  };
  return (
    <form className="field" onSubmit={submit}>
      <label htmlFor={id}>{label}</label>
      <input
        key={value}
        id={id}
        name={param.name}
        type={type}
        min={type === 'number' ? 0 : undefined}
        max={type === 'number' ? MAX_INTEGER : undefined}
        defaultValue={value}
        onBlur={({ currentTarget: { form } }) => form?.checkValidity() && apply(form)}
        // Chromium submits no form by Enter in a date.
        onKeyDown={({ key, currentTarget }) =>
          key === 'Enter' && type === 'date' && currentTarget.form?.requestSubmit()
        }
      />
    </form>
  );
}

graphql`
  fragment parts_pageInfo on PageInfo {
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

/** Walks through the pages of a list; see `pageOf`. */
export function Pager(props: {
  info: PageInfo;
  total?: number;
  label: string;
  /** The name of the list, as given to `pageOf`. */
  list?: string;
}) {
  const { info, total, label, list } = props;
  const [search] = useSearchParams();
  const to = ({ after, before }: { after?: string; before?: string }) =>
    `?${changed(search, { [cursorName('after', list)]: after, [cursorName('before', list)]: before })}`;
  const previous = info.hasPreviousPage && info.startCursor;
  const next = info.hasNextPage && info.endCursor;
  const nav = useRef<HTMLElement>(null);
  // A page that has no such link any more, or replaces the list, would move the focus to the top of the document.
  useEffect(() => {
    if (focusedPager === label && document.activeElement === document.body) nav.current?.focus();
  });
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
      {total !== undefined && <span>{count(total)} in all</span>}
      {previous && (
        <>
          <Link to={to({})} preventScrollReset>
            First
          </Link>
          <Link to={to({ before: previous })} preventScrollReset>
            Previous
          </Link>
        </>
      )}
      {next && (
        <Link to={to({ after: next })} preventScrollReset>
          Next
        </Link>
      )}
    </nav>
  );
}

/** A part of a whole as a bar; `text` is the figure beside it. */
export const Share = ({ value, of = 1, text }: { value: number; of?: number; text: string }) => (
  <span className="share">
    <span className="bar" aria-hidden="true">
      <span style={{ width: `${Math.min(100, (100 * value) / of)}%` }} />
    </span>
    <span>{text}</span>
  </span>
);

/** A small trend line for a row of a table, oldest value first. */
export function Spark({ values, label }: { values: readonly (number | null | undefined)[]; label: string }) {
  const points = values.flatMap((value, index) => (value == null ? [] : [[index, value] as const]));
  if (points.length < 2) return null;
  const all = points.map(([, value]) => value);
  const least = Math.min(...all);
  const range = Math.max(...all) - least || 1;
  const [width, height] = [96, 24];
  const drawn = points.map(([index, value]) => {
    const x = (index / (values.length - 1)) * width;
    return `${x.toFixed(1)},${(height - 2 - ((value - least) / range) * (height - 4)).toFixed(1)}`;
  });
  return (
    <svg
      className="spark"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label={label}
    >
      <polyline points={drawn.join(' ')} fill="none" stroke="var(--series-1)" strokeWidth="1.5" />
    </svg>
  );
}

/** A link to a page of the same network; plain text when there is no such page. */
export function PageLink({ to, children }: { to: string; children: ReactNode }) {
  const href = useHref();
  return hasPage(to) ? <Link to={href(to)}>{children}</Link> : children;
}

/** Single facts of one object, a name and a value each. */
export function Facts({ title, facts }: { title: string; facts: readonly (readonly [string, ReactNode])[] }) {
  const id = useId();
  return (
    <section className="figure" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <dl className="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value ?? '–'}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
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
