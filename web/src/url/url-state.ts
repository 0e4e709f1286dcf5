import { Failure } from '../api/failure.ts';

/** A parameter of the URL: what it means when absent, and how it is written. A wrong value reads as an absent one. */
export type Param<T> = {
  name: string;
  fallback: T;
  read: (search: URLSearchParams) => T;
  write: (value: T) => string | undefined;
  /** What is wrong with a text as its value, or nothing. */
  problem: (text: string) => string;
};

/**
 * Cursors belong to one order and filter, so any other change removes them, and `skip`, which tells how many rows are
 * before the page. `blocks-after` is of the list `blocks`.
 */
export const isCursor = (name: string) => /^([a-z]+-)?(after|before|skip)$/.test(name);

let wrong: string[] | undefined;

/** Throws if `work` reads a wrong value: its page would look like the answer to another address. */
export function strictly<T>(work: () => T): T {
  const found: string[] = [];
  wrong = found;
  try {
    const result = work();
    if (found.length > 0) throw new Failure('input', found.join(' '));
    return result;
  } finally {
    wrong = undefined;
  }
}

export function param<T>(
  name: string,
  fallback: T,
  parse: (text: string) => T | undefined,
  form = '',
): Param<T> {
  return {
    name,
    fallback,
    read: (search) => {
      const given = search.get(name);
      if (given === null) return fallback;
      const value = parse(given);
      if (value === undefined) wrong?.push(`${name} is “${given.slice(0, 80)}”, but must be ${form}.`);
      return value ?? fallback;
    },
    write: (value) => (value === fallback ? undefined : String(value)),
    problem: (given) => (parse(given) === undefined ? `It must be ${form}.` : ''),
  };
}

export const oneOf = <const T extends string>(name: string, values: readonly T[], fallback: NoInfer<T>) => ({
  ...param<T>(
    name,
    fallback,
    (text) => values.find((value) => value === text),
    `one of ${values.join(', ')}`,
  ),
  values,
});
export const text = (name: string) => param(name, '', (given) => given);
export const MAX_INTEGER = 999_999_999;
export const integer = (name: string) =>
  param<number | undefined>(
    name,
    undefined,
    (given) => (/^\d{1,9}$/.test(given) ? Number(given) : undefined),
    `a whole number up to ${MAX_INTEGER.toLocaleString('en')}`,
  );
/** True for a real date: Date.parse reads the 31st of February as a day of March. */
const isDate = (given: string) =>
  /^\d{4}-\d\d-\d\d$/.test(given) &&
  !Number.isNaN(Date.parse(given)) &&
  new Date(given).toISOString().startsWith(given);
export const date = (name: string) =>
  param<string | undefined>(
    name,
    undefined,
    (given) => (isDate(given) ? given : undefined),
    'a date like 2026-03-31',
  );

/** A calendar month such as `2025-10`. */
export const month = (name: string, fallback: string) =>
  param(
    name,
    fallback,
    (given) => (/^\d{4}-(0[1-9]|1[0-2])$/.test(given) ? given : undefined),
    'a month like 2026-03',
  );

export type Direction = 'ASC' | 'DESC';

/** The order of a list, by the names of the schema's enum. */
export const orderBy = <const T extends string>(
  fields: readonly T[],
  fallback: NoInfer<T>,
  direction: Direction = 'DESC',
) => {
  const of = oneOf('order', fields, fallback);
  const way = oneOf('direction', ['ASC', 'DESC'] as const, direction);
  return {
    fallback: { field: fallback, direction },
    read: (search: URLSearchParams) => ({ field: of.read(search), direction: way.read(search) }),
  };
};
export type Order = ReturnType<typeof orderBy>;

/** The parameter of a cursor; lists have names on pages with several. */
export const cursorName = (cursor: 'after' | 'before' | 'skip', list?: string) =>
  list ? `${list}-${cursor}` : cursor;

/** How many rows of a list are before the page; undefined if a cursor does not show it. */
export function skippedOf(search: URLSearchParams, list?: string): number | undefined {
  const given = search.get(cursorName('skip', list));
  if (given !== null && /^\d{1,9}$/.test(given)) return Number(given);
  const hasCursor = (['after', 'before'] as const).some((cursor) => search.has(cursorName(cursor, list)));
  return hasCursor ? undefined : 0;
}

/** The arguments of a page of a connection; its cursors are in the URL. */
export function pageOf(search: URLSearchParams, size: number, list?: string) {
  const before = search.get(cursorName('before', list));
  return before
    ? { first: null, after: null, last: size, before }
    : { first: size, after: search.get(cursorName('after', list)), last: null, before: null };
}

type ListVariables<List extends string> = Record<`${List}First` | `${List}Last`, number | null> &
  Record<`${List}After` | `${List}Before`, string | null>;

/** The page of a list as variables of a document, such as `queueFirst` of the list `queue`. */
export function listOf<List extends string>(search: URLSearchParams, size: number, list: List) {
  const variables = Object.entries(pageOf(search, size, list)).map(([name, value]) => [
    `${list}${name[0]?.toUpperCase()}${name.slice(1)}`,
    value,
  ]);
  return Object.fromEntries(variables) as ListVariables<List>;
}

/** Search parameters after a change. */
export function changed(search: URLSearchParams, changes: Record<string, string | undefined>) {
  const next = new URLSearchParams(search);
  if (!Object.keys(changes).some(isCursor))
    for (const name of [...next.keys()].filter(isCursor)) next.delete(name);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') next.delete(name);
    else next.set(name, value);
  }
  return next;
}

/** Search parameters of the newest navigation: React shows the page before until there is data. */
export const newest = () => new URLSearchParams(location.search);
