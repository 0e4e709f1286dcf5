import { setImmediate as turn } from 'node:timers/promises';
import type { Calendar } from '../chain/calendar.ts';
import type { Network } from '../chain/networks.ts';
import { traced, tracedAlone } from '../kernel/tracing.ts';
import type { Beat } from './beat.ts';
import { Chain, InputError, MissingRecords, ReconcileError, type SavedChain } from './chain/index.ts';
import { SavedStateError } from './chain/saved-state-error.ts';
import { type ScheduledFork, SpecError } from './chain/spec.ts';
import type { EpochFacts, EpochInput } from './chain/types.ts';
import { isFinal } from './faults.ts';
import { blockingFork, lastKnownEpoch, waitsText } from './forks.ts';
import { NodeError } from './node/errors.ts';
import type { Nodes } from './node/index.ts';
import { prefetcher } from './prefetch.ts';
import { Publisher } from './publisher.ts';
import {
  endOf,
  mayLeaveOut,
  newestClosed,
  RangeFault,
  type RangeOptions,
  startOf,
  staysAtHead,
} from './range.ts';
import type { Retrying, Say } from './retry.ts';
import { countError, type IndexStatus } from './status.ts';
import type { OpenDays, Store } from './store/index.ts';
import { firstOpenEpoch, periodsOf } from './store/periods.ts';

/** `last` is the newest epoch that can be stored. */
export type IndexProgress = { epoch: number; last: number };

export type FollowOptions = {
  network: Network;
  nodes: Nodes;
  store: Store;
  range(): RangeOptions;
  /** If true, the index ends at the newest closed epoch. */
  once: boolean;
  width: number;
  status: IndexStatus;
  retry: Retrying;
  beat: Beat;
  say: Say;
  onStored(progress: IndexProgress): void;
  onPublished(epoch: number, failures: string[], ms: number): void;
  /** Called after each epoch is stored, and at the start of a pass for the newest stored epoch. */
  afterEpoch: ((epoch: number) => Promise<unknown>) | undefined;
  /** Ends the index after the epoch in progress. */
  stop: AbortSignal;
  largeRegistry?: number;
};

export type FollowReport = {
  from: number | undefined;
  to: number | undefined;
  epochs: number;
  done: boolean;
  /** Unknown fork before which the index waits. */
  waitsFor?: string;
};

/** After this many invalid inputs of an epoch, retries wait. */
const ATTEMPTS_AT_ONCE = 2;
/** After this many invalid inputs, the pass restarts, because its initial state may be wrong. */
const ATTEMPTS_BEFORE_RESTART = 4;

/** Minimum time between publications while catching up. */
const PUBLISH_MS = 600_000;

/** Interval of finality requests while catching up. */
const ASK_MS = 30_000;

/** With this many validators, open days are written every hour instead of every epoch. */
const LARGE_REGISTRY = 200_000;

/** Retries after errors of nodes or the database; if `once` is set, for about a minute. */
export async function follow(options: FollowOptions): Promise<FollowReport> {
  const report: FollowReport = { from: undefined, to: undefined, epochs: 0, done: false };
  const ending = new AbortController();
  const publisher = new Publisher({ ...options, stop: AbortSignal.any([options.stop, ending.signal]) });
  let avoid: string | undefined;
  try {
    while (!options.stop.aborted && !report.done) {
      const halt = new AbortController();
      const signal = AbortSignal.any([options.stop, halt.signal]);
      const pass = new Pass(options, report, publisher, signal);
      try {
        await pass.run(avoid);
      } catch (error) {
        if (isFinal(error)) throw error;
        avoid = error instanceof InputError ? pass.beganWith : undefined;
        if (!options.stop.aborted) await options.retry.failed(error as Error);
      } finally {
        halt.abort();
      }
    }
  } finally {
    ending.abort();
    await publisher.settled().catch(() => undefined);
  }
  return report;
}

