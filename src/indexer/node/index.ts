import { setMaxListeners } from 'node:events';
import type { Network } from '../../chain/networks.ts';
import type { ChainSpec } from '../spec.ts';
import { SpecError } from '../spec.ts';
import type { BeaconBlock, EpochInput, ValidatorRecord } from '../types.ts';
import type { Finality } from './answers.ts';
import { NodeClient } from './client.ts';
import { type Common, Endpoint, type Identity } from './endpoint.ts';
import { type Asking, dutiesOf, epochInput, recordsAt } from './epoch.ts';
import { NodeError } from './errors.ts';
import { type ChainEvent, chainEvents } from './events.ts';
import { type Resume, resumeAfter, type Start, startAt } from './start.ts';
import { type ValidatorAt, validatorsAt } from './validators-at.ts';

export { NodeError, type NodeReason, nodeReasons } from './errors.ts';
export type { ChainEvent } from './events.ts';
export type { Resume, Start } from './start.ts';

export type NodesOptions = {
  /** In order of preference. */
  urls: readonly string[];
  /** Refuses nodes of any other. */
  network?: Network | undefined;
  signal: AbortSignal;
  /** Requests per second and node. */
  rate?: number | undefined;
  /** Longest silence of a node, and longest time of a small answer; large ones may take longer. */
  timeoutMs?: number;
  attempts?: number;
  firstBackoffMs?: number;
  /** Time between two looks at the head where there is no events stream. */
  pollMs?: number;
  /** Longest silence of an events stream. */
  idleMs?: number;
  log?: Common['log'];
  /** Called once for each failed answer, also where it was then repeated or another node answered. */
  onError?: (error: NodeError) => void;
};

export type Ask = {
  signal: AbortSignal;
  /** A node that is asked only if no other answers. What it told before is forgotten. */
  avoid?: string | undefined;
};

/** `node` is the URL, without user and password, of the node that all of it is from. */
type From<T> = T & { node: string };

export type Nodes = {
  readonly spec: ChainSpec;
  readonly network: Network;
  /** Unix seconds. */
  readonly genesisTime: number;
  /** Nodes in order of preference, by name. */
  readonly names: readonly string[];
  /** All methods throw `NodeError` if no node has a good answer. */
  finality(): Promise<Finality>;
  head(): Promise<{ slot: number; root: string }>;
  /** By slot or root; null where there is none. Near the head, it may be gone a moment later. */
  blockAt(id: number | string): Promise<BeaconBlock | null>;
  /** Of each slot of an epoch, up to the next one. */
  proposers(epoch: number): Promise<Uint32Array>;
  start(epoch: number, ask?: Ask): Promise<From<Start>>;
  resume(epoch: number, ask?: Ask): Promise<From<Resume>>;
  fetchEpoch(
    epoch: number,
    recordsNeeded: (input: Omit<EpochInput, 'records'>) => readonly number[],
    ask?: Ask,
  ): Promise<{ input: EpochInput; node: string }>;
  /** As of the first state of an epoch. */
  records(epoch: number, indices: readonly number[], ask?: Ask): Promise<ValidatorRecord[]>;
  /** In the state of the head or of a slot. */
  validatorsAt(state: 'head' | number, indices: readonly number[]): Promise<ValidatorAt[]>;
  events(signal: AbortSignal): AsyncGenerator<ChainEvent>;
  close(): void;
};

const silent: Common['log'] = { info() {}, warn() {} };

/** The error of one node, or one that has those of all. */
function together(errors: readonly NodeError[]): NodeError {
  const [first, ...others] = errors as [NodeError, ...NodeError[]];
  if (others.length === 0) return first;
  const messages = others.map(({ message }) => message).join(' ');
  return new NodeError(first.reason, first.node, `${first.message.slice(first.node.length + 2)} ${messages}`);
}

class Pool {
  readonly endpoints: readonly Endpoint[];
  readonly common: Common;

  constructor(options: NodesOptions) {
    this.common = {
      asked: options.network,
      identity: undefined,
      finalized: new Map(),
      lifetime: options.signal,
      log: options.log ?? silent,
    };
    const settings = {
      rate: options.rate ?? Number.POSITIVE_INFINITY,
      timeoutMs: options.timeoutMs ?? 30_000,
      attempts: options.attempts ?? 4,
      firstBackoffMs: options.firstBackoffMs ?? 250,
      onError: options.onError ?? (() => {}),
    };
    this.endpoints = options.urls.map(
      (url) => new Endpoint(new NodeClient(new URL(url), settings), this.common),
    );
  }

