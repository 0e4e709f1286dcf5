import { numberColumns } from './columns.ts';
import type { Column } from './row-hash.ts';

const [ZERO, NINE, MINUS, TAB, NEWLINE] = [48, 57, 45, 9, 10] as const;
/** A double has all digits of whole numbers of so many. */
const EXACT_DIGITS = 15;

const columnCount = numberColumns.length;

/**
 * Rows of whole numbers, which are added as COPY writes them in the format text, and kept in doubles: NaN for null, and
 * Infinity for numbers with more digits than a double has, which are kept by themselves.
 */
export class NumberRows {
  readonly capacity: number;
  count = 0;
  private readonly values: Float64Array;
  private readonly long = new Map<number, bigint>();
  // A text may end within a value.
  private column = 0;
  private value = 0;
  private digits = 0;
  private upper = 0;
  private isNegative = false;

  constructor(capacity: number) {
    this.capacity = capacity;
    this.values = new Float64Array(capacity * columnCount);
  }

  clear(): void {
    this.count = 0;
    this.long.clear();
  }

  add(text: Uint8Array): void {
    const { values, capacity } = this;
    let { count, column, value, digits, isNegative } = this;
    for (let at = 0; at < text.length; at += 1) {
      const byte = text[at] as number;
      if (byte >= ZERO) {
        if (byte > NINE) continue; // \N is null
        if (digits === EXACT_DIGITS) {
          this.upper = value;
          value = 0;
        }
        value = value * 10 + byte - ZERO;
        digits += 1;
      } else if (byte === MINUS) isNegative = true;
      else {
        const place = column * capacity + count;
        if (digits === 0) values[place] = Number.NaN;
        else if (digits <= EXACT_DIGITS) values[place] = isNegative ? -value : value;
        else {
          const whole = BigInt(this.upper) * 10n ** BigInt(digits - EXACT_DIGITS) + BigInt(value);
          this.long.set(place, isNegative ? -whole : whole);
          values[place] = Number.POSITIVE_INFINITY;
        }
        value = 0;
        digits = 0;
        isNegative = false;
        column += 1;
        if (byte === NEWLINE && column === columnCount) {
          column = 0;
          count += 1;
          if (count > capacity) throw new Error(`more than ${capacity} rows were read at a time`);
        } else if (byte !== TAB || column === columnCount)
          throw new Error('rows of whole numbers were expected');
      }
    }
    Object.assign(this, { count, column, value, digits, isNegative });
  }

  at(column: number, row: number): number {
    return this.values[column * this.capacity + row] as number;
  }

  /** The values of a column in this order of rows. */
  ordered(column: number, order: Uint32Array): Column {
    const { name, bytes } = numberColumns[column] as (typeof numberColumns)[number];
    const source = this.values.subarray(column * this.capacity, (column + 1) * this.capacity);
    const nulls = nullsOf(source, order);
    const { length } = order;
    if (bytes === 8) return { data: this.wide(column, source, order), nulls };
    const target =
      bytes === 4 ? new Int32Array(length) : bytes === 2 ? new Int16Array(length) : new Uint8Array(length);
    narrow(target, source, order, name);
    return { data: new Uint8Array(target.buffer), nulls };
  }

  private wide(column: number, source: Float64Array, order: Uint32Array): Uint8Array {
    const target = new Int32Array(order.length * 2);
    for (let at = 0; at < order.length; at += 1) {
      const value = source[order[at] as number] as number;
      const high = Math.floor(value / 4_294_967_296);
      target[2 * at] = value - high * 4_294_967_296;
      target[2 * at + 1] = high;
    }
    if (this.long.size > 0) {
      const exact = new BigInt64Array(target.buffer);
      for (let at = 0; at < order.length; at += 1)
        exact[at] = this.long.get(column * this.capacity + (order[at] as number)) ?? (exact[at] as bigint);
    }
    return new Uint8Array(target.buffer);
  }
}

function nullsOf(source: Float64Array, order: Uint32Array): Uint32Array {
  const nulls = new Uint32Array(order.length);
  let count = 0;
  for (let at = 0; at < order.length; at += 1)
    if (Number.isNaN(source[order[at] as number])) {
      nulls[count] = at;
      count += 1;
    }
  return nulls.slice(0, count);
}

/** NaN becomes 0. */
function narrow(
  target: Uint8Array | Int16Array | Int32Array,
  source: Float64Array,
  order: Uint32Array,
  name: string,
): void {
  for (let at = 0; at < order.length; at += 1) {
    const value = source[order[at] as number] as number;
    target[at] = value;
    if (target[at] !== value && !Number.isNaN(value))
      throw new Error(`${name} has ${value}, which its column in the archive does not hold`);
  }
}