class Pass {
  beganWith: string | undefined;
  /** Slot of the first block, which only nodes can confirm; undefined if the index went on. */
  #firstSlot: number | undefined;
  #isBeginning = false;
  #avoided: string | undefined;
  /** Nodes whose answers contradicted the chain. */
  readonly #refused = new Set<string>();
  #finalized = 0;
  #askedAt = 0;
  #requested: number | undefined;
  #stored: number | undefined;
  #caughtUp = false;
  /** Calendars with an ended hour that is not published. */
  #due = new Set<Calendar>();
  readonly #o: FollowOptions;
  readonly #report: FollowReport;
  readonly #publisher: Publisher;
  readonly #signal: AbortSignal;
  readonly #end: number;

  constructor(options: FollowOptions, report: FollowReport, publisher: Publisher, signal: AbortSignal) {
    this.#o = options;
    this.#report = report;
    this.#publisher = publisher;
    this.#signal = signal;
    this.#end = endOf(options.network, options.range().to);
  }

  async run(avoid: string | undefined): Promise<void> {
    const { nodes, stop } = this.#o;
    this.#avoided = avoid;
    const chain = await traced('index start', {}, () => this.#begin(avoid));
    const inputs = prefetcher(
      (epoch, avoid) =>
        tracedAlone('index fetch', this.#spanOf(epoch), () =>
          nodes.fetchEpoch(epoch, (input) => chain.recordsNeeded(input), { avoid, signal: this.#signal }),
        ),
      this.#o.width,
    );
    while (!stop.aborted) {
      if (performance.now() - this.#askedAt > ASK_MS) await this.#askFinality().catch(() => undefined);
      if (chain.epoch - 1 > this.#last()) {
        if (await this.#idle(chain)) return;
        continue;
      }
      await traced('index epoch', this.#spanOf(chain.epoch - 1), async () => {
        const facts = await this.#step(chain, inputs);
        if (facts) await this.#write(chain, facts);
      });
      await turn();
    }
  }

  async #begin(avoid: string | undefined): Promise<Chain> {
    const { store, status, network, once } = this.#o;
    const range = this.#o.range();
    const beginsAnew = (error: unknown) =>
      this.#isGone(error) ||
      (error instanceof SavedStateError && (range.from !== undefined || staysAtHead(range)));
    const startAfter = (before: typeof stored, from = range.from) =>
      startOf(network, { ...range, from }, { finalized: this.#finalized, once }, before);
    const stored = await store.resume().catch((error) => {
      if (!beginsAnew(error)) throw error;
      return undefined;
    });
    this.#stored = stored?.epoch;
    status.indexedEpoch = stored?.epoch ?? status.indexedEpoch;
    if (stored) await this.#o.afterEpoch?.(stored.epoch);
    status.missingEpochs = await store.missingEpochs();
    await this.#askFinality();
    const start = startAfter(stored);
    const options = { signal: this.#signal, ...(avoid !== undefined && { avoid }) };
    try {
      if (start === undefined && stored) return await this.#restore(stored, options);
      return await this.#beginAt(start as number, options);
    } catch (error) {
      if (error instanceof InputError) this.#sayRefused(error, this.beganWith);
      if (!beginsAnew(error)) throw error;
      const anew = startAfter(undefined, this.#isGone(error) ? 'head' : range.from) as number;
      if (anew === start) throw error;
      this.#sayAnew(stored?.epoch, anew, error as Error);
      return await this.#beginAt(anew, options);
    }
  }

  #sayAnew(before: number | undefined, anew: number, { message }: Error): void {
    this.#o.say(
      'warn',
      before === undefined
        ? `The index begins at epoch ${anew}, because no node has earlier states. ${message}`
        : `The index cannot go on after epoch ${before}, and begins anew at epoch ${anew}; the epochs between are left out. What came before is kept. With a node that has their states, "stakegraph index --once --from ${firstOpenEpoch(this.#o.network, before)}" adds them, and makes their days whole. ${message}`,
    );
  }

  /** No node has the state any more, and epochs may be left out. */
  #isGone = (error: unknown): boolean =>
    error instanceof NodeError && error.reason === 'pruned' && mayLeaveOut(this.#o.range());

  async #beginAt(epoch: number, options: Ask): Promise<Chain> {
    const { nodes, store } = this.#o;
    if (epoch > this.#end)
      throw new RangeFault(`--to is epoch ${this.#end}, before epoch ${epoch}, where the index begins.`);
    store.begin();
    const start = await nodes.start(epoch, options);
    this.beganWith = start.node;
    this.#isBeginning = true;
    this.#firstSlot = start.before ? epoch * nodes.spec.slotsPerEpoch : undefined;
    return Chain.begin(nodes.spec, start);
  }

  async #restore({ saved, epoch }: { saved: SavedChain; epoch: number }, options: Ask): Promise<Chain> {
    const { nodes } = this.#o;
    const end = await nodes.resume(epoch + 1, options);
    this.beganWith = end.node;
    return Chain.restore(nodes.spec, saved, end);
  }

  #spanOf = (epoch: number) => ({ 'stakegraph.network': this.#o.network, 'stakegraph.epoch': epoch });

  #last = () => Math.min(this.#end, newestClosed(this.#finalized), lastKnownEpoch(this.#o.nodes.spec));

  #blocking = () => blockingFork(this.#o.nodes.spec, Math.min(this.#end, newestClosed(this.#finalized)));

  #sayWaits(fork: ScheduledFork): void {
    if (this.#report.waitsFor === fork.name) return;
    this.#report.waitsFor = fork.name;
    this.#o.say('error', waitsText(this.#o.network, fork), { fork: fork.name, epoch: fork.epoch });
  }

  async #askFinality(): Promise<void> {
    const { nodes, status } = this.#o;
    this.#askedAt = performance.now();
    const { epoch } = await nodes.finality();
    this.#finalized = Math.max(this.#finalized, epoch);
    status.finalizedEpoch = this.#finalized;
    status.headEpoch = Math.floor((await nodes.head()).slot / nodes.spec.slotsPerEpoch);
  }

  async #idle(chain: Chain): Promise<boolean> {
    const { once, retry, beat } = this.#o;
    const ends = once || chain.epoch - 1 > this.#end;
    const isRequested = ends ? this.#requested === this.#stored : this.#requested !== undefined;
    if (!isRequested) this.#publish();
    const fork = this.#blocking();
    if (ends) {
      await this.#publisher.settled();
      if (fork) throw new SpecError(waitsText(this.#o.network, fork));
      this.#report.done = true;
      return true;
    }
    if (fork) this.#sayWaits(fork);
    await beat.wait();
    try {
      await this.#askFinality();
      retry.succeeded();
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      await retry.failed(error);
    }
    return false;
  }

  async #step(chain: Chain, inputs: Inputs): Promise<EpochFacts | undefined> {
    const { stop, retry } = this.#o;
    let avoid: string | undefined;
    let gone = 0;
    for (let failures = 0; !stop.aborted; ) {
      try {
        const { input, node } = await inputs.take(chain.epoch, this.#last() + 1, avoid);
        avoid = node;
        await turn();
        const facts = chain.step(input);
        if (!(await this.#agrees(input, node))) return undefined;
        retry.succeeded();
        return facts;
      } catch (error) {
        if (stop.aborted) return undefined;
        if (error instanceof NodeError) {
          await retry.failed(error);
          if (this.#isGone(error) && ++gone >= ATTEMPTS_AT_ONCE) throw error;
        } else if (error instanceof InputError) {
          failures += 1;
          if (!(error instanceof MissingRecords)) {
            this.#sayRefused(error, avoid);
            if (avoid !== undefined) this.#refused.add(avoid);
            if (this.#isDoubtful(avoid)) throw error;
          }
          if (failures >= ATTEMPTS_AT_ONCE) await retry.failed(error);
          if (failures >= ATTEMPTS_BEFORE_RESTART) throw error;
        } else throw error;
      }
    }
    return undefined;
  }

  /** True if the node that reported the first state and block contradicts itself: another one may report them right. */
  #isDoubtful = (node: string | undefined): boolean =>
    this.#isBeginning && node === this.beganWith && node !== this.#avoided && this.#o.nodes.count > 1;

  /** Waits while nodes disagree, because the rules explain changes, but not where they began. False once stopped. */
  async #agrees({ next }: EpochInput, node: string): Promise<boolean> {
    const { nodes, retry } = this.#o;
    const beginning = { ...next, firstSlot: this.#firstSlot, node };
    while (!this.#signal.aborted)
      try {
        await nodes.compare(beginning, this.#refused, this.#signal);
        return true;
      } catch (error) {
        if (!(error instanceof NodeError)) throw error;
        await retry.failed(error);
      }
    return false;
  }

  #sayRefused(error: InputError, node: string | undefined) {
    const { status, say } = this.#o;
    const another = this.#report.epochs === 0 ? 'begin with another --from, or ' : '';
    const next = `The epoch is requested again, from another node if possible. If this repeats, ${another}add a second node to --beacon.`;
    if (!(error instanceof ReconcileError)) {
      countError(status, 'nonsense');
      return say(
        'error',
        `Epoch ${error.epoch} of ${node} is not stored: ${error.message.replace(/\.?$/, '.')} ${next}`,
        {
          node,
        },
      );
    }
    const { epoch, validatorIndex, gwei } = error;
    status.reconcileFailures += 1;
    say(
      'error',
      `Epoch ${epoch} of ${node} is not stored: ${gwei} Gwei of validator ${validatorIndex} are unexplained. ${next}`,
      { epoch, validatorIndex, gwei, node },
    );
  }

  async #write(chain: Chain, facts: EpochFacts): Promise<void> {
    const { store, status, network, once, onStored, largeRegistry = LARGE_REGISTRY } = this.#o;
    const last = this.#last();
    const isNewest = facts.epoch >= last;
    const ended = periodsOf(network, facts.epoch).filter((period) => period.last === facts.epoch);
    for (const { utc } of ended) this.#due.add(utc ? 'utc' : 'chain');
    const isSmall = chain.registry.size < largeRegistry;
    const isFirst = once || !this.#caughtUp || facts.epoch >= this.#end;
    const partial = isNewest && (isFirst || isSmall);
    await store.write(facts, chain.save(), chain.registry, { partial });
    await this.#o.afterEpoch?.(facts.epoch);
    this.#isBeginning = false;
    this.#stored = facts.epoch;
    this.#report.from ??= facts.epoch;
    this.#report.to = facts.epoch;
    this.#report.epochs += 1;
    status.indexedEpoch = facts.epoch;
    status.missingEpochs = await store.missingEpochs();
    onStored({ epoch: facts.epoch, last });
    if (isNewest) this.#caughtUp = true;
    const isDayEnd = ended.some(({ hourly }) => !hourly);
    const isLate = isDayEnd && this.#publisher.idleMs > PUBLISH_MS;
    const { balances, effectiveBalances } = facts;
    if (isLate || (isNewest && (isFirst || this.#due.size > 0)))
      this.#publish(isNewest && !partial ? { balances, effectiveBalances } : undefined);
  }

  /** `at` is undefined if the open days are already written. */
  #publish(at?: OpenDays['at']): void {
    const epoch = this.#stored;
    if (epoch === undefined) return;
    this.#publisher.request({ epoch, open: at && { epoch, at, calendars: new Set(this.#due) } });
    this.#due.clear();
    this.#requested = epoch;
  }
}

type Ask = { signal: AbortSignal; avoid?: string };
type Inputs = { take(epoch: number, last: number, avoid?: string): ReturnType<Nodes['fetchEpoch']> };
