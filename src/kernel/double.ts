/**
 * The JSON text of a double, the same in every answer of both APIs (decisions, "Doubles"): its shortest digits, always with
 * a point or an exponent, and with an exponent of at least two digits below 1e-4 and from 1e16: `1.0`, `0.0001`, `7e-06`,
 * `1e+16`. Python writes floats this way, and so do other services of this interface.
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

/** Whether JavaScript and `doubleText` write the same text, as for most doubles. */
export const isPlainDouble = (value: number): boolean =>
  !Number.isInteger(value) && (value >= 1e-4 || value <= -1e-4);

/**
 * The same of a double that PostgreSQL wrote. Its text differs for whole numbers, which have no point, and from 1e15, where
 * it has an exponent.
 */
export const doubleOfPostgres = (text: string): string =>
  text.includes('.') && !text.includes('+') ? text : doubleText(Number(text));

/** A double with its JSON text, for values that JSON.stringify would write differently. */
export class WrittenDouble {
  readonly text: string;

  constructor(value: number) {
    this.text = doubleText(value);
  }

  /** The number, for code that compares answers. */
  toJSON(): number {
    return Number(this.text);
  }
}
