import { pipeline, Readable } from 'node:stream';
import { isLosslessNumber, LosslessNumber } from 'lossless-json';
import parser, { type Token } from 'stream-json/parser.js';
import { type RawRow, SourceError } from './source.ts';
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

const BATCH = 500;
/** Names of the row lists of REST bodies; no row has these fields. */
const listNames = new Set(['data', 'results']);

const isContainer = (value: unknown) =>
  typeof value === 'object' && value !== null && !isLosslessNumber(value);

export const holdsList = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).some(
    ([name, member]) => (listNames.has(name) && Array.isArray(member)) || holdsList(member),
  );

/** Streams rows from REST bodies (single, consecutive, nested), an array, or one object. `rowsBefore` rows came before. */
export function documentRows(
  name: string,
  chunks: AsyncIterable<string>,
  rowsBefore = 0,
): { rows: AsyncIterable<RawRow[]>; complete(): boolean } {
  const whole = wholeList();
  const open: Open[] = [];
  let count = rowsBefore;
  if (count > 0) whole.stray();
  let batch: RawRow[] = [];
  /** Depth of the REST body's list of rows that the parser is in. Arrays inside this list belong to rows. */
  let sealed: number | undefined;

  const row = (value: unknown) => {
    if (sealed === undefined) whole.stray();
    batch.push({ value, place: (count += 1) });
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
    open.push({ value, key: '', list, holds: false, body: false, before: count });
  };
  const place = (value: unknown) => {
    const parent = open.at(-1);
    if (!parent && count > 0 && !isContainer(value)) throw new Error('unexpected characters');
    if (!parent || parent.list) row(value);
    else if (Array.isArray(parent.value)) parent.value.push(value);
    else put(parent.value, parent.key, value);
  };
  const end = () => {
    const { value, list, holds, body, before } = open.pop() as Open;
    if (sealed === open.length + 1) sealed = undefined;
    if (body) whole.body(value as Envelope, count - before);
    const empty = list && open.at(-1)?.list && count === before; // an empty list in place of a row
    if (empty || !(list || holds)) place(value);
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
        return place(new LosslessNumber(token.value as string));
      case 'stringValue':
      case 'trueValue':
      case 'falseValue':
      case 'nullValue':
        return place(token.value);
    }
  };

  async function* rows(): AsyncGenerator<RawRow[]> {
    const parsed = parser.asStream({ streamValues: false, jsonStreaming: true });
    const tokens = pipeline(Readable.from(chunks), parsed, () => undefined); // no-op: the loop throws the error
    for await (const token of tokens as AsyncIterable<Token>) {
      take(token);
      if (batch.length < BATCH) continue;
      yield batch;
      batch = [];
    }
    yield batch;
  }
  return { rows: named(name, rows(), () => count), complete: whole.complete };
}

/** Refuses duplicate keys, because a value would be lost. Safe for `__proto__`. */
function put(object: Envelope, key: string, value: unknown) {
  if (Object.hasOwn(object, key))
    throw new Error(`the key ${JSON.stringify(key)} appears twice in one object`);
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

async function* named(
  name: string,
  rows: AsyncGenerator<RawRow[]>,
  read: () => number,
): AsyncGenerator<RawRow[]> {
  try {
    yield* rows;
  } catch (error) {
    if (error instanceof SourceError) throw error;
    const place = read() > 0 ? ` after row ${read()}` : '';
    throw new SourceError(`${name}: is not JSON${place}: ${(error as Error).message}`);
  }
}
