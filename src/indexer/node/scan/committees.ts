import { AnswerError } from '../../answers/error.ts';
import type { Committees } from '../../chain/types.ts';
import { decimal, endOfDecimal, listAt, literal, MAX_INDEX, numberAt, objectAt, standsAt } from './bytes.ts';
import type { ElementReader } from './elements.ts';

const INDEX = literal('{"index":');
const SLOT = literal(',"slot":');
const VALIDATORS = literal(',"validators":[');
const [COMMA, LIST_END] = [0x2c, 0x5d];
const MARGIN = 80;

type Committee = { slot: number; index: number; from: number; to: number };
type Shape = { epoch: number; slotsPerEpoch: number; maxPerSlot: number };

/** Committees may come in any order. */
export class CommitteeReader implements ElementReader {
  readonly #shape: Shape;
  readonly #parts: Committee[] = [];
  #members: Uint32Array;
  #size = 0;

  constructor(shape: Shape, expected = 1 << 16) {
    this.#shape = shape;
    this.#members = new Uint32Array(expected);
  }

  fast(bytes: Uint8Array, from: number, to: number): number {
    if (to - from < MARGIN || !standsAt(bytes, from, INDEX)) return 0;
    const index = from + INDEX.length;
    const indexEnd = endOfDecimal(bytes, index, 9);
    if (indexEnd === 0 || !standsAt(bytes, indexEnd, SLOT)) return 0;
    const slot = indexEnd + SLOT.length;
    const slotEnd = endOfDecimal(bytes, slot, 15);
    if (slotEnd === 0 || !standsAt(bytes, slotEnd, VALIDATORS)) return 0;
    const start = this.#size;
    const end = this.#fastMembers(bytes, slotEnd + VALIDATORS.length, to);
    if (end === 0) {
      this.#size = start;
      return 0;
    }
    this.#add(numberAt(bytes, slot), numberAt(bytes, index), start);
    return end;
  }

  #fastMembers(bytes: Uint8Array, from: number, to: number): number {
    for (let at = from; at < to - 16; ) {
      const end = endOfDecimal(bytes, at, 9);
      if (end === 0) return 0;
      this.#push(numberAt(bytes, at));
      if (bytes[end] === LIST_END) return bytes[end + 1] === 0x7d ? end + 2 : 0;
      if (bytes[end] !== COMMA) return 0;
      at = end + 1;
    }
    return 0;
  }

  slow(value: unknown): void {
    const entry = objectAt(value, 'a committee');
    const start = this.#size;
    for (const member of listAt(entry.validators, 'validators'))
      this.#push(decimal(member, 'a validator', MAX_INDEX));
    this.#add(decimal(entry.slot, 'slot'), decimal(entry.index, 'index'), start);
  }

  #push(member: number): void {
    if (this.#size === this.#members.length) {
      const more = new Uint32Array(this.#size * 2);
      more.set(this.#members);
      this.#members = more;
    }
    this.#members[this.#size++] = member;
  }

  #add(slot: number, index: number, from: number): void {
    const { epoch, slotsPerEpoch, maxPerSlot } = this.#shape;
    if (Math.floor(slot / slotsPerEpoch) !== epoch)
      throw new AnswerError(`a committee is of slot ${slot}, which is not in epoch ${epoch}`);
    if (index >= maxPerSlot) throw new AnswerError(`slot ${slot} has a committee ${index}`);
    this.#parts.push({ slot, index, from, to: this.#size });
  }

  result(): Committees {
    const { epoch, slotsPerEpoch } = this.#shape;
    const perSlot = this.#parts.length / slotsPerEpoch;
    if (perSlot < 1 || !Number.isInteger(perSlot))
      throw new AnswerError(
        `epoch ${epoch} has ${this.#parts.length} committees for ${slotsPerEpoch} slots, among which they do not divide evenly`,
      );
    const ordered = this.#parts.toSorted((a, b) => a.slot - b.slot || a.index - b.index);
    const offsets = new Uint32Array(ordered.length + 1);
    const members = new Uint32Array(this.#size);
    let at = 0;
    ordered.forEach(({ slot, index, from, to }, k) => {
      const expected = epoch * slotsPerEpoch + Math.floor(k / perSlot);
      if (slot !== expected || index !== k % perSlot)
        throw new AnswerError(`slot ${expected} lacks committee ${k % perSlot}, or has one twice`);
      members.set(this.#members.subarray(from, to), at);
      at += to - from;
      offsets[k + 1] = at;
    });
    checkOnce(members);
    return { epoch, perSlot, offsets, members };
  }
}

function checkOnce(members: Uint32Array): void {
  let highest = 0;
  for (const member of members) if (member > highest) highest = member;
  if (highest > MAX_INDEX) throw new AnswerError(`a committee has validator ${highest}`);
  const seen = new Uint8Array(highest + 1);
  for (const member of members) {
    if (seen[member]) throw new AnswerError(`validator ${member} is in two committees of an epoch`);
    seen[member] = 1;
  }
}
