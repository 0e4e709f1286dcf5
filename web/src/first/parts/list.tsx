import { type Column, Table } from '../../figures/table.tsx';
import type { Order } from '../../url/url-state.ts';

/** A list of a page without its filters and links to other pages. */
export const list = <Row extends object>(
  title: string,
  columns: Column<Row>[],
  rows: readonly Row[],
  order?: Order,
) =>
  rows.length > 0 && (
    <figure className="figure">
      <Table caption={title} columns={columns} rows={rows} {...(order && { order })} />
    </figure>
  );
