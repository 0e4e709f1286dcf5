import { type DocumentNode, type ParseOptions, parse, type Source } from 'graphql';
import { sizedMap } from '../../kernel/bounded.ts';
import { limitError, limits } from './limits.ts';

export function parseBounded(source: string | Source, options?: ParseOptions): DocumentNode {
  try {
    return parse(source, { ...options, maxTokens: limits.tokens });
  } catch (error) {
    if (/more (?:that|than) \d+ tokens/.test((error as Error).message)) throw limitError('tokens');
    if (error instanceof RangeError) throw limitError('depth'); // deep nesting overflows the parser's stack
    throw error;
  }
}

/** Longer documents are not cached: callers could fill the memory with literals. */
export const CACHE_MAX_CHARACTERS = 16_384;
/** In characters, each up to 140 bytes parsed: 40 MB, some 600 plain queries. */
const CACHE_MAX_TEXT = 300_000;
const OVERHEAD = 200;

export const documentMap = <T extends NonNullable<unknown>>() =>
  sizedMap<T>(CACHE_MAX_TEXT, (_value, text) => text.length + OVERHEAD);
