import { isFull, isGloas } from './payloads.ts';
import { type Block, known, type Recording } from './recording.ts';

export const SLOTS = 32;
export const epochOf = (slot: number) => Math.floor(slot / SLOTS);

export const flagNames = ['source', 'target', 'head'] as const;
export type Flag = (typeof flagNames)[number];

/** What became of the vote of a validator in an epoch. */
export type Vote = {
  /** Delay of the first inclusion. */
  delay: number;
  wrongHead: boolean;
  wrongTarget: boolean;
  lateSource: boolean;
  lateTarget: boolean;
  /** Flags of any inclusion. */
  flags: Set<Flag>;
};

const bitsOf = (hex: string) => {
  const bytes = Buffer.from(hex.slice(2), 'hex');
  return (position: number) => (((bytes[position >> 3] as number) >> (position & 7)) & 1) === 1;
};

/** Positions whose bit is set. */
export function setBits(hex: string, length: number): number[] {
  const bit = bitsOf(hex);
  return Array.from({ length }, (_, position) => position).filter(bit);
}

/** Who took part in an attestation, in the order of its bits. */
function attesters(recording: Recording, attestation: any): number[] {
  const slot = Number(attestation.data.slot);
  const { committees } = known(recording.duties.get(epochOf(slot)), `duties of slot ${slot}`);
  const ofSlot = known(committees.get(slot), `committees of slot ${slot}`);
  const chosen = setBits(attestation.committee_bits, 64).map((index) => ofSlot[index] as number[]);
  const members = chosen.flat();
  return setBits(attestation.aggregation_bits, members.length).map((position) => members[position] as number);
}

/** The slot of the last block at or before a slot. */
function blockSlot(recording: Recording, slot: number): number {
  let at = slot;
  while (at > recording.anchor && !recording.roots.has(at)) at -= 1;
  return at;
}

/** The root of the last block at or before a slot. */
const rootAt = (recording: Recording, slot: number): string | undefined =>
  recording.roots.get(blockSlot(recording, slot));

/** Whether a vote since Gloas, for a block that is the right one, is wrong about its payload. */
function wrongAboutPayload(recording: Recording, { slot, index }: { slot: number; index: number }): boolean {
  const attested = blockSlot(recording, slot);
  if (attested === slot) return false; // a vote in the block's own slot says nothing
  return (index === 1) !== isFull(recording, attested);
}

/** Votes by epoch and validator, as blocks add them. */
export class Votes {
  private readonly byEpoch = new Map<number, Map<number, Vote>>();
  private readonly recording: Recording;

  constructor(recording: Recording) {
    this.recording = recording;
  }

  of(epoch: number): Map<number, Vote> {
    let votes = this.byEpoch.get(epoch);
    if (!votes) this.byEpoch.set(epoch, (votes = new Map()));
    return votes;
  }

  /** Adds an attestation of a block; returns the flags that are new, for which its proposer is paid. */
  add(block: Block, attestation: any): { validator: number; flag: Flag }[] {
    const { data } = attestation;
    const slot = Number(data.slot);
    const target = Number(data.target.epoch);
    const delay = block.slot - slot;
    const targetOk = data.target.root === rootAt(this.recording, SLOTS * target);
    const headOk = data.beacon_block_root === rootAt(this.recording, slot);
    const wrong = wrongAboutPayload(this.recording, { slot, index: Number(data.index) });
    const wrongFor = (at: number) => isGloas(this.recording, at) && wrong;
    const earned: Flag[] = [
      ...(delay <= 5 ? (['source'] as const) : []),
      ...(targetOk ? (['target'] as const) : []),
      ...(targetOk && headOk && delay === 1 && !wrongFor(block.slot) ? (['head'] as const) : []),
    ];
    const fresh: { validator: number; flag: Flag }[] = [];
    const votes = this.of(target);
    for (const validator of attesters(this.recording, attestation)) {
      let vote = votes.get(validator);
      if (!vote) {
        vote = {
          delay,
          wrongHead: !headOk || wrongFor(slot),
          wrongTarget: !targetOk,
          lateSource: delay > 5,
          // Since Deneb, a target counts however late.
          lateTarget: false,
          flags: new Set(),
        };
        votes.set(validator, vote);
      }
      for (const flag of earned) {
        if (vote.flags.has(flag)) continue;
        vote.flags.add(flag);
        fresh.push({ validator, flag });
      }
    }
    return fresh;
  }
}
