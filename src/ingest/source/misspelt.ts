import { editDistance } from '../../kernel/edit-distance.ts';

const plain = (name: string) => name.replaceAll(/[_-]/g, '').toLowerCase();

const MIN_LENGTH = 5;

/** The same but for letter case and separators, or for one or two letters of a longer name. */
function isSimilar(one: string, other: string): boolean {
  const [a, b] = [plain(one), plain(other)];
  if (a === b) return true;
  const short = Math.min(a.length, b.length);
  return short >= MIN_LENGTH && Math.max(a.length, b.length) - short <= 2 && editDistance(a, b) <= 2;
}

/**
 * Finds keys of rows that are probably misspelt names of `fields`, whose stored values the row would remove. Other keys
 * are ignored, because responses of services have more fields than an import needs.
 */
export function misspeltKeys(fields: readonly string[]) {
  const known = new Set(fields);
  const similar = new Map<string, readonly string[]>();
  const similarTo = (key: string) => {
    let found = similar.get(key);
    if (!found) {
      found = fields.filter((field) => isSimilar(key, field));
      if (similar.size < 1_000) similar.set(key, found);
    }
    return found;
  };
  return (row: object): { key: string; field: string }[] =>
    Object.keys(row).flatMap((key) => {
      if (known.has(key)) return [];
      const field = similarTo(key).find((one) => !Object.hasOwn(row, one));
      return field === undefined ? [] : [{ key, field }];
    });
}
