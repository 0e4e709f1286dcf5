import {
  type CSSProperties,
  type MouseEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { useNavigate } from 'react-router';
import { Empty } from '../states.tsx';
import { at, base } from '../url/base.ts';
import { changed, newest, type Order } from '../url/url-state.ts';
import {
  type Draw,
  type Happening,
  MARGIN,
  type PlotLibrary,
  type PlotOverTime,
  plotsOverTime,
  type Series,
  withHappenings,
} from './plots.ts';
import { slug } from './save.ts';
import { Share, useLinked } from './share.tsx';
import { type Column, csvOf, saveCsv, Table } from './table.tsx';

const XLINK = 'http://www.w3.org/1999/xlink';
const NARROW = 480;
const HEIGHT = 260;

/** Marks of a plot with `href` and `ariaLabel` are links: names them, puts them on the gateway's path, and tells whether there are any. */
function nameLinks(drawn: Element): boolean {
  const links = drawn.querySelectorAll('a');
  for (const link of links) {
    const shape = link.firstElementChild;
    link.setAttribute('aria-label', shape?.getAttribute('aria-label') ?? '');
    link.setAttributeNS(XLINK, 'href', at(link.getAttributeNS(XLINK, 'href') ?? ''));
  }
  for (const shape of drawn.querySelectorAll(':not(a)[aria-label]')) shape.removeAttribute('aria-label');
  return links.length > 0;
}

function Plot<Row>(props: {
  draw: Draw<Row>;
  rows: readonly Row[];
  label: string;
  happenings: readonly Happening[] | undefined;
}) {
  const { draw, rows, label, happenings } = props;
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [library, setLibrary] = useState<PlotLibrary>();
  const navigate = useNavigate();
  const follow = (event: MouseEvent) => {
    const link = (event.target as Element).closest('a');
    if (!link || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    void navigate((link.getAttributeNS(XLINK, 'href') ?? '').slice(base.length));
  };
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    if (frame.current) watch.observe(frame.current);
    void import('./plot-library.ts').then(setLibrary, () => undefined);
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    if (!library || width === 0) return;
    const { time } = draw;
    const options = draw(library, rows, width);
    const drawn = library.plot({
      width,
      height: width < NARROW ? HEIGHT * 0.8 : HEIGHT,
      marginLeft: MARGIN,
      marginBottom: 32,
      style: { background: 'transparent', fontSize: '12px', overflow: 'visible' },
      ...(time && happenings ? withHappenings(options, library, time, rows, happenings) : options),
    });
    for (const svg of drawn.matches('svg') ? [drawn] : drawn.querySelectorAll('svg')) {
      svg.setAttribute('role', nameLinks(svg) ? 'group' : 'img');
      svg.setAttribute('aria-label', label);
    }
    const element = frame.current;
    element?.replaceChildren(drawn);
    if (element && time) plotsOverTime.set(element, { drawn, time, rows } as PlotOverTime);
    return () => {
      drawn.remove();
      if (element) plotsOverTime.delete(element);
    };
  }, [library, width, draw, rows, label, happenings]);
  const zoom = (from: string, to: string) =>
    navigate(`?${changed(newest(), { range: undefined, from, to })}`, { preventScrollReset: true });
  const point = ({ currentTarget }: { currentTarget: HTMLElement }) =>
    void import('./plot-pointing.ts').then(
      ({ pointing }) => pointing(currentTarget, zoom),
      () => undefined,
    );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the links of the plot have the keyboard, and its range has fields
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link is a click
    <div
      className="plot"
      data-over-time={draw.time && ''}
      ref={frame}
      onClick={follow}
      onPointerEnter={draw.time && point}
    />
  );
}

export type FigureProps<Row> = {
  title: string;
  /** Takes the whole width. */
  wide?: boolean;
  /** One sentence: what is shown, in which unit. */
  note?: ReactNode;
  columns: Column<Row>[];
  rows: readonly Row[];
  /** A constant of the module: a plot is drawn again when it changes. */
  draw?: Draw<Row>;
  /** What a plot over time marks; kept by the caller, since the plot is drawn again when it changes. */
  happenings?: readonly Happening[] | undefined;
  /** The legend, for more than one. */
  series?: Pick<Series<Row>, 'label' | 'color'>[] | undefined;
  /** What is said when there are no rows. */
  empty?: string;
  /** Makes heads of columns with `order` order the list on the server. */
  order?: Order;
  /** Below the table, such as a Pager. */
  children?: ReactNode;
  /** What of the response of the page it shows: objects, lists or paths of it. By default its rows, or what these hold. */
  parts?: readonly unknown[];
  /** The REST path that answers the same figures, for those who copy it. */
  rest?: string | undefined;
  /** Inputs that belong to this figure only. */
  controls?: ReactNode;
  /** Beside the CSV file of its rows. */
  extra?: ReactNode;
};

/** A plot with its table, a CSV file of it, and the query in GraphiQL. Without `draw` it is a table alone. */
export function Figure<Row extends object>(props: FigureProps<Row>) {
  const {
    title,
    note,
    columns,
    rows,
    draw,
    happenings,
    series,
    order,
    children,
    controls,
    extra,
    wide = false,
    empty = 'No data is stored for this.',
    parts = [rows],
    rest,
  } = props;
  const id = useId();
  const element = useRef<HTMLElement>(null);
  const anchor = `card:${slug(title)}`; // no code of a link that signs in has a colon
  useLinked(element, anchor);
  const save = () => saveCsv(title, csvOf(columns, rows));
  const table = <Table caption={title} columns={columns} rows={rows} {...(order && { order })} />;
  return (
    <figure className={wide ? 'figure wide' : 'figure'} id={anchor} aria-labelledby={id} ref={element}>
      <figcaption>
        <h2 id={id}>{title}</h2>
        {note && <p>{note}</p>}
        <div className="tools">
          {controls}
          {rows.length > 0 && (
            <button type="button" onClick={save} aria-label={`CSV of ${title}`}>
              CSV
            </button>
          )}
          {extra}
          <Share
            of={element}
            title={title}
            hasPlot={draw !== undefined && rows.length > 0}
            parts={parts}
            rest={rest}
          />
        </div>
      </figcaption>
      {rows.length === 0 && <Empty>{empty}</Empty>}
      {rows.length > 0 && draw && (
        <>
          {series && (
            <ul className="legend">
              {series.map((one) => (
                <li key={one.label} style={{ '--color': one.color } as CSSProperties}>
                  {one.label}
                </li>
              ))}
            </ul>
          )}
          <Plot
            draw={draw}
            rows={rows}
            label={`${title}. The table below has the figures.`}
            happenings={happenings}
          />
          <details>
            <summary>Table</summary>
            {table}
          </details>
        </>
      )}
      {rows.length > 0 && !draw && table}
      {children}
    </figure>
  );
}
