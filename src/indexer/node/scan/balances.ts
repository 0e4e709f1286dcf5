import { AnswerError } from '../../answers/error.ts';
import { decimal, endOfDecimal, literal, MAX_INDEX, numberAt, objectAt, standsAt } from './bytes.ts';
import type { ElementReader } from './elements.ts';

const INDEX = literal('{"index":');
const BALANCE = literal(',"balance":');
/** Longer than any entry, so `fast` stays within bounds. */
const LONGEST = 64;
/** For a first read, when the number of validators is unknown. */
const MARGIN = 1 << 22;

/** Accepts entries in any order, because the API promises none. */
export class BalanceReader implements ElementReader {
  #balances: Float64Array;
  #count = 0;
  #highest = -1;
  readonly #expected: number;

  constructor(expected = 1 << 16) {
    this.#expected = expected;
    this.#balances = new Float64Array(expected).fill(Number.NaN);
  }

  fast(bytes: Uint8Array, from: number, to: number): number {
    if (to - from < LONGEST || !standsAt(bytes, from, INDEX)) return 0;
    const index = from + INDEX.length;
    const indexEnd = endOfDecimal(bytes, index, 9);
    if (indexEnd === 0 || !standsAt(bytes, indexEnd, BALANCE)) return 0;
    const balance = indexEnd + BALANCE.length;
    const end = endOfDecimal(bytes, balance, 15);
    if (end === 0 || bytes[end] !== 0x7d) return 0;
    const at = numberAt(bytes, index);
    if (at > MAX_INDEX) return 0;
    this.#set(at, numberAt(bytes, balance));
    return end + 1;
  }

  slow(value: unknown): void {
    const entry = objectAt(value, 'an entry');
    this.#set(decimal(entry.index, 'index', MAX_INDEX), decimal(entry.balance, 'balance'));
  }

  #set(index: number, balance: number): void {
    if (index >= this.#balances.length) this.#grow(index);
    if (!Number.isNaN(this.#balances[index])) throw new AnswerError(`validator ${index} is listed twice`);
    this.#balances[index] = balance;
    this.#count += 1;
    if (index > this.#highest) this.#highest = index;
  }

  #grow(index: number): void {
    if (index > MARGIN + 2 * Math.max(this.#count, this.#expected))
      throw new AnswerError(`validator ${index} is listed, but about ${this.#expected} are expected`);
    const more = new Float64Array(Math.max(index + 1, Math.ceil(this.#balances.length * 1.5))).fill(
      Number.NaN,
    );
    more.set(this.#balances);
    this.#balances = more;
  }

  result(): Float64Array {
    const size = this.#highest + 1;
    if (size === 0) throw new AnswerError('no validator is listed');
    if (this.#count !== size) {
      const missing = this.#balances.findIndex(Number.isNaN);
      throw new AnswerError(`validator ${missing} is missing, but ${this.#highest} is listed`, 'cut');
    }
    return size === this.#balances.length ? this.#balances : this.#balances.slice(0, size);
  }
}
