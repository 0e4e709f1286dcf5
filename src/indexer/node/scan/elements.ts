import { AnswerError } from '../../answers/error.ts';
import { parsed, shown } from '../../answers/json.ts';
import { literal, standsAt } from './bytes.ts';

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [LEFT, RIGHT, LIST, LIST_END] = [0x7b, 0x7d, 0x5b, 0x5d];
const NULL = literal('null');
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const MAX_ELEMENT_BYTES = 1 << 20;
const MAX_ENVELOPE_BYTES = 1 << 16;

export type ElementReader = {
  /** Returns the end of a compact JSON object with the usual key order; otherwise 0. */
  fast(bytes: Uint8Array, from: number, to: number): number;
  slow(value: unknown): void;
};

function endOfValue(bytes: Uint8Array, from: number, to: number): number {
  let depth = 0;
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) {
      for (at += 1; at < to && bytes[at] !== QUOTE; at += 1) if (bytes[at] === BACKSLASH) at += 1;
    } else if (byte === LEFT || byte === LIST) depth += 1;
    else if ((byte === RIGHT || byte === LIST_END) && --depth === 0) return at + 1;
  }
  return 0;
}

/** Reads `{…, "data": [objects], …}` without buffering the list. The text around the list is parsed last. */
export class ElementScanner {
  readonly #reader: ElementReader;
  #parts: Buffer[] = [];
  #waiting = 0;
  /** The next scan waits for this many bytes. Doubling them keeps small chunks cheap. */
  #enough = 0;
  #phase: 'envelope' | 'elements' | 'after' = 'envelope';
  #envelope: Buffer[] = [];
  #envelopeBytes = 0;
  #hasElement = false;
  #expectsElement = true;
  count = 0;

  constructor(reader: ElementReader) {
    this.#reader = reader;
  }

