import { type ClipboardEvent, type KeyboardEvent, type ReactNode, useMemo, useRef } from 'react';
import { useSearchParams } from 'react-router';
import { ChangeLink } from '../parts/controls.tsx';
import { columnFormat, exactText } from '../parts/format.ts';
import type { Order } from '../url/url-state.ts';
import { save } from './save.ts';
import { useWideTable } from './wide-table.ts';

/** A column of a table and of its CSV file. */
export type Column<Row> = {
  head: string;
  /** The head in the CSV file, when it needs a unit that the table shows beside each figure. */
  csv?: string;
  /** The exact value, for CSV; in the unit that the head names. */
  value: (row: Row) => string | number | null | undefined;
  /** How the table shows it; the value itself when absent. */
  show?: (row: Row) => ReactNode;
  numeric?: boolean;
  /** The table writes the value, or what this makes of it, in the unit of the head, with six significant digits at most. */
  figure?: boolean | ((value: string | number) => string | number);
  /** Left out of the file of the whole list, because it would cost too much there. */
  isOfPage?: boolean;
  /** The place of the row in the whole list: the column after it names the row. */
  isRank?: boolean;
  /** What the server orders by for this column. */
  order?: string;
};

/** A head that orders the list by its column; a second time the other way round. */
function OrderLink({ order, field, children }: { order: Order; field: string; children: ReactNode }) {
  const [search] = useSearchParams();
  const { fallback } = order;
  const present = order.read(search);
  const isPresent = present.field === field;
  const direction = isPresent && present.direction === 'DESC' ? 'ASC' : 'DESC';
  const changes = {
    order: field === fallback.field ? undefined : field,
    direction: direction === fallback.direction ? undefined : direction,
  };
  return (
    <ChangeLink changes={changes} data-direction={isPresent ? present.direction : undefined}>
      {children}
    </ChangeLink>
  );
}

const ariaSorts = { ASC: 'ascending', DESC: 'descending' } as const;

/** The text of each cell, and its exact value for the tooltip and for copying. */
function cellsOf<Row>({ value, show, figure }: Column<Row>, rows: readonly Row[]) {
  if (!figure) return (row: Row) => ({ content: show ? show(row) : (value(row) ?? '–'), exact: undefined });
  const shown = (row: Row) => {
    const of = value(row);
    return of == null || typeof figure === 'boolean' ? of : figure(of);
  };
  const write = columnFormat(rows.map(shown));
  return (row: Row) => {
    const of = shown(row);
    const [content, exact] = [write(of), of == null ? undefined : exactText(of)];
    return { content: show && of != null ? show(row) : content, exact };
  };
}

const exactCell = (node: Node | null) =>
  (node instanceof Element ? node : node?.parentElement)?.closest<HTMLElement>('[data-exact]');

/** Cells that are copied have all their digits, as in CSV. */
function copyExact(event: ClipboardEvent<HTMLElement>) {
  const { clipboardData } = event;
  const selection = getSelection();
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return;
  const copied = selection.getRangeAt(0).cloneContents();
  const within = exactCell(selection.getRangeAt(0).commonAncestorContainer);
  if (within && selection.toString().trim() === within.textContent)
    copied.replaceChildren(within.cloneNode(true));
  const cells = [...copied.querySelectorAll<HTMLElement>('[data-exact]')];
  if (cells.length === 0) return;
  for (const cell of cells) cell.textContent = cell.dataset.exact ?? '';
  const rows = [...copied.querySelectorAll('tr')];
  const lines = (rows.length > 0 ? rows : [copied]).map((row) =>
    [...row.querySelectorAll('th, td')].map((cell) => cell.textContent?.trim() ?? '').join('\t'),
  );
  const table = document.createElement('table');
  table.append(copied);
  clipboardData.setData('text/plain', lines.join('\n'));
  clipboardData.setData('text/html', table.outerHTML);
  event.preventDefault();
}

