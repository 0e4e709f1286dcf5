const DIGITS = 18;

/** The exact sum of decimals such as `-12.5`, of at most 18 decimals each. */
export function sumOfDecimals(values: readonly string[]): string {
  let all = 0n;
  for (const value of values) {
    const [whole = '0', fraction = ''] = value.replace('-', '').split('.');
    const part = BigInt(whole + fraction.padEnd(DIGITS, '0').slice(0, DIGITS));
    all += value.startsWith('-') ? -part : part;
  }
  const sign = all < 0n ? '-' : '';
  const text = String(all < 0n ? -all : all).padStart(DIGITS + 1, '0');
  return sign + `${text.slice(0, -DIGITS)}.${text.slice(-DIGITS)}`.replace(/\.?0+$/, '');
}

/** The exact sum of whole numbers of rows. */
export const total = <Row>(rows: readonly Row[], of: (row: Row) => string): string =>
  String(rows.reduce((sum, row) => sum + BigInt(of(row)), 0n));
