import type { ReactNode } from 'react';
import { useAnnounced } from '../api/announced.ts';
import { type PageInfo, Pager } from '../parts/pager.tsx';
import { Figure, type FigureProps } from './figure.tsx';

type Connection<Row> = {
  readonly totalCount: number;
  readonly pageInfo: PageInfo;
  readonly nodes: readonly Row[];
};

/** A table of one page of a connection, with links to its other pages. */
export function PagedFigure<Row extends object>(
  props: Omit<FigureProps<Row>, 'rows'> & {
    of: Connection<Row> | null | undefined;
    /** What the pages are of. */
    label: string;
    /** The name of the list, as given to `pageOf`. */
    list?: string;
    /** Between the table and the links. */
    children?: ReactNode;
  },
) {
  const { of, label, list, children, ...figure } = props;
  useAnnounced(list ? undefined : of?.totalCount);
  return (
    <Figure {...figure} rows={of?.nodes ?? []}>
      {children}
      {of && of.totalCount > 0 && (
        <Pager info={of.pageInfo} total={of.totalCount} label={label} {...(list && { list })} />
      )}
    </Figure>
  );
}
