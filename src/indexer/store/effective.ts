import { inEth } from './reward-table.ts';

const WIDTH = 6;

/** Encodes the effective balances of this epoch that differ in the next one. */
export function effectiveChanges(now: Float64Array, next: Float64Array): Buffer {
  const [own, later] = [inEth(now), inEth(next)];
  const changed: number[] = [];
  for (let v = 0; v < own.length; v += 1) if (own[v] !== later[v]) changed.push(v);
  const bytes = Buffer.alloc(changed.length * WIDTH);
  for (const [at, v] of changed.entries()) put(bytes, at * WIDTH, v, own[v] as number);
  return bytes;
}

function put(bytes: Buffer, at: number, validator: number, eth: number): void {
  bytes.writeUInt32LE(validator, at);
  bytes.writeUInt16LE(eth, at + 4);
}

function exchange(eth: Uint16Array, changes: Buffer): Buffer {
  const undo = Buffer.alloc(changes.length);
  for (let at = 0; at < changes.length; at += WIDTH) {
    const validator = changes.readUInt32LE(at);
    put(undo, at, validator, eth[validator] as number);
    eth[validator] = changes.readUInt16LE(at + 4);
  }
  return undo;
}

/** Effective balances of earlier epochs, in ETH, from the last epoch's balances and the changes. */
export class EffectiveBalances {
  /** Balances of the first epoch; `pass` advances them to the next epoch. */
  readonly eth: Uint16Array;
  readonly #changes = new Map<number, Buffer>();

  /** `changes` covers all epochs before the last one, newest first. */
  constructor(last: Float64Array, changes: readonly { epoch: number; changes: Buffer }[]) {
    this.eth = inEth(last);
    for (const one of changes) this.#changes.set(one.epoch, exchange(this.eth, one.changes));
  }

  pass(epoch: number): void {
    const changes = this.#changes.get(epoch);
    if (changes) exchange(this.eth, changes);
  }
}
