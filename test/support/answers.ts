/** The fields of an answer: each of each object, and each entry of a list. */
export function fieldsIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const entries = Object.values(value);
  return entries.length + entries.reduce((sum: number, entry) => sum + fieldsIn(entry), 0);
}
