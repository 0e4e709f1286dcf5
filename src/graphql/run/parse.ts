import { type DocumentNode, type ParseOptions, parse, type Source } from 'graphql';
import { sizedMap } from '../../kernel/bounded.ts';
import { limitError, limits } from './limits.ts';

/** Parses a document, bounded before it is: parsing is what a hostile one would exhaust. */
export function parseBounded(source: string | Source, options?: ParseOptions): DocumentNode {
  try {
    return parse(source, { ...options, maxTokens: limits.tokens });
  } catch (error) {
    if (/more (?:that|than) \d+ tokens/.test((error as Error).message)) throw limitError('tokens');
    if (error instanceof RangeError) throw limitError('depth'); // nested so deeply that the parser's stack is full
    throw error;
  }
}

/** Documents are kept by their text. Long ones are not: a caller could fill the memory with literals. */
export const CACHE_MAX_CHARACTERS = 16_384;
/** A character becomes up to 140 bytes of what is parsed: so many in all are at most 40 MB, or some 600 plain queries. */
const CACHE_MAX_TEXT = 300_000;
const OVERHEAD = 200;

/** What is kept of the documents that were used last. */
export const documentMap = <T extends NonNullable<unknown>>() =>
  sizedMap<T>(CACHE_MAX_TEXT, (_value, text) => text.length + OVERHEAD);
