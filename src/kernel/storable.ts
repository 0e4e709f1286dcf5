export const hasNoNul = (text: string): boolean => !text.includes('\0');
export const isWellFormed = (text: string): boolean => !/\p{Cs}/u.test(text);

/** Why PostgreSQL cannot store a text or cast it to JSON; undefined if it can. */
export function unstorable(text: string): { has: string; type: string } | undefined {
  if (!hasNoNul(text)) return { has: 'a NUL character', type: 'nul' };
  return isWellFormed(text) ? undefined : { has: 'half of a character', type: 'lone_surrogate' };
}
