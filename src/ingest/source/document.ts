import { isLosslessNumber, LosslessNumber } from 'lossless-json';
import { getManyValues, none } from 'stream-chain/defs.js';
import { jsonParser, type Token } from 'stream-json/parser.js';
import { elementsOf, listNames } from './elements.ts';
import { type Lines, notJson, type RawRow, repeatedKey, SourceError, utf8Decoder } from './source.ts';
import { type Envelope, wholeList } from './whole-list.ts';

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

/** If false, stream-json reads every row. */
const ENABLED = true;
/** Larger rows are left to stream-json, because an incomplete row is read again with each chunk. */
const MAX_ROW = 4_194_304;
/** Bytes of a value that is not in a list of rows. Such a value is kept in memory until its end. */
const MAX_OUTSIDE = 33_554_432;
const LIST = 91;

const isContainer = (value: unknown) =>
  typeof value === 'object' && value !== null && !isLosslessNumber(value);

/**
 * Streams rows from REST bodies (single, consecutive, nested), an array, or one object. A row has some of `fields`, and
 * must not contain a list that would be taken for rows. If `quick`, stream-json reads only what is not a row of a list.
 */
export function documentRows(
  name: string,
  chunks: AsyncIterable<Buffer>,
  fields: ReadonlySet<string>,
  quick = ENABLED,
): { rows: AsyncIterable<RawRow[] | Lines>; complete(): boolean } {
  const whole = wholeList();
  const elements = elementsOf(name);
  const count = () => elements.place - 1;
  const open: Open[] = [];
  let batch: RawRow[] = [];
  /** Depth of the REST body's list of rows that the parser is in. Arrays inside this list belong to rows. */
  let sealed: number | undefined;
  /** True if the last token begins a list of rows. */
  let begins = false;
  /** Bytes that were parsed since the last row or document. */
  let outside = 0;

  const row = (value: unknown) => {
    if (sealed === undefined) whole.stray();
    batch.push({ value, place: elements.place });
    elements.place += 1;
    outside = 0;
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
  const start = (value: unknown[] | Envelope) => {
    const list = Array.isArray(value) && beginsList(open.at(-1));
    open.push({ value, key: '', list, holds: false, body: false, before: count() });
    begins = list;
  };
  const add = (value: unknown) => {
    const parent = open.at(-1);
    if (!parent && count() > 0 && !isContainer(value)) throw new Error('unexpected characters');
    if (!parent || parent.list) row(value);
    else if (Array.isArray(parent.value)) parent.value.push(value);
    else put(parent.value, parent.key, value);
  };
  const end = () => {
    const { value, list, holds, body, before } = open.pop() as Open;
    if (sealed === open.length + 1) sealed = undefined;
    if (open.length === 0) outside = 0;
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

  const parsed = jsonParser({ streamValues: false, jsonStreaming: true });
  const refusing = (work: () => void) => {
    try {
      work();
    } catch (error) {
      if (error instanceof SourceError) throw error;
      throw notJson(name, count(), (error as Error).message);
    }
  };
  const parse = (text: string | typeof none) =>
    refusing(() => {
      begins = false;
      const tokens = parsed(text as string);
      if (tokens !== none) for (const token of getManyValues(tokens)) take(token);
    });
  const endAll = () =>
    refusing(() => {
      while (open.length > 0) end();
    });

  async function* rows(): AsyncGenerator<RawRow[] | Lines> {
    const decode = utf8Decoder(name);
    let inList = false;
    for await (const chunk of chunks) {
      elements.bytes = Buffer.concat([elements.bytes.subarray(elements.at), chunk]);
      elements.at = 0;
      const { bytes } = elements;
      while (elements.at < bytes.length) {
        if (inList) {
          const before = count();
          yield elements;
          outside = 0;
          if (sealed === undefined && count() > before) whole.stray();
          inList = !elements.ended && bytes.length - elements.at <= MAX_ROW;
          if (inList) break;
        }
        const { at } = elements;
        // A list can only begin at the end of what is parsed at once.
        elements.at = bytes.indexOf(LIST, at) + 1 || bytes.length;
        parse(decode(bytes.subarray(at, elements.at)));
        outside += elements.at - at;
        if (outside > MAX_OUTSIDE) {
          endAll(); // makes it a row, whose check may tell where the rows are
          yield batch;
          throw new SourceError(
            `${name}: has more than ${MAX_OUTSIDE / 1_048_576} MB in one value that is not a list of rows; accepted are REST bodies, rows as JSON or NDJSON, and CSV.`,
          );
        }
        if (!(quick && begins)) continue;
        inList = true;
        elements.begin();
        yield batch;
        batch = [];
      }
      yield batch;
      batch = [];
    }
    parse(decode(elements.bytes.subarray(elements.at)));
    parse(decode());
    parse(none);
    yield batch;
  }
  return { rows: rows(), complete: whole.complete };
}

/** Refuses duplicate keys, because a value would be lost. Safe for `__proto__`. */
function put(object: Envelope, key: string, value: unknown) {
  if (Object.hasOwn(object, key)) throw new Error(repeatedKey(key));
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}
