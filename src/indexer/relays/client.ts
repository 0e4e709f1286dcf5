import { z } from 'zod';
import { address, digits, hash } from '../answers/leaves.ts';
import { type HttpSource, SourceError } from '../answers/source.ts';

export type Payload = {
  relay: string;
  slot: number;
  blockHash: string;
  builderPubkey: string;
  proposerFeeRecipient: string;
  /** In wei. */
  value: bigint;
};

/** The smallest page limit among the relays. */
const PAGE = 100;

/** In a string, as the standard wants, or a number. */
const decimal = z.union([z.string().regex(/^\d{1,30}$/), z.int().nonnegative()]);
const Delivered = z.array(
  z.object({
    slot: decimal.transform(Number),
    block_hash: hash,
    builder_pubkey: digits(48),
    proposer_fee_recipient: address,
    value: decimal.transform(BigInt),
  }),
);

const FEW = 4;
/** A page covers about this many slots; closer slots share requests. */
const NEAR = 200;

export async function deliveredBy(source: HttpSource, slots: readonly number[]): Promise<Payload[]> {
  const found: Payload[] = [];
  for (const group of groupsOf(slots)) {
    const delivered = group.size < FEW ? await singly(source, group) : await pages(source, group);
    found.push(...delivered);
  }
  return found;
}

function groupsOf(slots: readonly number[]): Set<number>[] {
  const groups: Set<number>[] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const slot of slots.toSorted((a, b) => a - b)) {
    if (slot - last >= NEAR) groups.push(new Set());
    groups.at(-1)?.add(slot);
    last = slot;
  }
  return groups;
}

async function singly(source: HttpSource, wanted: ReadonlySet<number>): Promise<Payload[]> {
  const delivered = await Promise.all([...wanted].map((slot) => page(source, `slot=${slot}`)));
  return delivered.flat().filter(({ slot }) => wanted.has(slot));
}

/** Reads on after a short page, because more payloads may follow. */
async function pages(source: HttpSource, wanted: ReadonlySet<number>): Promise<Payload[]> {
  const found = new Map<string, Payload>();
  const first = Math.min(...wanted);
  for (let cursor = Math.max(...wanted); cursor >= first; ) {
    const payloads = await page(source, `cursor=${cursor}`);
    if (payloads.length === 0) break;
    let lowest = cursor;
    for (const payload of payloads) {
      if (payload.slot > cursor)
        throw new SourceError('nonsense', source.name, `lists slot ${payload.slot} after cursor ${cursor}`);
      if (wanted.has(payload.slot)) found.set(`${payload.slot} ${payload.blockHash}`, payload);
      lowest = Math.min(lowest, payload.slot);
    }
    cursor = lowest === cursor ? lowest - 1 : lowest;
  }
  return [...found.values()];
}

async function page(source: HttpSource, filter: string): Promise<Payload[]> {
  const path = `/relay/v1/data/bidtraces/proposer_payload_delivered?${filter}&limit=${PAGE}`;
  const { status, value } = await source.json(path);
  if (status >= 400) throw new SourceError('refused', source.name, `responds with ${status} to ${path}`);
  // Go serializes an empty list as null.
  const read = Delivered.safeParse(value ?? []);
  if (!read.success) {
    const [issue] = read.error.issues;
    const where = issue?.path.join('.') || 'the response';
    throw new SourceError('nonsense', source.name, `${where} ${issue?.message}; is it a relay's address?`);
  }
  return read.data.map((one) => ({
    relay: source.name,
    slot: one.slot,
    blockHash: one.block_hash,
    builderPubkey: one.builder_pubkey,
    proposerFeeRecipient: one.proposer_fee_recipient,
    value: one.value,
  }));
}
