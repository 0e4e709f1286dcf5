/**
 * Writes doubles for both APIs (decisions, "Doubles") as Python does: shortest digits, with a point or exponent; below
 * 1e-4 and from 1e16 an exponent of at least two digits: `1.0`, `7e-06`, `1e+16`.
 */
export function doubleText(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e16 || (size < 1e-4 && size > 0)) {
    const text = value.toExponential();
    return /e[-+]\d$/.test(text) ? `${text.slice(0, -1)}0${text.slice(-1)}` : text;
  }
  if (!Number.isInteger(value)) return String(value);
  return Object.is(value, -0) ? '-0.0' : `${value}.0`;
}

/** Whether JavaScript writes the same text as `doubleText`. */
export const isPlainDouble = (value: number): boolean =>
  !Number.isInteger(value) && (value >= 1e-4 || value <= -1e-4);

/** PostgreSQL omits the point of integers and writes exponents from 1e15. */
export const doubleOfPostgres = (text: string): string =>
  text.includes('.') && !text.includes('+') ? text : doubleText(Number(text));

/** Holds a double that JSON.stringify would write differently. */
export class WrittenDouble {
  readonly text: string;

  constructor(value: number) {
    this.text = doubleText(value);
  }

  /** For tests. */
  toJSON(): number {
    return Number(this.text);
  }
}
