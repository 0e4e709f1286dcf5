import { FAR_FUTURE_EPOCH } from '../../../chain/calendar.ts';
import { AnswerError } from '../../answers/error.ts';
import { shown } from '../../answers/json.ts';
import type { Registry, ValidatorRecord } from '../../chain/types.ts';
import * as read from './bytes.ts';
import type { ElementReader } from './elements.ts';

const { literal, standsAt, endOfDecimal, numberAt } = read;
const INDEX = literal('{"index":');
const BALANCE = literal(',"balance":');
const STATUS = literal(',"status":"');
const PUBKEY = literal('","validator":{"pubkey":"0x');
const CREDENTIALS = literal('","withdrawal_credentials":"0x');
const EFFECTIVE = literal('","effective_balance":');
const SLASHED = literal(',"slashed":');
const [TRUE, FALSE] = [literal('true'), literal('false')];
const EPOCHS = [
  'activation_eligibility_epoch',
  'activation_epoch',
  'exit_epoch',
  'withdrawable_epoch',
] as const;
const EPOCH_FIELDS = EPOCHS.map((name) => literal(`,"${name}":`));
const END = literal('}}');
const FAR_FUTURE = literal(`"${FAR_FUTURE_EPOCH}"`);
/** Longer than any entry. */
const LONGEST = 640;
const [PUBKEY_BYTES, CREDENTIALS_BYTES] = [48, 32];

const nibbles = new Uint8Array(256).fill(255);
for (let i = 0; i < 16; i += 1) {
  nibbles[i.toString(16).charCodeAt(0)] = i;
  nibbles[i.toString(16).toUpperCase().charCodeAt(0)] = i;
}

function hexInto(target: Uint8Array, start: number, bytes: Uint8Array, from: number, count: number): boolean {
  let wrong = 0;
  for (let i = 0; i < count; i += 1) {
    const high = nibbles[bytes[from + 2 * i] as number] as number;
    const low = nibbles[bytes[from + 2 * i + 1] as number] as number;
    wrong |= high | low;
    target[start + i] = (high << 4) | low;
  }
  return wrong < 16;
}

const hexOf = (bytes: Uint8Array, from: number, count: number): string =>
  `0x${Buffer.from(bytes.buffer, bytes.byteOffset + from, count).toString('hex')}`;

/** Uses about 130 bytes per validator. */
class Columns implements Registry, Iterable<ValidatorRecord> {
  size = 0;
  readonly pubkeys: Uint8Array;
  readonly credentials: Uint8Array;
  readonly effective: Float64Array;
  readonly slashed: Uint8Array;
  readonly epochs: readonly Float64Array[];
  readonly seen: Uint8Array;

  constructor(capacity: number) {
    this.pubkeys = new Uint8Array(capacity * PUBKEY_BYTES);
    this.credentials = new Uint8Array(capacity * CREDENTIALS_BYTES);
    this.effective = new Float64Array(capacity);
    this.slashed = new Uint8Array(capacity);
    this.epochs = EPOCHS.map(() => new Float64Array(capacity));
    this.seen = new Uint8Array(capacity);
  }

  record(index: number): ValidatorRecord {
    if (!this.seen[index]) throw new RangeError(`no validator ${index}`);
    const epoch = (k: number) => (this.epochs[k] as Float64Array)[index] as number;
    return {
      index,
      pubkey: hexOf(this.pubkeys, index * PUBKEY_BYTES, PUBKEY_BYTES),
      withdrawalCredentials: hexOf(this.credentials, index * CREDENTIALS_BYTES, CREDENTIALS_BYTES),
      effectiveBalance: this.effective[index] as number,
      slashed: this.slashed[index] === 1,
      activationEligibilityEpoch: epoch(0),
      activationEpoch: epoch(1),
      exitEpoch: epoch(2),
      withdrawableEpoch: epoch(3),
    };
  }

  *[Symbol.iterator](): Iterator<ValidatorRecord> {
    for (let index = 0; index < this.size; index += 1) yield this.record(index);
  }
}

export function readRecord(value: unknown): ValidatorRecord {
  const entry = read.objectAt(value, 'an entry');
  const validator = read.objectAt(entry.validator, 'validator');
  if (typeof validator.slashed !== 'boolean')
    throw new AnswerError(`slashed is ${shown(validator.slashed)} in place of true or false`);
  const [eligibility, activation, exit, withdrawable] = EPOCHS.map((name) =>
    read.epochNumber(validator[name], name),
  ) as [number, number, number, number];
  return {
    index: read.decimal(entry.index, 'index', read.MAX_INDEX),
    pubkey: read.hex(validator.pubkey, 'pubkey', PUBKEY_BYTES),
    withdrawalCredentials: read.hex(
      validator.withdrawal_credentials,
      'withdrawal_credentials',
      CREDENTIALS_BYTES,
    ),
    effectiveBalance: read.decimal(validator.effective_balance, 'effective_balance'),
    slashed: validator.slashed,
    activationEligibilityEpoch: eligibility,
    activationEpoch: activation,
    exitEpoch: exit,
    withdrawableEpoch: withdrawable,
  };
}