  /** The healthy first, in the order given. */
  inOrder(avoid?: string, epoch = Number.POSITIVE_INFINITY): Endpoint[] {
    const now = performance.now();
    const rank = (endpoint: Endpoint) =>
      (endpoint.client.name === avoid ? 4 : 0) +
      (epoch <= endpoint.goneTo ? 2 : 0) +
      (endpoint.coolingUntil > now ? 1 : 0);
    return this.endpoints.toSorted((a, b) => rank(a) - rank(b));
  }

  /** Asks one node after another until one answers well. */
  async ask<T>(
    work: (asking: Asking) => Promise<T>,
    ask: Ask = { signal: this.common.lifetime },
    epoch?: number,
  ): Promise<T> {
    const errors: NodeError[] = [];
    for (const endpoint of this.inOrder(ask.avoid, epoch)) {
      if (endpoint.client.name === ask.avoid) endpoint.blocks.clear();
      try {
        return await this.#askOne(endpoint, work, ask.signal);
      } catch (error) {
        ask.signal.throwIfAborted();
        if (!(error instanceof NodeError)) throw error;
        endpoint.failed(error, epoch);
        errors.push(error);
      }
    }
    throw together(errors);
  }

  /** What is still asked of the node when a part has failed is given up. */
  async #askOne<T>(
    endpoint: Endpoint,
    work: (asking: Asking) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const attempt = new AbortController();
    setMaxListeners(0, attempt.signal);
    const stop = () => attempt.abort(signal.reason);
    signal.throwIfAborted();
    signal.addEventListener('abort', stop);
    try {
      await endpoint.ready(attempt.signal);
      const identity = this.common.identity as Identity;
      const answer = await work({ endpoint, identity, signal: attempt.signal });
      endpoint.succeeded();
      return answer;
    } finally {
      signal.removeEventListener('abort', stop);
      attempt.abort();
    }
  }
}

/**
 * Opens beacon nodes, of which the first that is in sync is asked. Throws `SpecError` where a node is of another network
 * than asked for, or of none that is known, and `NodeError` where none answers.
 */
export async function openNodes(options: NodesOptions): Promise<Nodes> {
  setMaxListeners(0, options.signal);
  const pool = new Pool(options);
  const { common } = pool;
  const name = (asking: Asking) => asking.endpoint.client.name;
  try {
    await pool.ask(async () => undefined);
  } catch (error) {
    if (common.identity === undefined) for (const { client } of pool.endpoints) client.close();
    if (error instanceof NodeError && error.reason === 'other-network') throw new SpecError(error.message);
    throw error;
  }
  const identity = common.identity as unknown as Identity;
  return {
    spec: identity.spec,
    network: identity.network,
    genesisTime: identity.genesis.time,
    names: pool.endpoints.map(({ client }) => client.name),
    finality: () => pool.ask(({ endpoint }) => endpoint.finality()),
    head: () => pool.ask(({ endpoint, signal }) => endpoint.head(signal)),
    blockAt: (id) => pool.ask(({ endpoint, signal }) => endpoint.blocks.near(id, signal)),
    proposers: (epoch) => pool.ask((asking) => dutiesOf(asking, epoch)),
    start: (epoch, ask) =>
      pool.ask(
        async (asking) => {
          await asking.endpoint.needFinal(epoch);
          return { ...(await startAt(asking, epoch)), node: name(asking) };
        },
        ask,
        epoch,
      ),
    resume: (epoch, ask) =>
      pool.ask(
        async (asking) => {
          await asking.endpoint.needFinal(epoch + 1);
          return { ...(await resumeAfter(asking, epoch)), node: name(asking) };
        },
        ask,
        epoch,
      ),
    fetchEpoch: (epoch, recordsNeeded, ask) =>
      pool.ask(
        async (asking) => {
          await asking.endpoint.needFinal(epoch + 1);
          return { input: await epochInput(asking, epoch, recordsNeeded), node: name(asking) };
        },
        ask,
        epoch,
      ),
    records: (epoch, indices, ask) => pool.ask((asking) => recordsAt(asking, epoch, indices), ask),
    validatorsAt: (state, indices) => pool.ask((asking) => validatorsAt(asking, state, indices)),
    events: (signal) =>
      chainEvents({
        endpoints: () => pool.inOrder(),
        idleMs: options.idleMs ?? 60_000,
        pollMs: options.pollMs ?? 2_000,
        slotsPerEpoch: identity.spec.slotsPerEpoch,
        signal,
      }),
    close() {
      for (const { client } of pool.endpoints) client.close();
    },
  };
}
