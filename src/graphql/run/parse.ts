import { type DocumentNode, type ParseOptions, parse, type Source } from 'graphql';
import { sizedMap } from '../../kernel/bounded.ts';
import { limitError, limits } from './limits.ts';
import { freeTokens } from './typename.ts';

export function parseBounded(source: string | Source, options?: ParseOptions): DocumentNode {
  try {
    const text = typeof source === 'string' ? source : source.body;
    const document = parse(source, { ...options, maxTokens: limits.tokens + mostFree(text) });
    const { tokenCount = 0 } = document;
    if (tokenCount > limits.tokens && tokenCount - freeTokens(document) > limits.tokens)
      throw limitError('tokens');
    return document;
  } catch (error) {
    if (/more (?:that|than) \d+ tokens/.test((error as Error).message)) throw limitError('tokens');
    if (error instanceof RangeError) throw limitError('depth'); // deep nesting overflows the parser's stack
    throw error;
  }
}

/** Each free `__typename` needs its own selection set, whose brace is a token. */
const mostFree = (text: string): number => Math.min(text.split('__typename').length - 1, limits.tokens);

/** Longer documents are not cached, because literals could fill the memory. */
export const CACHE_MAX_CHARACTERS = 16_384;
/** In characters: about 40 MB or 600 plain queries, because a parsed character needs up to 140 bytes. */
const CACHE_MAX_TEXT = 300_000;
const OVERHEAD = 200;

export const documentMap = <T extends NonNullable<unknown>>() =>
  sizedMap<T>(CACHE_MAX_TEXT, (_value, text) => text.length + OVERHEAD);
