import { once } from 'node:events';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { DAY_MS } from '../../kernel/time.ts';

const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const CHUNK = 1 << 20;
const TWO_TO_32 = 2 ** 32;
/** In bytes. */
const MAX_ROW = 4_096;
const END = Buffer.from([0xff, 0xff]);

export class BinaryRows {
  private chunk = Buffer.allocUnsafe(CHUNK);
  private at = 0;

  row(fields: number): void {
    this.at = this.chunk.writeInt16BE(fields, this.at);
  }
  nothing(): void {
    this.at = this.chunk.writeInt32BE(-1, this.at);
  }
  optional<T>(value: T | null, write: (value: T) => void): void {
    if (value === null) this.nothing();
    else write(value);
  }
  boolean(value: boolean): void {
    this.at = this.chunk.writeInt32BE(1, this.at);
    this.at = this.chunk.writeUInt8(value ? 1 : 0, this.at);
  }
  smallint(value: number): void {
    this.at = this.chunk.writeInt32BE(2, this.at);
    this.at = this.chunk.writeInt16BE(value, this.at);
  }
  integer(value: number): void {
    this.at = this.chunk.writeInt32BE(4, this.at);
    this.at = this.chunk.writeInt32BE(value, this.at);
  }
  bigint(value: number): void {
    const high = Math.floor(value / TWO_TO_32);
    this.at = this.chunk.writeInt32BE(8, this.at);
    this.at = this.chunk.writeInt32BE(high, this.at);
    this.at = this.chunk.writeUInt32BE(value - high * TWO_TO_32, this.at);
  }
  bytes(value: Buffer): void {
    this.at = this.chunk.writeInt32BE(value.length, this.at);
    this.at += value.copy(this.chunk, this.at);
  }

  take(all = false): Buffer | undefined {
    if (this.at === 0 || (!all && this.at < CHUNK - MAX_ROW)) return undefined;
    const full = this.chunk.subarray(0, this.at);
    this.chunk = Buffer.allocUnsafe(CHUNK);
    this.at = 0;
    return full;
  }
}

/** `fill` adds at most one row per index. */
export async function copyRows(
  client: pg.ClientBase,
  target: string,
  size: number,
  fill: (rows: BinaryRows, index: number) => void,
): Promise<number> {
  const copy = client.query(copyFrom(`/* copyRows */ copy ${target} from stdin (format binary)`));
  let broken: Error | undefined;
  copy.on('error', (error: Error) => (broken ??= error));
  const write = async (bytes: Buffer) => {
    if (broken) throw broken;
    if (!copy.write(bytes)) await once(copy, 'drain'); // also rejects on an error
  };
  const rows = new BinaryRows();
  try {
    await write(SIGNATURE);
    for (let index = 0; index < size; index += 1) {
      fill(rows, index);
      const full = rows.take();
      if (full) await write(full);
    }
    const rest = rows.take(true);
    if (rest) await write(rest);
    await write(END);
  } catch (error) {
    copy.destroy();
    throw broken ?? error;
  }
  copy.end();
  await once(copy, 'finish');
  return copy.rowCount ?? 0;
}

const POSTGRES_DAY_0 = Date.UTC(2000, 0, 1);
/** Days since 2000-01-01. */
export const daysOfDate = (date: string): number => (Date.parse(date) - POSTGRES_DAY_0) / DAY_MS;
