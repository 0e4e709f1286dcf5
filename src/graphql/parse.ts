import { type DocumentNode, type ParseOptions, parse, type Source } from 'graphql';
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
export const KEPT_LENGTH = 16_384;
export const KEPT_DOCUMENTS = 1_000;
