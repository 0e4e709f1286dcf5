import { AnswerError } from '../answers/error.ts';
import type { BeaconBlock, ExecutionPayload } from '../chain/types.ts';
import type { NodeClient } from './client.ts';
import type { NodeError } from './errors.ts';
import { readEnvelope } from './scan/envelope.ts';

/** Payloads of 16 epochs. */
const KEPT = 512;

const pathOf = ({ root }: BeaconBlock) => `/eth/v1/beacon/execution_payload_envelopes/${root}`;

/** Since Gloas. Null if the node has no payload for the block: it was withheld, or the node has dropped it. */
export function payloadAt(
  client: NodeClient,
  block: BeaconBlock,
  signal: AbortSignal,
  urgent = false,
): Promise<ExecutionPayload | null> {
  const read = (answer: Buffer): ExecutionPayload => {
    const { beaconBlockRoot, payload } = readEnvelope(answer);
    if (beaconBlockRoot === block.root && payload.blockHash === block.bid?.blockHash) return payload;
    throw new AnswerError(
      `the payload is ${payload.blockHash} of the block ${beaconBlockRoot} in place of ${block.bid?.blockHash}`,
    );
  };
  return client.bytes({ path: pathOf(block), signal, urgent }, read).then((payload) => payload ?? null);
}

export type Elsewhere = (block: BeaconBlock, signal: AbortSignal) => Promise<ExecutionPayload | null>;

/** Remembers payloads, because each epoch also needs those of the next one's first block. */
export class PayloadSource {
  readonly #client: NodeClient;
  readonly #elsewhere: Elsewhere;
  readonly #kept = new Map<string, ExecutionPayload>();

  constructor(client: NodeClient, elsewhere: Elsewhere) {
    this.#client = client;
    this.#elsewhere = elsewhere;
  }

  clear(): void {
    this.#kept.clear();
  }

  async of(block: BeaconBlock, signal: AbortSignal, urgent = false): Promise<ExecutionPayload | null> {
    const kept = this.#kept.get(block.root);
    if (kept) return kept;
    const payload = await payloadAt(this.#client, block, signal, urgent);
    if (payload) this.#keep(block, payload);
    return payload;
  }

  /** The payload of a full block, from another node if need be. Throws NodeError `missing-payload`. */
  async ofFull(block: BeaconBlock, signal: AbortSignal, urgent = false): Promise<ExecutionPayload> {
    const payload = (await this.of(block, signal, urgent)) ?? (await this.#elsewhere(block, signal));
    if (!payload) throw this.#missing(block);
    this.#keep(block, payload);
    return payload;
  }

  #keep({ root }: BeaconBlock, payload: ExecutionPayload): void {
    this.#kept.set(root, payload);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= KEPT) break;
      this.#kept.delete(oldest);
    }
  }

  #missing(block: BeaconBlock): NodeError {
    return this.#client.error(
      'missing-payload',
      `${pathOf(block)} answers 404, but the chain has the payload of slot ${block.slot}. It is asked for again. If the node has dropped it, add a node that has it to --beacon, or give --execution.`,
    );
  }
}