export class RegistryReader implements ElementReader {
  readonly #columns: Columns;
  readonly #size: number;
  #epochsRead = [0, 0, 0, 0];
  #at = 0;

  constructor(size: number) {
    this.#size = size;
    this.#columns = new Columns(size);
  }

  fast(bytes: Uint8Array, from: number, to: number): number {
    if (to - from < LONGEST || !standsAt(bytes, from, INDEX)) return 0;
    const indexAt = from + INDEX.length;
    const indexEnd = endOfDecimal(bytes, indexAt, 9);
    if (indexEnd === 0 || !standsAt(bytes, indexEnd, BALANCE)) return 0;
    const index = numberAt(bytes, indexAt);
    if (index >= this.#size) return 0;
    const keys = this.#keysAt(bytes, indexEnd + BALANCE.length);
    if (keys === 0) return 0;
    const columns = this.#columns;
    const pubkey = index * PUBKEY_BYTES;
    const credentials = index * CREDENTIALS_BYTES;
    if (columns.seen[index]) return 0;
    let at = keys + 2 * PUBKEY_BYTES;
    if (!standsAt(bytes, at, CREDENTIALS)) return 0;
    if (!hexInto(columns.pubkeys, pubkey, bytes, keys, PUBKEY_BYTES)) return 0;
    at += CREDENTIALS.length;
    if (!hexInto(columns.credentials, credentials, bytes, at, CREDENTIALS_BYTES)) return 0;
    at += 2 * CREDENTIALS_BYTES;
    const end = this.#numbersAt(bytes, at, index);
    if (end === 0) return 0;
    columns.seen[index] = 1;
    columns.size += 1;
    return end;
  }

  #keysAt(bytes: Uint8Array, from: number): number {
    let at = endOfDecimal(bytes, from, 15);
    if (at === 0 || !standsAt(bytes, at, STATUS)) return 0;
    at += STATUS.length;
    while (((bytes[at] as number) >= 0x61 && (bytes[at] as number) <= 0x7a) || bytes[at] === 0x5f) at += 1;
    return standsAt(bytes, at, PUBKEY) ? at + PUBKEY.length : 0;
  }

  #numbersAt(bytes: Uint8Array, from: number, index: number): number {
    if (!standsAt(bytes, from, EFFECTIVE)) return 0;
    const effective = from + EFFECTIVE.length;
    const effectiveEnd = endOfDecimal(bytes, effective, 15);
    if (effectiveEnd === 0 || !standsAt(bytes, effectiveEnd, SLASHED)) return 0;
    this.#at = effectiveEnd + SLASHED.length;
    const slashed = standsAt(bytes, this.#at, TRUE);
    if (!slashed && !standsAt(bytes, this.#at, FALSE)) return 0;
    this.#at += slashed ? 4 : 5;
    for (let k = 0; k < 4; k += 1) if (!this.#epochAt(bytes, k)) return 0;
    if (!standsAt(bytes, this.#at, END)) return 0;
    const columns = this.#columns;
    columns.effective[index] = numberAt(bytes, effective);
    columns.slashed[index] = slashed ? 1 : 0;
    for (let k = 0; k < 4; k += 1) (columns.epochs[k] as Float64Array)[index] = this.#epochsRead[k] as number;
    return this.#at + END.length;
  }

  #epochAt(bytes: Uint8Array, k: number): boolean {
    const name = EPOCH_FIELDS[k] as Uint8Array;
    if (!standsAt(bytes, this.#at, name)) return false;
    const from = this.#at + name.length;
    const far = standsAt(bytes, from, FAR_FUTURE);
    const end = far ? from + FAR_FUTURE.length : endOfDecimal(bytes, from, 15);
    if (end === 0) return false;
    this.#epochsRead[k] = far ? Number.POSITIVE_INFINITY : numberAt(bytes, from);
    this.#at = end;
    return true;
  }

  slow(value: unknown): void {
    const record = readRecord(value);
    const { index } = record;
    const columns = this.#columns;
    if (index >= this.#size)
      throw new AnswerError(`validator ${index} is listed, but the balances end with ${this.#size - 1}`);
    if (columns.seen[index]) throw new AnswerError(`validator ${index} is listed twice`);
    columns.pubkeys.set(Buffer.from(record.pubkey.slice(2), 'hex'), index * PUBKEY_BYTES);
    columns.credentials.set(
      Buffer.from(record.withdrawalCredentials.slice(2), 'hex'),
      index * CREDENTIALS_BYTES,
    );
    columns.effective[index] = record.effectiveBalance;
    columns.slashed[index] = record.slashed ? 1 : 0;
    const epochs = [
      record.activationEligibilityEpoch,
      record.activationEpoch,
      record.exitEpoch,
      record.withdrawableEpoch,
    ];
    epochs.forEach((epoch, k) => {
      (columns.epochs[k] as Float64Array)[index] = epoch;
    });
    columns.seen[index] = 1;
    columns.size += 1;
  }

  result(): Registry & Iterable<ValidatorRecord> {
    if (this.#columns.size !== this.#size)
      throw new AnswerError(`${this.#columns.size} of ${this.#size} validators are listed`, 'cut');
    return this.#columns;
  }
}
