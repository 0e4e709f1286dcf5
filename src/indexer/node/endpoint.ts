import type { Network } from '../../chain/networks.ts';
import {
  type ChainSpec,
  complete,
  differing,
  type Genesis,
  networkOfGenesis,
  parseGenesis,
  parseSpec,
  SpecError,
} from '../chain/spec.ts';
import { type Finality, readFinality, readHeader, readSyncing } from './answers.ts';
import { BlockSource } from './blocks.ts';
import type { NodeClient } from './client.ts';
import type { NodeError } from './errors.ts';
import type { Elsewhere } from './payloads.ts';

const IN_SYNC_MS = 10_000;
const MAX_COOLING_MS = 60_000;
const FIRST_COOLING_MS = 1_000;

/** Must be the same for all nodes. */
export type Identity = { network: Network; genesis: Genesis; spec: ChainSpec };

export type Common = {
  network: Network | undefined;
  identity: Identity | undefined;
  /** For each epoch, the root that was reported first. */
  finalized: Map<number, { root: string; node: string }>;
  lifetime: AbortSignal;
  /** Asks all nodes, and an execution node, for the payload of a block. */
  payloadElsewhere: Elsewhere;
};

const KEPT_ROOTS = 256;

export class Endpoint {
  readonly client: NodeClient;
  readonly blocks: BlockSource;
  readonly common: Common;
  #known = false;
  #inSyncUntil = 0;
  #failures = 0;
  #reading: Promise<Finality> | undefined;
  coolingUntil = 0;
  /** Newest epoch for which the node lacks data. */
  goneTo = -1;
  /** Set while another node reports a different finalized root. */
  disagrees: NodeError | undefined;
  finalized: Finality = { epoch: -1, root: '' };
  /** Keyed by sync committee period. */
  readonly committees = new Map<number, Promise<Uint32Array>>();
  /** True once the node has reported the builders of a state. */
  tellsBuilders = false;
  /** Undefined until a POST was answered. */
  takesPosts: boolean | undefined;
  /** Estimated number, for the size of buffers. */
  validators = 1 << 16;

  constructor(client: NodeClient, common: Common) {
    this.client = client;
    this.common = common;
    this.blocks = new BlockSource(client, common.lifetime, common.payloadElsewhere);
  }

  /** Drops cached blocks and committees, one of which may be wrong. */
  forget(): void {
    this.blocks.clear();
    this.committees.clear();
  }

