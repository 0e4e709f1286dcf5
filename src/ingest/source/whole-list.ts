import { isLosslessNumber } from 'lossless-json';
import { SourceError } from './source.ts';

type Envelope = Record<string, unknown>;

/** Names of the row lists of REST bodies; no row has these fields. */
export const listNames = new Set(['data', 'results']);

const isContainer = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !isLosslessNumber(value);

const isRowList = (value: object, key: string, member: unknown): member is unknown[] =>
  !Array.isArray(value) && listNames.has(key) && Array.isArray(member);

export const holdsList = (value: unknown): boolean =>
  isContainer(value) &&
  Object.entries(value).some(([key, member]) => isRowList(value, key, member) || holdsList(member));

function linkOf(link: unknown): { position: number; list: string } | undefined {
  if (typeof link !== 'string' || !URL.canParse(link, 'http://localhost')) return undefined;
  const { pathname, searchParams } = new URL(link, 'http://localhost');
  const position = Number(searchParams.get('from') ?? searchParams.get('offset') ?? Number.NaN);
  if (!searchParams.has('revision')) return undefined;
  for (const name of ['from', 'size', 'offset', 'limit']) searchParams.delete(name);
  searchParams.sort();
  return { position, list: `${pathname}?${searchParams}` };
}

export type WholeList = ReturnType<typeof wholeList>;

/** Checks that bodies form a whole list of one revision. Bodies of different revisions may lack a row that moved. */
export function wholeList() {
  let rows = 0;
  let first: Envelope | undefined;
  let list: string | undefined;
  let state: 'begun' | 'ended' | 'unknown' = 'begun';

  const follows = (body: Envelope): boolean => {
    if ('results' in body) {
      const previous = body.previous ?? null;
      return rows === 0 ? previous === null : list !== undefined && linkOf(previous)?.list === list;
    }
    const from = (body.page as Envelope | undefined)?.from ?? 0;
    return (body.previous ?? null) === null && String(from) === String(rows);
  };
  const stateAfter = (body: Envelope, count: number): typeof state => {
    first ??= body;
    const alike = ['total', 'pages'].every((name) => String(body[name]) === String(first?.[name]));
    if (state !== 'begun' || !alike || !follows(body)) return 'unknown';
    rows += count;
    if ((body.next ?? null) === null) {
      return 'results' in body || String(body.total) === String(rows) ? 'ended' : 'unknown';
    }
    const next = linkOf(body.next);
    list ??= next?.list;
    return next?.position === rows && next.list === list ? 'begun' : 'unknown';
  };
  return {
    body(body: Envelope, count: number) {
      state = stateAfter(body, count);
    },
    complete: () => state === 'ended',
  };
}

/** From the first row to before the last. */
export type RowRange = { from: number; to: number };

/**
 * Adds the REST bodies in `value` to `whole`. Each list of rows in it has an index of `lists` in place of the rows. Throws a
 * SourceError for an object with lists of rows and with some of `fields`. Returns the range of all rows in the value.
 */
export function addBodies(
  value: unknown,
  lists: readonly RowRange[],
  into: { name: string; fields: ReadonlySet<string>; whole: WholeList },
): RowRange | undefined {
  if (!isContainer(value)) return undefined;
  let rows: RowRange | undefined;
  let field: string | undefined;
  let isBody = false;
  for (const [key, member] of Object.entries(value)) {
    const isList = isRowList(value, key, member);
    isBody ||= isList;
    const found = isList ? lists[Number(String(member[0]))] : addBodies(member, lists, into);
    if (!found && into.fields.has(key)) field ??= key;
    if (found) {
      const { from, to } = rows ?? found;
      rows = { from: Math.min(from, found.from), to: Math.max(to, found.to) };
    }
  }
  if (rows && field) {
    const place = rows.to > 1 ? ` after row ${rows.to - 1}` : '';
    const names = [...listNames].join(' or ');
    throw new SourceError(
      `${into.name}: an object${place} has the field ${field} and contains a list named ${names}. A row must not contain such a list, and a body with rows must not have fields of rows.`,
    );
  }
  if (rows && isBody) into.whole.body(value as Envelope, rows.to - rows.from);
  return rows;
}
