import type { Registry, ValidatorRecord } from './types.ts';

const PUBKEY = 48;
const CREDENTIALS = 32;
/** FAR_FUTURE_EPOCH in the columns of epochs. */
export const FAR = 0xffff_ffff;

const epochOf = (stored: number) => (stored === FAR ? Number.POSITIVE_INFINITY : stored);
const stored = (epoch: number) => Math.min(epoch, FAR);

function grown<T extends Uint8Array | Uint32Array>(column: T, length: number): T {
  const next = new (column.constructor as new (length: number) => T)(length);
  next.set(column);
  return next;
}

/** Uses about 120 bytes per validator. `set` does not change `increments`. */
export class ValidatorSet implements Registry {
  size = 0;
  #capacity = 0;
  #pubkeys = new Uint8Array();
  #credentials = new Uint8Array();
  /** Hash table of public keys; each element is index + 1, or 0 if free. */
  #places = new Uint32Array(16);
  slashed = new Uint8Array();
  eligibility = new Uint32Array();
  activation = new Uint32Array();
  exit = new Uint32Array();
  withdrawable = new Uint32Array();
  increments: Uint16Array = new Uint16Array();
  readonly increment: number;

  constructor(increment: number, capacity: number) {
    this.increment = increment;
    this.#reserve(capacity);
  }

  prefix(index: number): number {
    return this.#credentials[index * CREDENTIALS] as number;
  }

  isActive(index: number, epoch: number): boolean {
    return (this.activation[index] as number) <= epoch && epoch < (this.exit[index] as number);
  }

  record(index: number): ValidatorRecord {
    const hex = (bytes: Uint8Array, width: number) =>
      `0x${Buffer.from(bytes.buffer, bytes.byteOffset + index * width, width).toString('hex')}`;
    return {
      index,
      pubkey: hex(this.#pubkeys, PUBKEY),
      withdrawalCredentials: hex(this.#credentials, CREDENTIALS),
      effectiveBalance: (this.increments[index] ?? 0) * this.increment,
      slashed: this.slashed[index] === 1,
      activationEligibilityEpoch: epochOf(this.eligibility[index] as number),
      activationEpoch: epochOf(this.activation[index] as number),
      exitEpoch: epochOf(this.exit[index] as number),
      withdrawableEpoch: epochOf(this.withdrawable[index] as number),
    };
  }

  set(record: ValidatorRecord): void {
    const { index } = record;
    if (index > this.size)
      throw new Error(`validator ${this.size} is missing: ${index} follows ${this.size - 1}`);
    if (index === this.size) {
      if (index === this.#capacity) this.#reserve(Math.ceil(this.#capacity * 1.1) + 1024);
      this.size += 1;
      this.#write(this.#pubkeys, index, PUBKEY, record.pubkey);
      this.#place(index);
    }
    this.#write(this.#credentials, index, CREDENTIALS, record.withdrawalCredentials);
    this.slashed[index] = record.slashed ? 1 : 0;
    this.eligibility[index] = stored(record.activationEligibilityEpoch);
    this.activation[index] = stored(record.activationEpoch);
    this.exit[index] = stored(record.exitEpoch);
    this.withdrawable[index] = stored(record.withdrawableEpoch);
  }

  indexOf(pubkey: string): number | undefined {
    const bytes = Buffer.from(pubkey.slice(2), 'hex');
    if (bytes.length !== PUBKEY) return undefined;
    for (let at = this.#hash(bytes, 0); ; at = (at + 1) & (this.#places.length - 1)) {
      const index = (this.#places[at] as number) - 1;
      if (index < 0) return undefined;
      const start = index * PUBKEY;
      if (index < this.size && bytes.compare(this.#pubkeys, start, start + PUBKEY) === 0) return index;
    }
  }

  shrink(size: number): void {
    if (size === this.size) return;
    this.size = size;
    this.#places.fill(0);
    for (let index = 0; index < size; index++) this.#place(index);
  }

  #write(column: Uint8Array, index: number, width: number, hex: string): void {
    const bytes = Buffer.from(hex.slice(2), 'hex');
    if (bytes.length !== width) throw new Error(`validator ${index} has ${hex} of ${bytes.length} bytes`);
    column.set(bytes, index * width);
  }

  #hash(bytes: Uint8Array, start: number): number {
    const word = (from: number) =>
      ((bytes[from] as number) << 24) |
      ((bytes[from + 1] as number) << 16) |
      ((bytes[from + 2] as number) << 8) |
      (bytes[from + 3] as number);
    return (word(start + 8) ^ Math.imul(word(start + 40), 0x9e37_79b1)) & (this.#places.length - 1);
  }

  #place(index: number): void {
    let at = this.#hash(this.#pubkeys, index * PUBKEY);
    while (this.#places[at]) at = (at + 1) & (this.#places.length - 1);
    this.#places[at] = index + 1;
  }

  #reserve(capacity: number): void {
    this.#capacity = capacity;
    this.#pubkeys = grown(this.#pubkeys, capacity * PUBKEY);
    this.#credentials = grown(this.#credentials, capacity * CREDENTIALS);
    this.slashed = grown(this.slashed, capacity);
    this.eligibility = grown(this.eligibility, capacity);
    this.activation = grown(this.activation, capacity);
    this.exit = grown(this.exit, capacity);
    this.withdrawable = grown(this.withdrawable, capacity);
    const places = 2 ** Math.ceil(Math.log2(capacity * 2 + 16));
    if (places === this.#places.length) return;
    this.#places = new Uint32Array(places);
    for (let index = 0; index < this.size; index++) this.#place(index);
  }
}
