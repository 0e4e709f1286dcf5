import { AnswerError } from '../../answers/error.ts';
import { parsed, shown } from '../../answers/json.ts';
import type { ExecutionPayload } from '../../chain/types.ts';
import { countTransaction, payloadHeader, withdrawalsOf } from '../payload-fields.ts';
import { hex } from './bytes.ts';

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [LEFT, RIGHT, LIST, LIST_END] = [0x7b, 0x7d, 0x5b, 0x5d];
const NULL_START = 0x6e;
const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** Fields of `payload` with many bytes. The transactions are counted, the others are passed over. */
const passedOver = new Set(['block_access_list', 'logs_bloom', 'extra_data']);

export type Envelope = { beaconBlockRoot: string; payload: ExecutionPayload };

/** Walks through JSON without making values of what nobody reads. */
class Walker {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  #cut(): AnswerError {
    return new AnswerError(`the answer ends in the middle, after ${this.#bytes.length} bytes`, 'cut');
  }

  #wrong(): AnswerError {
    const from = Math.max(0, this.#at - 10);
    return new AnswerError(
      `JSON is expected, but the answer has ${shown(this.#bytes.toString('utf8', from, from + 60))}`,
    );
  }

  #peek(): number {
    while (isSpace(this.#bytes[this.#at])) this.#at += 1;
    if (this.#at >= this.#bytes.length) throw this.#cut();
    return this.#bytes[this.#at] as number;
  }

  #take(byte: number): void {
    if (this.#peek() !== byte) throw this.#wrong();
    this.#at += 1;
  }

  /** Passes over a string; returns where its content begins and ends. */
  #string(): [from: number, to: number] {
    this.#take(QUOTE);
    const from = this.#at;
    for (let end = this.#bytes.indexOf(QUOTE, from); end >= 0; end = this.#bytes.indexOf(QUOTE, end + 1)) {
      let escapes = 0;
      while (this.#bytes[end - 1 - escapes] === BACKSLASH && end - 1 - escapes >= from) escapes += 1;
      if (escapes % 2 === 1) continue;
      this.#at = end + 1;
      return [from, end];
    }
    throw this.#cut();
  }

  pass(): void {
    const byte = this.#peek();
    if (byte === QUOTE) this.#string();
    else if (byte === LEFT) this.object(() => this.pass());
    else if (byte === LIST) this.list(() => this.pass());
    else {
      const from = this.#at;
      while (/[\w.+-]/.test(String.fromCharCode(this.#bytes[this.#at] ?? 0))) this.#at += 1;
      if (this.#at === from) throw this.#wrong();
    }
  }

  value(): unknown {
    this.#peek();
    const from = this.#at;
    this.pass();
    try {
      return parsed(this.#bytes.toString('utf8', from, this.#at));
    } catch {
      throw this.#wrong();
    }
  }

  object(read: (key: string) => void): void {
    this.#take(LEFT);
    if (this.#ends(RIGHT)) return;
    do {
      const [from, to] = this.#string();
      this.#take(COLON);
      read(this.#bytes.toString('latin1', from, to));
    } while (this.#goesOn(RIGHT));
  }

  /** Null, as nodes written in Go may write an empty list, has no items. */
  list(read: () => void): void {
    if (this.#peek() === NULL_START) {
      this.pass();
      return;
    }
    this.#take(LIST);
    if (this.#ends(LIST_END)) return;
    do read();
    while (this.#goesOn(LIST_END));
  }

  /** Passes over a string of hex and returns its first byte. */
  firstByte(): number {
    const [from, to] = this.#string();
    const text = this.#bytes.toString('latin1', from, Math.min(to, from + 4));
    if (!/^0x[0-9a-fA-F]{2}$/.test(text))
      throw new AnswerError(`a transaction begins with ${shown(text)} in place of a byte in hex`);
    return Number.parseInt(text.slice(2), 16);
  }

  end(): void {
    while (isSpace(this.#bytes[this.#at])) this.#at += 1;
    if (this.#at < this.#bytes.length) throw this.#wrong();
  }

  #ends(byte: number): boolean {
    if (this.#peek() !== byte) return false;
    this.#at += 1;
    return true;
  }

  #goesOn(end: number): boolean {
    const byte = this.#peek();
    if (byte !== COMMA && byte !== end) throw this.#wrong();
    this.#at += 1;
    return byte === COMMA;
  }
}

/** Reads an answer of `execution_payload_envelopes`, hundreds of kilobytes of which are transactions. */
export function readEnvelope(bytes: Buffer): Envelope {
  const walker = new Walker(bytes);
  const fields: Record<string, unknown> = {};
  const message: Record<string, unknown> = {};
  let optimistic: unknown;
  const transactions = { type0: 0, type1: 0, type2: 0, total: 0 };
  const readPayload = (key: string) => {
    if (key === 'transactions') walker.list(() => countTransaction(transactions, walker.firstByte()));
    else if (passedOver.has(key)) walker.pass();
    else fields[key] = walker.value();
  };
  const readMessage = (key: string) => {
    if (key === 'payload') walker.object(readPayload);
    else if (key === 'beacon_block_root') message[key] = walker.value();
    else walker.pass();
  };
  const readData = (key: string) => (key === 'message' ? walker.object(readMessage) : walker.pass());
  walker.object((key) => {
    if (key === 'data') walker.object(readData);
    else if (key === 'execution_optimistic') optimistic = walker.value();
    else walker.pass();
  });
  walker.end();
  if (optimistic === true)
    throw new AnswerError('the execution client of this node has not verified the payload yet', 'optimistic');
  return {
    beaconBlockRoot: hex(message.beacon_block_root, 'beacon_block_root', 32),
    payload: { ...payloadHeader(fields), transactions, ...withdrawalsOf(fields) },
  };
}
