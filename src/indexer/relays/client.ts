import { z } from 'zod';
import type { Payload } from '../execution/figures.ts';
import { type Source, SourceError } from '../execution/source.ts';

/** The smallest maximum among the relays. */
const PAGE = 100;

const decimal = z.string().regex(/^\d{1,30}$/);
const digits = (bytes: number) =>
  z
    .string()
    .regex(new RegExp(`^0x[0-9a-f]{${bytes * 2}}$`, 'i'))
    .toLowerCase();
const Delivered = z.array(
  z.object({
    slot: decimal.transform(Number),
    block_hash: digits(32),
    builder_pubkey: digits(48),
    proposer_fee_recipient: digits(20),
    value: decimal.transform(BigInt),
  }),
);

/** A range of at least this many slots is read by pages; the relay may know slots in between that nobody asks for. */
const FEW = 4;

/** Payloads that a relay delivered for these slots (relay data API, `proposer_payload_delivered`). Throws SourceError. */
export async function deliveredBy(source: Source, slots: readonly number[]): Promise<Payload[]> {
  const wanted = new Set(slots);
  const found =
    slots.length < FEW
      ? (await Promise.all(slots.map((slot) => page(source, `slot=${slot}`)))).flat()
      : await pages(source, Math.min(...slots), Math.max(...slots));
  return found.filter(({ slot }) => wanted.has(slot));
}

/** From the last slot down, until a page has nothing new: relays may make pages shorter than asked. */
async function pages(source: Source, first: number, last: number): Promise<Payload[]> {
  const found = new Map<string, Payload>();
  for (let cursor = last; cursor >= first; ) {
    const before = found.size;
    let lowest = cursor;
    for (const payload of await page(source, `cursor=${cursor}`)) {
      if (payload.slot > cursor)
        throw new SourceError('nonsense', source.name, `tells slot ${payload.slot} after cursor ${cursor}`);
      found.set(`${payload.slot} ${payload.blockHash}`, payload);
      lowest = Math.min(lowest, payload.slot);
    }
    if (found.size === before) break;
    cursor = lowest === cursor ? lowest - 1 : lowest;
  }
  return [...found.values()];
}

async function page(source: Source, asked: string): Promise<Payload[]> {
  const path = `/relay/v1/data/bidtraces/proposer_payload_delivered?${asked}&limit=${PAGE}`;
  const { status, value } = await source.json(path);
  if (status >= 400) throw new SourceError('refused', source.name, `responds with ${status} to ${asked}`);
  // Go marshals an empty list as null.
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