  push(chunk: Buffer): void {
    if (this.#phase === 'after') {
      this.#keep(chunk);
      return;
    }
    this.#parts.push(chunk);
    this.#waiting += chunk.length;
    if (this.#waiting >= this.#enough) this.#scan();
  }

  /** Returns the response with an empty `data`. */
  end(): Record<string, unknown> {
    this.#scan();
    if (this.#phase !== 'after')
      throw new AnswerError(
        this.#phase === 'envelope'
          ? `a list named data is expected, but the answer is ${this.#start()}`
          : `the answer ends in the middle, after ${this.count} entries`,
        this.#phase === 'envelope' ? 'nonsense' : 'cut',
      );
    const [before, ...after] = this.#envelope as [Buffer, ...Buffer[]];
    const start = before.toString('utf8');
    const rest = Buffer.concat(after).toString('utf8');
    try {
      const again: Record<string, unknown> = JSON.parse(`{"data":0${rest.slice(1)}`);
      if (again.data === 0) return JSON.parse(start + rest);
    } catch {
      const reason = rest.trimEnd().endsWith('}') ? 'nonsense' : 'cut';
      throw new AnswerError(`what surrounds the list is not JSON: ${shown(start + rest)}`, reason);
    }
    throw new AnswerError('the answer has data twice');
  }

  #start(): string {
    return shown(Buffer.concat(this.#parts).toString('utf8', 0, 100));
  }

  #keep(part: Buffer): void {
    this.#envelopeBytes += part.length;
    if (this.#envelopeBytes > MAX_ENVELOPE_BYTES)
      throw new AnswerError(`more than ${MAX_ENVELOPE_BYTES} bytes surround the list`);
    this.#envelope.push(Buffer.from(part));
  }

  #scan(): void {
    const bytes = this.#parts.length === 1 ? (this.#parts[0] as Buffer) : Buffer.concat(this.#parts);
    const used = this.#phase === 'envelope' ? this.#findList(bytes) : 0;
    const read = this.#phase === 'elements' ? this.#readElements(bytes, used) : used;
    if (this.#phase === 'after') {
      this.#keep(bytes.subarray(read));
      this.#parts = [];
      return;
    }
    const rest = bytes.subarray(read);
    if (rest.length > MAX_ELEMENT_BYTES)
      throw new AnswerError(
        this.#phase === 'envelope'
          ? `a list named data is expected, but the answer is ${this.#start()}`
          : `entry ${this.count} is longer than ${MAX_ELEMENT_BYTES} bytes`,
      );
    this.#parts = rest.length ? [rest] : [];
    this.#waiting = rest.length;
    this.#enough = rest.length * 2;
  }

  #findList(bytes: Buffer): number {
    let at = 0;
    while (at < bytes.length && isSpace(bytes[at] as number)) at += 1;
    if (at < bytes.length && bytes[at] !== LEFT)
      throw new AnswerError(
        `JSON is expected, but the answer is ${shown(bytes.toString('utf8', at, at + 100))}`,
      );
    for (at += 1; at < bytes.length; at += 1) {
      const byte = bytes[at] as number;
      if (byte === LEFT || byte === LIST) {
        const end = endOfValue(bytes, at, bytes.length);
        if (end === 0) return 0;
        at = end - 1;
      } else if (byte === QUOTE) {
        let end = at + 1;
        while (end < bytes.length && bytes[end] !== QUOTE) end += bytes[end] === BACKSLASH ? 2 : 1;
        const isData = end === at + 5 && bytes.toString('latin1', at + 1, end) === 'data';
        at = end;
        if (!isData) continue;
        const list = this.#listAfter(bytes, end + 1);
        if (list !== undefined) return list;
      }
    }
    return 0;
  }

  #listAfter(bytes: Buffer, from: number): number | undefined {
    let at = from;
    while (at < bytes.length && isSpace(bytes[at] as number)) at += 1;
    if (at >= bytes.length) return 0;
    if (bytes[at] !== COLON) return undefined;
    for (at += 1; at < bytes.length && isSpace(bytes[at] as number); ) at += 1;
    if (at >= bytes.length) return 0;
    if (bytes[at] === NULL[0] && bytes.length < at + NULL.length) return 0;
    if (standsAt(bytes, at, NULL)) return this.#emptyList(bytes, at);
    if (bytes[at] !== LIST)
      throw new AnswerError(`data is not a list but ${shown(bytes.toString('utf8', at, at + 60))}`);
    this.#keep(bytes.subarray(0, at + 1));
    this.#phase = 'elements';
    return at + 1;
  }

  #emptyList(bytes: Buffer, at: number): number {
    this.#keep(Buffer.concat([bytes.subarray(0, at), Buffer.from('[')]));
    this.#keep(Buffer.from(']'));
    this.#phase = 'after';
    return at + NULL.length;
  }

  #readElements(bytes: Buffer, from: number): number {
    const { fast } = this.#reader;
    const to = bytes.length;
    let at = from;
    while (at < to) {
      const byte = bytes[at] as number;
      if (byte === LEFT && this.#expectsElement) {
        const end = fast.call(this.#reader, bytes, at, to) || this.#readSlowly(bytes, at);
        if (end === 0) return at;
        at = end;
        this.count += 1;
        this.#hasElement = true;
        this.#expectsElement = false;
      } else if (byte === COMMA && !this.#expectsElement) {
        this.#expectsElement = true;
        at += 1;
      } else if (byte === LIST_END && !(this.#expectsElement && this.#hasElement)) {
        this.#phase = 'after';
        return at;
      } else if (isSpace(byte)) at += 1;
      else
        throw new AnswerError(
          `entry ${this.count} of the list is ${shown(bytes.toString('utf8', at, at + 60))}`,
        );
    }
    return at;
  }

  #readSlowly(bytes: Buffer, from: number): number {
    const end = endOfValue(bytes, from, bytes.length);
    if (end === 0) return 0;
    let value: unknown;
    const text = bytes.toString('utf8', from, end);
    try {
      value = parsed(text);
    } catch {
      throw new AnswerError(`entry ${this.count} of the list is not JSON: ${shown(text)}`);
    }
    this.#reader.slow(value);
    return end;
  }
}