/** Arrow keys move from a link of a row to that of the next one in the same column. */
function moveByRows(event: KeyboardEvent<HTMLElement>) {
  const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity };
  const step = steps[event.key];
  const cell = (event.target as Element).closest<HTMLTableCellElement>('tbody :is(th, td)');
  const row = cell?.parentElement as HTMLTableRowElement | null | undefined;
  if (!step || !cell || !row || event.ctrlKey || event.metaKey || event.altKey) return;
  const rows = [...(row.parentElement as HTMLTableSectionElement).rows];
  const index = Math.min(rows.length - 1, Math.max(0, rows.indexOf(row) + step));
  const link = rows[index]?.cells[cell.cellIndex]?.querySelector('a') ?? rows[index]?.querySelector('a');
  if (!link) return;
  event.preventDefault();
  link.focus();
}

/** Columns that have a figure in some row; those by which the list is ordered stay. */
const filled = <Row,>(columns: readonly Column<Row>[], rows: readonly Row[]) =>
  columns.filter(({ order, value }) => order || rows.some((row) => (value(row) ?? '') !== ''));

const keyOf = (row: object, index: number) => String((row as { id?: string }).id ?? index);

export function Table<Row extends object>(props: {
  /** Read by screen readers; shown when `showCaption`. */
  caption: string;
  showCaption?: boolean;
  columns: Column<Row>[];
  rows: readonly Row[];
  order?: Order;
}) {
  const { caption, showCaption = false, rows, order } = props;
  const columns = useMemo(() => filled(props.columns, rows), [props.columns, rows]);
  const [search] = useSearchParams();
  const present = order?.read(search);
  const sortOf = (column: Column<Row>) =>
    present && column.order === present.field ? ariaSorts[present.direction] : undefined;
  const frame = useRef<HTMLElement>(null);
  useWideTable(frame);
  const side = (column: Column<Row>) => (column.numeric ? 'numeric' : undefined);
  const isRanked = columns[0]?.isRank === true;
  const named = isRanked ? 1 : 0;
  const cells = useMemo(() => columns.map((column) => cellsOf(column, rows)), [columns, rows]);
  return (
    <section
      className="scroll"
      ref={frame}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label={caption}
      onCopy={copyExact}
      onKeyDown={moveByRows}
    >
      <table className={isRanked ? 'ranked' : undefined}>
        <caption className={showCaption ? undefined : 'visually-hidden'}>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.head} scope="col" className={side(column)} aria-sort={sortOf(column)}>
                {order && column.order ? (
                  <OrderLink order={order} field={column.order}>
                    {column.head}
                  </OrderLink>
                ) : (
                  column.head
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={keyOf(row, index)}>
              {columns.map((column, place) => {
                const { content, exact } = cells[place]?.(row) ?? {};
                const Cell = place === named ? 'th' : 'td';
                const title = exact !== undefined && exact !== content ? exact : undefined;
                return (
                  <Cell
                    key={column.head}
                    {...(place === named && { scope: 'row' })}
                    className={side(column)}
                    title={title}
                    data-exact={exact}
                  >
                    {content}
                  </Cell>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** A cell of RFC 4180; spreadsheets would run a text that begins like a formula. */
function cell(value: string | number | null | undefined, numeric: boolean | undefined): string {
  const text = String(value ?? '');
  const safe = !numeric && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const csvOf = <Row,>(columns: Column<Row>[], rows: readonly Row[]): string =>
  [
    columns.map(({ head, csv = head }) => cell(csv, false)),
    ...rows.map((row) => columns.map(({ value, numeric }) => cell(value(row), numeric))),
  ]
    .map((cells) => `${cells.join(',')}\r\n`)
    .join('');

/** Without it, Excel shows names such as Zoë wrong. */
const BYTE_ORDER_MARK = '\ufeff';

export const saveCsv = (title: string, text: string) =>
  save(title, 'csv', new Blob([BYTE_ORDER_MARK + text], { type: 'text/csv;charset=utf-8' }));
