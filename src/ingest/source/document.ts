import { pipeline, Readable } from 'node:stream';
import { LosslessNumber } from 'lossless-json';
import parser, { type Token } from 'stream-json/parser.js';
import { type RawRow, SourceError } from './source.ts';

type Envelope = Record<string, unknown>;
/** A value that is being put together: of what key in what it stands. */
type Open = { value: unknown[] | Envelope; key: string };

const BATCH = 500;
const NONE = -1;
/** The lists of rows in a REST body: of v0 and of v1. */
const listNames = new Set(['data', 'results']);

/**
 * The rows of one JSON document: of a REST body's `data` or `results`, of an array, or the document itself. Rows are
 * put together one by one; of the rest of a body only what tells its place in a list is needed.
 */
export function documentRows(
  name: string,
  chunks: AsyncIterable<string>,
): { rows: AsyncIterable<RawRow[]>; complete(): boolean } {
  let body: Envelope | undefined;
  let count = 0;

  async function* rows(): AsyncGenerator<RawRow[]> {
    const parsed = parser.asStream({ streamValues: false });
    const tokens = pipeline(Readable.from(chunks), parsed, () => undefined); // its reader is told of a failure
    const open: Open[] = [];
    // How many values are open within the list that rows come from: unknown until it begins, none when it is over.
    let listDepth: number | undefined;
    let batch: RawRow[] = [];
    const row = (value: unknown) => batch.push({ value, place: (count += 1) });

    const start = (value: unknown[] | Envelope) => {
      const parent = open.at(-1);
      if (!parent && !Array.isArray(value)) body = value;
      const inBody = open.length === 1 && body !== undefined && listNames.has(parent?.key as string);
      open.push({ value, key: '' });
      if (!Array.isArray(value) || listDepth !== undefined || (parent && !inBody)) return;
      listDepth = open.length;
      if (parent) put(body as Envelope, parent.key, []);
    };
    /** Puts a whole value where it belongs. */
    const place = (value: unknown) => {
      const parent = open.at(-1);
      if (!parent || open.length === listDepth) row(value);
      else if (Array.isArray(parent.value)) parent.value.push(value);
      else put(parent.value, parent.key, value);
    };
    const end = () => {
      const { value } = open.pop() as Open;
      if (open.length + 1 === listDepth)
        listDepth = NONE; // its rows are out already
      else if (open.length > 0) place(value);
      else if (listDepth === undefined) {
        body = undefined;
        row(value);
      }
    };

    for await (const token of tokens as AsyncIterable<Token>) {
      switch (token.name) {
        case 'startObject':
          start({});
          break;
        case 'startArray':
          start([]);
          break;
        case 'endObject':
        case 'endArray':
          end();
          break;
        case 'keyValue':
          (open.at(-1) as Open).key = token.value as string;
          break;
        case 'numberValue':
          place(new LosslessNumber(token.value as string));
          break;
        case 'stringValue':
        case 'trueValue':
        case 'falseValue':
        case 'nullValue':
          place(token.value);
          break;
      }
      if (batch.length >= BATCH) {
        yield batch;
        batch = [];
      }
    }
    yield batch;
  }

  return {
    rows: named(name, rows(), () => count),
    complete: () => body !== undefined && isWholeList(body, count),
  };
}

/** A key of a document is text that anyone chose: it must not become a prototype. Of one given twice, one would be lost. */
function put(object: Envelope, key: string, value: unknown) {
  if (Object.hasOwn(object, key))
    throw new Error(`the key ${JSON.stringify(key)} stands twice in one object`);
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

/** A body without a page before or after it. */
function isWholeList(body: Envelope, rows: number): boolean {
  if ((body.next ?? null) !== null || (body.previous ?? null) !== null) return false;
  const from = (body.page as Envelope | undefined)?.from;
  const starts = from === null || from === undefined || String(from) === '0';
  return starts && ('results' in body || String(body.total) === String(rows));
}
