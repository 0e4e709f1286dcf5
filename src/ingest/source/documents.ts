import { jsonLayout } from '../quick/split.ts';
import { afterSpace, type Scanned, scanValue, TooMany } from './json-scan.ts';
import { jsonRow } from './lines.ts';
import {
  MAX_BYTES,
  MAX_LEVELS,
  MAX_MB,
  noRecords,
  piecesOf,
  type ReadRow,
  type Records,
  SourceError,
  utf8Text,
} from './source.ts';
import { addBodies, type RowRange, wholeList } from './whole-list.ts';

const [COMMA, OPEN_LIST, CLOSE_LIST, OPEN] = [44, 91, 93, 123];

/**
 * The text of an object around lists of rows, each of which has its index in `lists` in place of its rows. `outer` is the
 * number of brackets around the object.
 */
type Around = { text: string; outer: number; lists: RowRange[] };

/**
 * Finds the rows of REST bodies (single, consecutive, nested), of an array, or of one object. A row has some of `fields`,
 * and must not contain a list that would be taken for rows.
 */
export function documentRows(name: string, chunks: AsyncIterable<Buffer>, fields: ReadonlySet<string>) {
  const whole = wholeList();
  /** The brackets that close what is open. */
  let open: number[] = [];
  let around: Around | undefined;
  /** True in a list of rows of `around`, of which every element is a row. */
  let sealed = false;
  /** The number of the first row of the list. */
  let first = 1;
  let afterComma = false;
  /** True if an element of a list has ended, and its comma is not taken. */
  let ended = false;
  let inBodies = 0;
  let refusal: SourceError | undefined;

  const count = () => records.place - 1;
  const fault = (why: string) => {
    const place = count() > 0 ? ` after row ${count()}` : '';
    return new SourceError(`${name}: is not JSON${place}: ${why}`);
  };
  const tooMany = (what: string) => new SourceError(`${name}: has more than ${what} in one value.`);
  function parsed(text: string): unknown {
    const { value, broken } = jsonRow(text, records.place);
    if (!broken) return value;
    const why = faultOf(broken.msg);
    // The rows are not in the text around them, whose positions are therefore not those of the file.
    throw fault(around && !sealed ? why.replace(/ at position \d+$/, '') : why);
  }
  function takeComma() {
    records.at = afterSpace(records.bytes, records.at);
    if (!ended || records.bytes[records.at] !== COMMA) return;
    records.at = afterSpace(records.bytes, records.at + 1);
    ended = false;
    afterComma = true;
  }
  function taken(text: string): ReadRow {
    const row = { value: parsed(text), place: records.place };
    records.place += 1;
    ended = open.length > 0;
    takeComma();
    return { text, row };
  }
  /** Returns no row, so that the first row may be taken without `read`. */
  function beginList(): ReadRow {
    first = records.place;
    afterComma = false;
    ended = false;
    records.at = afterSpace(records.bytes, records.at);
    return { text: '', row: undefined };
  }
  /** Returns a row if the list is empty and is itself a row of an outer list. */
  function endList(): ReadRow | undefined {
    const isEmpty = !ended && records.place === first;
    if (!ended && (afterComma || !isEmpty)) throw fault('a row must follow the comma');
    open.pop();
    records.at += 1;
    ended = open.length > 0;
    if (!around) return isEmpty && ended ? taken('[]') : undefined;
    around.text += `${around.lists.length}]`;
    around.lists.push({ from: first, to: records.place });
    inBodies += records.place - first;
    sealed = false;
    return undefined;
  }
  function scan(outer: number): Scanned {
    try {
      return scanValue(records.bytes, records.at, { around: open, outer, seeksLists: !sealed });
    } catch (error) {
      const { message } = error as Error;
      throw error instanceof TooMany ? tooMany(message) : fault(message);
    }
  }
  /** Refuses a value that has no end, or is too large to wait for its end. */
  function unfinished(before: string, { open: levels, comma, depth }: Scanned): ReadRow | undefined {
    const { bytes, at, isLast } = records;
    if (before.length + bytes.length - at > MAX_BYTES) {
      refusal = new SourceError(
        `${name}: has more than ${MAX_MB} MB in one value that is not a list of rows; accepted are REST bodies, rows as JSON or NDJSON, and CSV.`,
      );
      if (before !== '' || comma === 0) throw refusal;
      // A row; its check may say where the rows are.
      const closing = levels.slice(open.length, depth).toReversed();
      return taken(utf8Text(name, bytes, at, comma) + String.fromCharCode(...closing));
    }
    if (!isLast) return undefined;
    parsed(before + utf8Text(name, bytes, at, bytes.length - 1));
    throw fault('a value does not end');
  }

  const records: Records = {
    ...noRecords(),
    begins: () => open.length > 0 && (sealed || !around) && !ended,
    layout: (text) => ({ ...jsonLayout(text), inArray: true }),
    read() {
      if (refusal) throw refusal;
      for (;;) {
        const body = sealed ? undefined : around;
        if (!body) {
          takeComma();
          const code = records.bytes[records.at];
          if (code === undefined) {
            if (records.isLast && open.length > 0) throw fault('a list does not end');
            return undefined;
          }
          if (ended && code !== CLOSE_LIST) throw fault("expected ','");
          if (open.length > 0 && code === CLOSE_LIST) {
            const row = endList();
            if (row) return row;
            continue;
          }
          if (code === OPEN_LIST && !sealed) {
            if (open.push(CLOSE_LIST) > MAX_LEVELS) throw tooMany(`${MAX_LEVELS} levels of nesting`);
            records.at += 1;
            return beginList();
          }
          if (open.length === 0 && count() > 0 && code !== OPEN) throw fault('unexpected characters');
        }
        const found = scan(body?.outer ?? open.length);
        if (found.end === 0) return unfinished(body?.text ?? '', found);
        const text = utf8Text(name, records.bytes, records.at, found.end);
        records.at = found.end;
        if (!body && !found.isList) return taken(text);
        around ??= { text: '', outer: open.length, lists: [] };
        around.text += text;
        open = found.open;
        sealed = found.isList;
        if (sealed) return beginList();
        addBodies(parsed(around.text), around.lists, { name, fields, whole });
        around = undefined;
        ended = open.length > 0;
      }
    },
  };
  return {
    rows: piecesOf(chunks, records),
    complete: () => whole.complete() && inBodies === count(),
  };
}

function faultOf(msg: string): string {
  const [, key] = /Duplicate key '(.*)'/.exec(msg) ?? [];
  return key
    ? `the key ${JSON.stringify(key)} appears twice in one object`
    : msg.replace('is not JSON: ', '');
}
