import { useRef, useState } from 'react';
import { fetchQuery } from 'react-relay';
import type { GraphQLTaggedNode, OperationType } from 'relay-runtime';
import { environment } from '../api/environment.ts';
import { patiently } from '../api/patience.ts';
import { count } from '../parts/format.ts';
import { rankColumn } from './columns.tsx';
import { type Column, csvOf, saveCsv } from './table.tsx';

type Part<Row> = {
  readonly nodes: readonly Row[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null | undefined };
};
/** A part of a list, after the cursor of the part before. */
export type Whole<Row> = (after: string | null) => Promise<Part<Row> | null | undefined>;

/** Rows of a part: the longest page of the API. */
const PART = 200;

/** Reads a list by a document of its own, which has the variables `first` and `after`. */
export const wholeOf =
  <Q extends OperationType, Row>(
    document: GraphQLTaggedNode,
    variables: Omit<Q['variables'], 'first' | 'after'>,
    part: (data: Q['response']) => Part<Row> | null | undefined,
  ): Whole<Row> =>
  async (after) => {
    const data = await fetchQuery<Q>(environment, document, { ...variables, first: PART, after }).toPromise();
    return data && part(data);
  };

/** Reads the whole list with the document of a page that has little besides the list. */
export const wholeOfPage = <Q extends OperationType, Row>(
  document: GraphQLTaggedNode,
  variables: Q['variables'],
  part: (data: Q['response']) => Part<Row> | null | undefined,
) => wholeOf<Q, Row>(document, { ...variables, last: null, before: null }, part);

/** Longer lists would keep a browser busy for minutes; filters make them shorter. */
const MOST = 50_000;

/** Saves all rows of a list as CSV, and shows how far it is. A second click stops it. */
export function WholeList<Row extends object>(props: {
  title: string;
  columns: Column<Row>[];
  total: number;
  whole: Whole<Row>;
  isRanked: boolean;
}) {
  const { title, columns, total, whole, isRanked } = props;
  const [read, setRead] = useState<number>();
  const [failure, setFailure] = useState<string>();
  const stop = useRef<AbortController>(undefined);
  async function save() {
    stop.current = new AbortController();
    const { signal } = stop.current;
    const rows: Row[] = [];
    setFailure(undefined);
    setRead(0);
    try {
      let after: string | null = null;
      do {
        const from: string | null = after;
        const part: Part<Row> | null | undefined = await patiently(() => whole(from), { signal });
        if (signal.aborted) return;
        rows.push(...(part?.nodes ?? []));
        setRead(rows.length);
        after = (part?.pageInfo.hasNextPage && part.pageInfo.endCursor) || null;
      } while (after !== null);
      const saved = columns.filter(({ isOfPage }) => !isOfPage);
      saveCsv(`${title} all`, csvOf(isRanked ? [rankColumn(rows, 0), ...saved] : saved, rows));
    } catch (error) {
      if (!signal.aborted) setFailure((error as Error).message);
    } finally {
      setRead(undefined);
    }
  }
  if (total > MOST)
    return (
      <span title={`Filter the list: files have at most ${count(MOST)} rows.`}>Too long for a file</span>
    );
  if (read !== undefined)
    return (
      <button type="button" onClick={() => stop.current?.abort()}>
        <span role="status">{`Stop at ${count(read)} of ${count(total)}`}</span>
      </button>
    );
  return (
    <>
      {failure && <span role="alert">{failure}</span>}
      <button type="button" onClick={() => void save()} aria-label={`All ${count(total)} as CSV: ${title}`}>
        All {count(total)} as CSV
      </button>
    </>
  );
}
