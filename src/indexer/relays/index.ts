import { openHttpSource, SourceError } from '../answers/source.ts';
import { deliveredBy, type Payload } from './client.ts';
import type { RelaySource } from './names.ts';

type DeliveredBlock = { slot: number; hash: string };

export type Relays = {
  /** Maps each slot to the payloads with its block's hash, in relay order. Empty if a relay fails. */
  payloads(blocks: readonly DeliveredBlock[]): Promise<Map<number, Payload[]>>;
};

const MAX_BYTES = 4 << 20;

export function openRelays(options: {
  relays: readonly RelaySource[];
  /** Requests per second to each relay. */
  rate: number;
  timeoutMs: number;
  signal: AbortSignal;
  onError: (error: SourceError) => void;
}): Relays {
  const { rate, timeoutMs, signal, onError } = options;
  const relays = options.relays.map(({ name, url }) => ({
    source: openHttpSource({ url, name, rate, timeoutMs, maxBytes: MAX_BYTES, signal }),
    /** True once the relay has reported a block of this chain; then another hash means an orphaned block. */
    trusted: false,
  }));

  async function ask(relay: (typeof relays)[number], blocks: readonly DeliveredBlock[]) {
    const hashes = new Map(blocks.map(({ slot, hash }) => [slot, hash]));
    const delivered = await deliveredBy(relay.source, [...hashes.keys()]);
    const fitting = delivered.filter(({ slot, blockHash }) => hashes.get(slot) === blockHash);
    relay.trusted ||= fitting.length > 0;
    if (delivered.length === 0 || relay.trusted) return fitting;
    const [first] = delivered as [Payload];
    throw new SourceError(
      'mismatch',
      relay.source.name,
      `none of ${delivered.length} blocks is of this chain (slot ${first.slot}: ${first.blockHash}); is it a relay of this network?`,
    );
  }

  return {
    async payloads(blocks) {
      const found = new Map(blocks.map(({ slot }) => [slot, [] as Payload[]]));
      if (blocks.length === 0) return found;
      const delivered = await Promise.allSettled(relays.map((relay) => ask(relay, blocks)));
      for (const one of delivered) {
        if (one.status === 'rejected') {
          if (!(one.reason instanceof SourceError)) throw one.reason;
          onError(one.reason);
          found.clear();
        } else if (found.size > 0) {
          for (const payload of one.value) found.get(payload.slot)?.push(payload);
        }
      }
      return found;
    },
  };
}
