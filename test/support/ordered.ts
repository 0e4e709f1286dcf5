import type { Gateway } from './gateway.ts';
import { walkCursor } from './walk.ts';

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

/** Every node of the connection `field`; `page` makes the query for arguments and takes $size, $cursor and $where. */
export const walkOrdered = (
  gateway: Gateway,
  field: string,
  page: (args: string) => string,
  args: string,
  { direction, ...variables }: { size: number; direction: 'forward' | 'backward'; where: object | null },
) => {
  const paging = direction === 'forward' ? 'first: $size, after: $cursor' : 'last: $size, before: $cursor';
  return walkCursor(gateway, field, page(`${args}, ${paging}`), direction, variables);
};
