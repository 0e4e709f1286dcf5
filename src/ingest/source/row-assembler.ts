import { isLosslessNumber, LosslessNumber } from 'lossless-json';
import type { Token } from 'stream-json/parser.js';
import { listNames } from './elements.ts';
import { MAX_LEVELS, MAX_VALUES, type RawRow, repeatedKey, SourceError } from './source.ts';
import type { Envelope, WholeList } from './whole-list.ts';

type Open = {
  value: unknown[] | Envelope;
  key: string;
  /** True if the elements of `value` are rows. */
  list: boolean;
  /** True if `value` contains a list of rows. */
  holds: boolean;
  /** True if a list of rows is a direct member of `value`. */
  body: boolean;
  before: number;
};

const isContainer = (value: unknown) =>
  typeof value === 'object' && value !== null && !isLosslessNumber(value);

/**
 * Makes rows from the tokens of JSON documents. `next` is shared with the other reader of rows. A row has some of
 * `fields`, and must not contain a list that would be taken for rows.
 */
export function rowAssembler(
  name: string,
  fields: ReadonlySet<string>,
  next: { place: number },
  whole: WholeList,
) {
  const count = () => next.place - 1;
  const open: Open[] = [];
  let batch: RawRow[] = [];
  /** Depth of the REST body's list of rows that the parser is in. Arrays inside this list belong to rows. */
  let sealed: number | undefined;
  let begins = false;
  let ended = false;
  /** Values since the last row. */
  let values = 0;

  const row = (value: unknown) => {
    values = 0;
    if (sealed === undefined) whole.stray();
    batch.push({ value, place: next.place });
    next.place += 1;
    ended = true;
  };
  const beginsList = (parent: Open | undefined): boolean => {
    if (sealed !== undefined) return false;
    if (!parent || parent.list) return true;
    if (Array.isArray(parent.value) || !listNames.has(parent.key)) return false;
    for (const one of open) one.holds = true;
    parent.body = true;
    put(parent.value, parent.key, []);
    sealed = open.length + 1;
    return true;
  };
  const refuseMany = (what: string) => {
    throw new SourceError(`${name}: has more than ${what} in one value.`);
  };
  const start = (value: unknown[] | Envelope) => {
    if (open.length === MAX_LEVELS) refuseMany(`${MAX_LEVELS} levels of nesting`);
    const list = Array.isArray(value) && beginsList(open.at(-1));
    open.push({ value, key: '', list, holds: false, body: false, before: count() });
    begins = list;
  };
  const add = (value: unknown) => {
    values += 1;
    if (values > MAX_VALUES) refuseMany(`${MAX_VALUES} values`);
    const parent = open.at(-1);
    if (!parent && count() > 0 && !isContainer(value)) throw new Error('unexpected characters');
    if (!parent || parent.list) row(value);
    else if (Array.isArray(parent.value)) parent.value.push(value);
    else put(parent.value, parent.key, value);
  };
  const end = () => {
    const { value, list, holds, body, before } = open.pop() as Open;
    if (sealed === open.length + 1) sealed = undefined;
    if (open.length === 0) ended = true;
    const field = holds && Object.keys(value).find((key) => fields.has(key));
    if (field) {
      const place = count() > 0 ? ` after row ${count()}` : '';
      const lists = [...listNames].join(' or ');
      throw new SourceError(
        `${name}: an object${place} has the field ${field} and contains a list named ${lists}. A row must not contain such a list, and a body with rows must not have fields of rows.`,
      );
    }
    if (body) whole.body(value as Envelope, count() - before);
    const empty = list && open.at(-1)?.list && count() === before; // an empty list in place of a row
    if (empty || !(list || holds)) add(value);
  };
  const take = (token: Token) => {
    switch (token.name) {
      case 'startObject':
        return start({});
      case 'startArray':
        return start([]);
      case 'endObject':
      case 'endArray':
        return end();
      case 'keyValue':
        (open.at(-1) as Open).key = token.value as string;
        return;
      case 'numberValue':
        return add(new LosslessNumber(token.value as string));
      case 'stringValue':
      case 'trueValue':
      case 'falseValue':
      case 'nullValue':
        return add(token.value);
    }
  };

  return {
    take,
    count,
    /** Ends all values that are open, which makes the outermost one a row. */
    endAll() {
      while (open.length > 0) end();
    },
    /** Whether the tokens since the last call end with the begin of a list of rows. */
    takeBegins() {
      const had = begins;
      begins = false;
      return had;
    },
    /** Whether a row or document ended since the last call. */
    takeEnded() {
      const had = ended;
      ended = false;
      return had;
    },
    /** True outside a REST body's list of rows. */
    isStray: () => sealed === undefined,
    takeBatch() {
      const rows = batch;
      batch = [];
      return rows;
    },
  };
}

/** Refuses duplicate keys, because a value would be lost. Safe for `__proto__`. */
function put(object: Envelope, key: string, value: unknown) {
  if (Object.hasOwn(object, key)) throw new Error(repeatedKey(key));
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}
