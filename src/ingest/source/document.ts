import { getManyValues, none } from 'stream-chain/defs.js';
import { jsonParser } from 'stream-json/parser.js';
import { elementsOf } from './elements.ts';
import { rowAssembler } from './row-assembler.ts';
import { type Lines, notJson, type RawRow, SourceError, utf8Decoder } from './source.ts';
import { wholeList } from './whole-list.ts';

/** If false, stream-json reads every row. */
const ENABLED = true;
/** Larger rows are left to stream-json, because an incomplete row is read again with each chunk. */
const MAX_ROW = 4_194_304;
/** Bytes of a value that is not in a list of rows. Such a value is kept in memory until its end. */
const MAX_OUTSIDE = 33_554_432;
const LIST = 91;

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
  const assembler = rowAssembler(name, fields, elements, whole);
  const { count } = assembler;
  /** Bytes that were parsed since the last row or document. */
  let outside = 0;

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
      const tokens = parsed(text as string);
      if (tokens !== none) for (const token of getManyValues(tokens)) assembler.take(token);
    });
  function refuseLarge(bytes: number) {
    outside = (assembler.takeEnded() ? 0 : outside) + bytes;
    if (outside <= MAX_OUTSIDE) return undefined;
    refusing(assembler.endAll); // makes it a row, whose check may tell where the rows are
    return new SourceError(
      `${name}: has more than ${MAX_OUTSIDE / 1_048_576} MB in one value that is not a list of rows; accepted are REST bodies, rows as JSON or NDJSON, and CSV.`,
    );
  }

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
          if (assembler.isStray() && count() > before) whole.stray();
          inList = !elements.ended && bytes.length - elements.at <= MAX_ROW;
          if (inList) break;
        }
        const { at } = elements;
        // A list can only begin at the end of what is parsed at once.
        elements.at = bytes.indexOf(LIST, at) + 1 || bytes.length;
        parse(decode(bytes.subarray(at, elements.at)));
        const tooLarge = refuseLarge(elements.at - at);
        if (tooLarge) {
          yield assembler.takeBatch();
          throw tooLarge;
        }
        if (!(quick && assembler.takeBegins())) continue;
        inList = true;
        elements.begin();
        yield assembler.takeBatch();
      }
      yield assembler.takeBatch();
    }
    parse(decode(elements.bytes.subarray(elements.at)));
    parse(decode());
    parse(none);
    yield assembler.takeBatch();
  }
  return { rows: rows(), complete: whole.complete };
}
