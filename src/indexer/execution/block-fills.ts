import { SECONDS_PER_SLOT, SLOTS_PER_EPOCH, slotStart } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import type { Pool } from '../../db/pool.ts';
import { concurrently, isOutage, SourceError } from '../answers/source.ts';
import type { ChainSpec } from '../chain/spec.ts';
import type { Payload } from '../relays/client.ts';
import type { Relays } from '../relays/index.ts';
import { fetchBlock } from './block.ts';
import { figuresOf, gweiText } from './figures.ts';
import type { Rpc } from './rpc.ts';
import { type DueBlock, dueBlocks, type Fill, writeFills } from './work.ts';

export type BlockFillOptions = {
  pool: Pool;
  network: Network;
  /** Forks may be scheduled later. */
  spec: Pick<ChainSpec, 'forkEpochs'>;
  /** Opens the connection and checks the node's network. */
  rpc: (() => Promise<Rpc>) | undefined;
  relays: Relays | undefined;
  estimateMissed: boolean;
  concurrency: number;
  firstWaitMs: number;
  onError: (error: SourceError) => void;
  /** Told of each block whose day is archived, with the month. */
  onArchived?: ((month: string) => void) | undefined;
  now: () => number;
};

const BATCH = 32;
const RELAY_LAG_SLOTS = 2 * SLOTS_PER_EPOCH;
const MAX_WAIT_MS = 3_600_000;
const MAX_OUTAGE_MS = 300_000;

type Wait = { attempts: number; until: number };

export class BlockFills {
  readonly #options: BlockFillOptions;
  readonly #slots = new Map<number, Wait>();
  readonly #node: Wait = { attempts: 0, until: 0 };
  readonly #relays: Wait = { attempts: 0, until: 0 };
  /** The node lacked a whole batch, so it probably pruned the blocks up to slot `upTo`. */
  #missing = { upTo: -1, until: 0 };
  #missed = 0;

  constructor(options: BlockFillOptions) {
    this.#options = options;
  }

  waits(attempts: number): boolean {
    const all = [...this.#slots.values(), this.#node, this.#relays];
    return all.some((wait) => wait.attempts > 0 && wait.attempts < attempts);
  }

  async step(): Promise<boolean> {
    const { network, pool, rpc, relays, spec } = this.#options;
    this.#missed = 0;
    const now = this.#options.now();
    const relaysUpTo = Math.floor((now / 1000 - slotStart(network, 0)) / SECONDS_PER_SLOT) - RELAY_LAG_SLOTS;
    const usesNode = rpc !== undefined && this.#node.until <= now;
    const usesRelays = relays !== undefined && this.#relays.until <= now;
    if (!usesNode && !usesRelays) return false;
    const due = await dueBlocks(pool, {
      network,
      fees: usesNode,
      relays: usesRelays,
      relaysUpTo,
      gloasSlot: spec.forkEpochs.gloas * SLOTS_PER_EPOCH,
      feesAfter: this.#missing.until > now ? this.#missing.upTo : -1,
      except: [...this.#slots].filter(([, { until }]) => until > now).map(([slot]) => slot),
      limit: BATCH,
    });
    if (due.length === 0) return false;
    const payloads = usesRelays ? await this.#askRelays(due, relaysUpTo) : new Map<number, Payload[]>();
    const node = usesNode ? await this.#openNode() : undefined;
    const fills = await concurrently(due, this.#options.concurrency, (block) =>
      this.#fill(block, payloads.get(block.slot), node),
    );
    await this.#write(
      due,
      fills.filter((fill) => fill !== undefined),
    );
    return true;
  }

  async #openNode(): Promise<Rpc | undefined> {
    try {
      return await this.#options.rpc?.();
    } catch (error) {
      this.#noted(error);
      this.#outage(this.#node);
      return undefined;
    }
  }

  async #askRelays(due: readonly DueBlock[], upTo: number): Promise<Map<number, Payload[]>> {
    // Payloads are not stored, so relays are requested again until the block's fees are known.
    const fetched = due.filter(
      ({ slot, relays, feesKnown }) => slot <= upTo && (relays === null || (relays > 0 && !feesKnown)),
    );
    const payloads = await (this.#options.relays as Relays).payloads(fetched);
    if (payloads.size < fetched.length) this.#outage(this.#relays);
    else this.#relays.attempts = 0;
    return payloads;
  }

