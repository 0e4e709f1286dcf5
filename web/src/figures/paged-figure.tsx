import { type ReactNode, useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { useAnnounced } from '../api/announced.ts';
import { type PageInfo, Pager } from '../parts/pager.tsx';
import { skippedOf } from '../url/url-state.ts';
import { rankColumn } from './columns.tsx';
import { Figure, type FigureProps } from './figure.tsx';
import { type Whole, WholeList } from './whole-list.tsx';

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
    /** Makes a file of all rows, not only of those of the page. */
    whole?: Whole<Row>;
    /** Numbers the rows through all pages. */
    isRanked?: boolean;
    /** Between the table and the links. */
    children?: ReactNode;
  },
) {
  const { of, label, list, whole, children, columns, isRanked = false, ...figure } = props;
  const [search] = useSearchParams();
  const rows = of?.nodes ?? [];
  const skipped = skippedOf(search, list);
  const ranked = useMemo(
    () => (isRanked ? [rankColumn<Row>(rows, skipped), ...columns] : columns),
    [isRanked, rows, skipped, columns],
  );
  useAnnounced(list ? undefined : of?.totalCount);
  return (
    <Figure
      parts={[of]}
      {...figure}
      columns={ranked}
      rows={rows}
      extra={
        whole &&
        of &&
        of.totalCount > rows.length && (
          <WholeList
            title={figure.title}
            columns={columns}
            total={of.totalCount}
            whole={whole}
            isRanked={isRanked}
          />
        )
      }
    >
      {children}
      {of && of.totalCount > 0 && (
        <Pager
          info={of.pageInfo}
          total={of.totalCount}
          label={label}
          rows={rows.length}
          {...(list && { list })}
        />
      )}
    </Figure>
  );
}