  /** Throws unless the node is in sync and on the right network. */
  async ready(signal: AbortSignal): Promise<void> {
    if (!this.#known) await this.identify(signal);
    if (performance.now() < this.#inSyncUntil) return;
    const state = await this.client.json({ path: '/eth/v1/node/syncing', signal, urgent: true }, readSyncing);
    if (state === undefined)
      throw this.client.error('nonsense', 'node/syncing answers 404; is it a beacon node?');
    if (state.syncing)
      throw this.client.error(
        'syncing',
        `is syncing, ${state.distance} slots behind. The index continues when it is in sync.`,
      );
    if (state.optimistic)
      throw this.client.error(
        'optimistic',
        'follows the chain optimistically: its execution client has not verified the head. Check that client.',
      );
    this.#inSyncUntil = performance.now() + IN_SYNC_MS;
  }

  /** Reads the network and the constants of the node, and adds forks that it schedules to those of all nodes. */
  async identify(signal: AbortSignal): Promise<void> {
    const readIdentity = async <T>(path: string, parse: (data: unknown) => T): Promise<T> => {
      const found = await this.client.json({ path, signal, urgent: true }, ({ data }) => parse(data));
      if (found === undefined)
        throw this.client.error('nonsense', `${path} answers 404; is it a beacon node?`);
      return found;
    };
    try {
      const genesis = await readIdentity('/eth/v1/beacon/genesis', parseGenesis);
      const spec = await readIdentity('/eth/v1/config/spec', parseSpec);
      const network = networkOfGenesis(genesis, spec, this.common.network);
      this.#agree({ network, genesis, spec });
    } catch (error) {
      if (error instanceof SpecError) throw this.client.error('other-network', error.message);
      throw error;
    }
    this.#known = true;
  }

  #agree(own: Identity): void {
    const common = (this.common.identity ??= own);
    const roots = [own.genesis.validatorsRoot, common.genesis.validatorsRoot];
    if (roots[0] !== roots[1])
      throw new SpecError(
        `is of another chain than the other nodes: its genesis_validators_root is ${roots[0]}, theirs ${roots[1]}. Remove it from --beacon.`,
      );
    const different = differing(own.spec, common.spec);
    if (different)
      throw new SpecError(
        `its config/spec differs from that of the other nodes in ${different}: ${JSON.stringify(own.spec[different])} in place of ${JSON.stringify(common.spec[different])}. Update it, or remove it from --beacon.`,
      );
    complete(common.spec, own.spec);
  }

  /** Throws if finality goes back or another node disagrees. */
  finality(): Promise<Finality> {
    // Concurrent responses might arrive out of order, so callers share one request.
    this.#reading ??= this.#finality().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #finality(): Promise<Finality> {
    const path = '/eth/v1/beacon/states/head/finality_checkpoints';
    const reported = await this.client.json(
      { path, signal: this.common.lifetime, urgent: true },
      readFinality,
    );
    if (reported === undefined)
      throw this.client.error('nonsense', `${path} answers 404; is it a beacon node?`);
    if (reported.epoch < this.finalized.epoch)
      throw this.client.error(
        'back-in-time',
        `has finalized epoch ${reported.epoch}, but said ${this.finalized.epoch} before. It may have lost its database; the index goes on when it is there again.`,
      );
    this.#compare(reported);
    this.finalized = reported;
    return reported;
  }

  #compare({ epoch, root }: Finality): void {
    const { finalized } = this.common;
    const first = finalized.get(epoch);
    if (first && first.root !== root) {
      this.disagrees = this.client.error(
        'disagree',
        `has finalized epoch ${epoch} with the root ${root}, but ${first.node} with ${first.root}. One of them is on a wrong chain; find out which, and remove it from --beacon. Nothing is stored until then.`,
      );
      throw this.disagrees;
    }
    if (first) {
      if (first.node !== this.client.name) this.disagrees = undefined;
      return;
    }
    finalized.set(epoch, { root, node: this.client.name });
    for (const oldest of finalized.keys()) {
      if (finalized.size <= KEPT_ROOTS) break;
      finalized.delete(oldest);
    }
  }

  async needFinal(epoch: number): Promise<void> {
    if (this.finalized.epoch >= epoch) return;
    const { epoch: reported } = await this.finality();
    if (reported < epoch)
      throw this.client.error('behind', `has finalized epoch ${reported}, and epoch ${epoch} is needed.`);
  }

  async head(signal: AbortSignal): Promise<{ slot: number; root: string }> {
    const head = await this.client.json(
      { path: '/eth/v1/beacon/headers/head', signal, urgent: true },
      readHeader,
    );
    if (head === undefined)
      throw this.client.error('nonsense', 'headers/head answers 404; is it a beacon node?');
    return head;
  }

  failed(error: NodeError, epoch?: number): void {
    this.client.report(error);
    const gone = error.reason === 'pruned' || error.reason === 'unknown-proposer';
    if (gone && epoch !== undefined) {
      this.goneTo = Math.max(this.goneTo, epoch);
      return;
    }
    this.#failures += 1;
    const wait = Math.min(MAX_COOLING_MS, FIRST_COOLING_MS * 2 ** Math.min(10, this.#failures - 1));
    this.coolingUntil = performance.now() + wait;
    this.#inSyncUntil = 0;
    if (error.reason !== 'unreachable') return;
    // It may come back as another version.
    this.#known = false;
    this.takesPosts = undefined;
  }

  succeeded(): void {
    this.#failures = 0;
    this.coolingUntil = 0;
  }
}
