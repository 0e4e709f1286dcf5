import { type ReactNode, useRef } from 'react';
import { useSearchParams } from 'react-router';
import { ChangeLink } from '../parts/controls.tsx';
import type { Order } from '../url/url-state.ts';
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

const keyOf = (row: object, index: number) => String((row as { id?: string }).id ?? index);

export function Table<Row extends object>(props: {
  /** Read by screen readers; shown when `showCaption`. */
  caption: string;
  showCaption?: boolean;
  columns: Column<Row>[];
  rows: readonly Row[];
  order?: Order;
}) {
  const { caption, showCaption = false, columns, rows, order } = props;
  const [search] = useSearchParams();
  const present = order?.read(search);
  const sortOf = (column: Column<Row>) =>
    present && column.order === present.field ? ariaSorts[present.direction] : undefined;
  const frame = useRef<HTMLElement>(null);
  useWideTable(frame);
  const side = (column: Column<Row>) => (column.numeric ? 'numeric' : undefined);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="scroll" ref={frame} tabIndex={0} aria-label={caption}>
      <table>
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
                const content = column.show ? column.show(row) : (column.value(row) ?? '–');
                return place === 0 ? (
                  <th key={column.head} scope="row" className={side(column)}>
                    {content}
                  </th>
                ) : (
                  <td key={column.head} className={side(column)}>
                    {content}
                  </td>
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

export function download(name: string, type: string, text: string) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