  async #fill(
    block: DueBlock,
    payloads: Payload[] | undefined,
    node: Rpc | undefined,
  ): Promise<Fill | undefined> {
    const fill: Fill = { slot: block.slot, hash: block.hash };
    if (payloads) {
      fill.relays = payloads.map(({ relay }) => relay);
      fill.block_builder_pubkeys = payloads.map(({ builderPubkey }) => builderPubkey);
    }
    const payload = payloads?.[0];
    if (block.feesKnown && !payload) return payloads && fill;
    if (!this.#options.rpc) {
      if (payload && !block.feesKnown) fill.execution_rewards = gweiText(payload.value);
      return payloads && fill;
    }
    const lacksPayload = this.#options.relays && (block.relays ?? 0) > 0 && !payloads;
    const figures = lacksPayload ? undefined : await this.#figures(block, payload, node);
    if (figures) return { ...fill, ...figures };
    // A payload changes the fees. So if fees are stored, relays are stored only together with new fees.
    return block.feesKnown ? undefined : payloads && fill;
  }

  async #figures(block: DueBlock, payload: Payload | undefined, node: Rpc | undefined) {
    if (!node || this.#node.until > this.#options.now()) return undefined;
    try {
      const { figures, agrees } = figuresOf(await fetchBlock(node, block, payload), payload);
      this.#node.attempts = 0;
      if (!agrees && payload) {
        const message = `slot ${block.slot}: tells a value of ${payload.value} wei, the block pays ${figures.execution_rewards} Gwei; the block's is stored`;
        this.#options.onError(new SourceError('disagree', payload.relay, message));
      }
      return figures;
    } catch (error) {
      const fault = this.#noted(error);
      if (isOutage(fault)) this.#outage(this.#node);
      else this.#later(block.slot, fault.reason === 'missing');
      return undefined;
    }
  }

  #later(slot: number, missing = false): void {
    const attempts = (this.#slots.get(slot)?.attempts ?? 0) + 1;
    const wait = Math.min(MAX_WAIT_MS, this.#options.firstWaitMs * 10 * 2 ** Math.min(attempts - 1, 12));
    this.#slots.set(slot, { attempts, until: this.#options.now() + wait });
    if (missing) this.#missed += 1;
  }

  #outage(source: Wait): void {
    if (source.until > this.#options.now()) return;
    source.attempts += 1;
    const wait = Math.min(MAX_OUTAGE_MS, this.#options.firstWaitMs * 2 ** Math.min(source.attempts - 1, 12));
    source.until = this.#options.now() + wait;
  }

  #noted(error: unknown): SourceError {
    if (!(error instanceof SourceError)) throw error;
    this.#options.onError(error);
    return error;
  }

  async #write(due: readonly DueBlock[], fills: readonly Fill[]): Promise<void> {
    const { pool, network, estimateMissed, now, firstWaitMs } = this.#options;
    const { slots, archived } = await writeFills(pool, { network, estimateMissed }, fills);
    for (const month of archived) this.#options.onArchived?.(month);
    const changed = new Set(slots);
    for (const slot of changed) this.#slots.delete(slot);
    // An unchanged block waits: it was replaced, or a source failed.
    for (const { slot } of due) {
      const { attempts, until } = this.#slots.get(slot) ?? { attempts: 0, until: 0 };
      if (!changed.has(slot) && until <= now())
        this.#slots.set(slot, { attempts: attempts + 1, until: now() + firstWaitMs });
    }
    if (this.#missed === BATCH) {
      const upTo = Math.max(...due.map(({ slot }) => slot));
      this.#missing = { upTo, until: now() + MAX_WAIT_MS };
      // Nobody would ask for those that wait below it, so `waits` would stay true.
      for (const slot of this.#slots.keys()) if (slot <= upTo) this.#slots.delete(slot);
    }
    for (const [slot, { until }] of this.#slots) if (until < now() - MAX_WAIT_MS) this.#slots.delete(slot);
  }
}
