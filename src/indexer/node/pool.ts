import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Network } from '../../chain/networks.ts';
import { linkedAborter } from '../../kernel/abort.ts';
import type { BeaconBlock, ExecutionPayload } from '../chain/types.ts';
import type { Finality } from './answers.ts';
import type { Asking } from './asking.ts';
import { NodeClient } from './client.ts';
import { type Common, Endpoint, type Identity } from './endpoint.ts';
import { NodeError } from './errors.ts';
import { payloadAt } from './payloads.ts';

/** Nodes that respond later are compared in the background. */
const COMPARE_MS = 5_000;

export type NodesOptions = {
  /** In order of preference. */
  urls: readonly string[];
  network?: Network | undefined;
  signal: AbortSignal;
  /** Requests per second to each node. */
  rate?: number | undefined;
  /** Maximum time without a byte, and for a whole small response. Larger responses may take 4 or 40 times as long. */
  timeoutMs?: number;
  attempts?: number;
  firstBackoffMs?: number;
  /** Interval between polls of a node that has no event stream. */
  pollMs?: number;
  /** Maximum time without a byte of an event stream. */
  idleMs?: number;
  /** Tells the payload of a block that no beacon node has any more. */
  payload?: ((block: BeaconBlock) => Promise<ExecutionPayload | null>) | undefined;
  /** Called for each error, even if a later attempt succeeds. */
  onError?: (error: NodeError) => void;
};

export type Ask = {
  signal: AbortSignal;
  /** Node that is requested last; its cached blocks are dropped. */
  avoid?: string | undefined;
};

const named = (urls: readonly string[]) => {
  const all = urls.map((url) => new URL(url));
  return all.map((url, place) => {
    const before = all.slice(0, place).filter(({ host }) => host === url.host).length;
    return { url, name: before ? `${url.host} #${before + 1}` : url.host };
  });
};

/** The reason is `pruned` only if it is that of all nodes, because another one may still have the state. */
function together(errors: readonly NodeError[]): NodeError {
  const [first, ...others] = errors.toSorted(
    (a, b) => Number(a.reason === 'pruned') - Number(b.reason === 'pruned'),
  ) as [NodeError, ...NodeError[]];
  if (others.length === 0) return first;
  const messages = others.map(({ message }) => message).join(' ');
  return new NodeError(first.reason, first.node, `${first.message.slice(first.node.length + 2)} ${messages}`);
}

export class Pool {
  readonly endpoints: readonly Endpoint[];
  readonly common: Common;
  /** Nodes that reported the same beginning of the index as the one in use. */
  readonly agreed = new Set<Endpoint>();
  #compared = -1;

  constructor(options: NodesOptions) {
    this.common = {
      network: options.network,
      identity: undefined,
      finalized: new Map(),
      lifetime: options.signal,
      payloadElsewhere: (block, signal) => this.#payloadOf(block, options.payload, signal),
    };
    const attempts = options.attempts ?? 4;
    const settings = {
      rate: options.rate ?? Number.POSITIVE_INFINITY,
      timeoutMs: options.timeoutMs ?? 30_000,
      attempts,
      slowAttempts: options.urls.length > 1 ? 1 : attempts,
      firstBackoffMs: options.firstBackoffMs ?? 250,
      onError: options.onError ?? (() => {}),
    };
    this.endpoints = named(options.urls).map(
      ({ url, name }) => new Endpoint(new NodeClient(url, name, settings), this.common),
    );
  }

  inOrder(avoid?: string, epoch = Number.POSITIVE_INFINITY): Endpoint[] {
    const now = performance.now();
    const rank = (endpoint: Endpoint) =>
      (endpoint.client.name === avoid ? 4 : 0) +
      (epoch <= endpoint.goneTo ? 2 : 0) +
      (endpoint.coolingUntil > now ? 1 : 0);
    return this.endpoints.toSorted((a, b) => rank(a) - rank(b));
  }

  async ask<T>(
    work: (asking: Asking) => Promise<T>,
    ask: Ask = { signal: this.common.lifetime },
    epoch?: number,
  ): Promise<T> {
    const errors: NodeError[] = [];
    for (const endpoint of this.inOrder(ask.avoid, epoch)) {
      if (endpoint.client.name === ask.avoid) endpoint.forget();
      try {
        return await this.askOne(endpoint, work, ask.signal);
      } catch (error) {
        ask.signal.throwIfAborted();
        if (!(error instanceof NodeError)) throw error;
        endpoint.failed(error, epoch);
        if (error.reason === 'nonsense') endpoint.forget();
        errors.push(error);
      }
    }
    throw together(errors);
  }

  async #payloadOf(
    block: BeaconBlock,
    last: NodesOptions['payload'],
    signal: AbortSignal,
  ): Promise<ExecutionPayload | null> {
    for (const { client } of this.endpoints) {
      const payload = await payloadAt(client, block, signal).catch((error) => {
        if (error instanceof NodeError) return null; // it is reported already
        throw error;
      });
      if (payload) return payload;
    }
    return (await last?.(block)) ?? null;
  }

  /** If one request of `work` fails, cancels the others. */
  async askOne<T>(endpoint: Endpoint, work: (asking: Asking) => Promise<T>, signal: AbortSignal): Promise<T> {
    const attempt = linkedAborter(signal);
    setMaxListeners(0, attempt.signal);
    try {
      await endpoint.ready(attempt.signal);
      const identity = this.common.identity as Identity;
      const answer = await work({ endpoint, identity, signal: attempt.signal });
      endpoint.succeeded();
      return answer;
    } finally {
      attempt.release();
      attempt.abort();
    }
  }

  async finality(): Promise<Finality> {
    const finality = await this.ask(({ endpoint }) => endpoint.finality());
    if (this.endpoints.length > 1)
      await Promise.race([this.#compareAll(finality.epoch), sleep(COMPARE_MS, undefined, { ref: false })]);
    const wrong = this.endpoints.find(({ disagrees }) => disagrees)?.disagrees;
    if (wrong) throw wrong;
    return finality;
  }

  /** Reads `config/spec` of all nodes again. */
  async readSpecs(): Promise<void> {
    const { lifetime } = this.common;
    await Promise.all(
      this.endpoints.map(async (endpoint) => {
        try {
          await endpoint.identify(lifetime);
        } catch (error) {
          if (error instanceof NodeError) endpoint.failed(error);
          else if (!lifetime.aborted) throw error;
        }
      }),
    );
  }

  /** Compares each node once per epoch; a node that disagrees is compared at each call. */
  async #compareAll(epoch: number): Promise<void> {
    const compared = this.endpoints.filter(
      ({ coolingUntil, disagrees }) =>
        disagrees || (epoch > this.#compared && coolingUntil <= performance.now()),
    );
    this.#compared = Math.max(this.#compared, epoch);
    const { lifetime } = this.common;
    await Promise.all(
      compared.map(async (endpoint) => {
        try {
          await endpoint.ready(lifetime);
          await endpoint.finality();
          endpoint.succeeded();
        } catch (error) {
          if (error instanceof NodeError) endpoint.failed(error);
        }
      }),
    );
  }
}
