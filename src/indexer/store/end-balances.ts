import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { ETH, inEth } from './reward-table.ts';
import type { EndBalances } from './validator-rows.ts';

const compress = promisify<Buffer, { level: number }, Buffer>(deflateRaw);
const decompress = promisify<Buffer, Buffer>(inflateRaw);
const TWO_TO_32 = 2 ** 32;
/** Four bytes of a balance below 2^32 Gwei, four of the rest, and two of the effective balance in ETH. */
const WIDTH = 10;

/** Equal bytes stand together, which makes three to four bytes of a validator. */
export function packBalances({ balances, effectiveBalances }: EndBalances): Promise<Buffer> {
  const size = balances.length;
  const low = new Uint32Array(size);
  const high = new Uint32Array(size);
  for (const [at, balance] of balances.entries()) {
    low[at] = balance % TWO_TO_32;
    high[at] = Math.floor(balance / TWO_TO_32);
  }
  const planes = [low, high, inEth(effectiveBalances)].map(({ buffer }) => new Uint8Array(buffer));
  return compress(Buffer.concat(planes), { level: 1 });
}

export async function unpackBalances(stored: Buffer): Promise<EndBalances> {
  const { buffer } = Uint8Array.from(await decompress(stored));
  const size = buffer.byteLength / WIDTH;
  const low = new Uint32Array(buffer, 0, size);
  const high = new Uint32Array(buffer, size * 4, size);
  const eth = new Uint16Array(buffer, size * 8, size);
  return {
    balances: Float64Array.from(low, (value, at) => (high[at] as number) * TWO_TO_32 + value),
    effectiveBalances: Float64Array.from(eth, (value) => value * ETH),
  };
}
