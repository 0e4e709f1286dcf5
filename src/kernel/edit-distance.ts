/** The least number of letters to insert, remove or replace (Levenshtein). */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries())
      next.push(
        Math.min(
          (row[j + 1] as number) + 1,
          (next[j] as number) + 1,
          (row[j] as number) + Number(letter !== other),
        ),
      );
    row = next;
  }
  return row.at(-1) as number;
}
