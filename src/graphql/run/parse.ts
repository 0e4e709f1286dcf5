import { BREAK, type DocumentNode, Kind, type ParseOptions, parse, type Source, visit } from 'graphql';
import { boundedMap } from '../../kernel/bounded.ts';
import { limitError, limits } from './limits.ts';
import { freeTokens } from './typename.ts';

export function parseBounded(source: string | Source, options?: ParseOptions): DocumentNode {
  try {
    const text = typeof source === 'string' ? source : source.body;
    const document = parse(source, { ...options, maxTokens: limits.tokens + mostFree(text) });
    const { tokenCount = 0 } = document;
    if (tokenCount > limits.tokens && tokenCount - freeTokens(document) > limits.tokens)
      throw limitError('tokens');
    if (repeatsFields(document)) throw limitError('repeats');
    return document;
  } catch (error) {
    if (/more (?:that|than) \d+ tokens/.test((error as Error).message)) throw limitError('tokens');
    if (error instanceof RangeError) throw limitError('depth'); // deep nesting overflows the parser's stack
    throw error;
  }
}

/** Checked before validation, which compares the selections of all fields of the same name with each other. */
function repeatsFields(document: DocumentNode): boolean {
  let repeats = false;
  visit(document, {
    SelectionSet({ selections }) {
      if (selections.length <= limits.repeats) return undefined;
      const names = new Map<string, number>();
      for (const selection of selections) {
        if (selection.kind !== Kind.FIELD || !selection.selectionSet) continue;
        const name = (selection.alias ?? selection.name).value;
        const count = (names.get(name) ?? 0) + 1;
        names.set(name, count);
        if (count > limits.repeats) repeats = true;
      }
      return repeats ? BREAK : undefined;
    },
  });
  return repeats;
}

/** Each free `__typename` needs its own selection set, whose brace is a token. */
const mostFree = (text: string): number => Math.min(text.split('__typename').length - 1, limits.tokens);

/** Longer documents are not cached, because literals could fill the memory. */
export const CACHE_MAX_CHARACTERS = 16_384;
/** In characters: about 40 MB or 600 plain queries, because a parsed character needs up to 140 bytes. */
const CACHE_MAX_TEXT = 300_000;
const OVERHEAD = 200;

export const documentMap = <T extends NonNullable<unknown>>() =>
  boundedMap<T>(CACHE_MAX_TEXT, (_value, text) => text.length + OVERHEAD);
