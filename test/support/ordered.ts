import type { Gateway } from './gateway.ts';

const bytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
const compare = (a: string | number, b: string | number) =>
  typeof a === 'string' && typeof b === 'string' ? bytes(a, b) : Number(a) - Number(b);

/** Rows by value and key, both in the direction; those without a value last, by key. */
export function byOrder<Row>(
  rows: readonly Row[],
  orderedBy: (row: Row) => string | number | null,
  keyOf: (row: Row) => string | number,
  direction: 'ASC' | 'DESC',
): Row[] {
  const sign = direction === 'ASC' ? 1 : -1;
  return [...rows].sort((a, b) => {
    const [x, y] = [orderedBy(a), orderedBy(b)];
    if ((x === null) !== (y === null)) return x === null ? 1 : -1;
    return sign * ((x === null || y === null ? 0 : compare(x, y)) || compare(keyOf(a), keyOf(b)));
  });
}

/** Every node of the connection `field`, by cursor; `page` makes the query for arguments and takes $size, $cursor and $where. */
export async function walkOrdered(
  gateway: Gateway,
  field: string,
  page: (args: string) => string,
  args: string,
  { size, direction, where }: { size: number; direction: 'forward' | 'backward'; where: object | null },
): Promise<any[]> {
  const isForward = direction === 'forward';
  const query = page(`${args}, ${isForward ? 'first: $size, after' : 'last: $size, before'}: $cursor`);
  const pages: any[][] = [];
  for (let cursor: string | null = null; ; ) {
    const { data, errors } = await gateway.graphql(query, { size, cursor, where });
    if (errors) throw new Error(JSON.stringify(errors));
    const { edges, pageInfo, totalCount }: any = data[field];
    pages.push(edges.map((edge: any) => edge.node));
    if (!(isForward ? pageInfo.hasNextPage : pageInfo.hasPreviousPage)) {
      const nodes = (isForward ? pages : pages.reverse()).flat();
      if (totalCount !== nodes.length) throw new Error(`totalCount ${totalCount}, ${nodes.length} rows`);
      return nodes;
    }
    cursor = isForward ? pageInfo.endCursor : pageInfo.startCursor;
  }
}
