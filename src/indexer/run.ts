import { epochStart } from '../chain/calendar.ts';
import type { Network } from '../chain/networks.ts';
import { SettingsError } from '../config/index.ts';
import { audit } from '../db/audit.ts';
import { type Pool, transaction } from '../db/pool.ts';
import { heartbeat } from './beat.ts';
import { estimateMissed } from './execution/estimate.ts';
import { openFills, openPayloads } from './execution/index.ts';
import { endsCommand } from './faults.ts';
import { type FollowReport, follow, type IndexProgress } from './follow.ts';
import { tellForks, watchForks } from './forks.ts';
import { followHead } from './head.ts';
import { withIndexLock } from './lock.ts';
import { NodeError, type Nodes, openNodes } from './node/index.ts';
import type { RangeOptions } from './range.ts';
import { recordedJobs } from './recorded.ts';
import { parseRelays } from './relays/names.ts';
import { problemTeller, type Retrying, retrying, type Say, type Teller } from './retry.ts';
import { countError, type IndexStatus } from './status.ts';
import { type LabelRule, openStore, readLabels, type Store } from './store/index.ts';

export type IndexOptions = {
  urls: readonly string[];
  network: Network | undefined;
  range: RangeOptions;
  once: boolean;
  rate: number | undefined;
  labels: string | undefined;
  execution: string | undefined;
  relays: readonly string[];
  estimateMissed: boolean;
  database: { url: string; pool: Pool };
  status: IndexStatus;
  say: Say;
  onStored(progress: IndexProgress): void;
  onPublished(epoch: number, failures: string[]): void;
  stop: AbortSignal;
};

const EPOCHS_AT_ONCE = 4;
/** Maximum duration of the fills if `once` is set. */
const FILL_MS = 600_000;

export async function runIndex(options: IndexOptions): Promise<FollowReport> {
  const { database, status, say, once, stop } = options;
  status.problem = undefined;
  const halt = new AbortController();
  const signal = AbortSignal.any([stop, halt.signal]);
  const tell = problemTeller(say);
  const retry = retrying({ status, tell, say, once, stop });
  const rules = await checkedLabels(options);
  let { range } = options;
  const onStored = (progress: IndexProgress) => {
    // After an outage, the index goes on where it was.
    range = { ...range, from: undefined, firstFrom: range.from ?? range.firstFrom };
    options.onStored(progress);
  };
  try {
    const nodes = await openedNodes(options, tell, retry, signal);
    if (!nodes) return { from: undefined, to: undefined, epochs: 0, done: false };
    status.network = nodes.network;
    return await lastingly(retry, stop, () =>
      withIndexLock(database.url, nodes.network, async (lost) => {
        await audit(database.pool, { action: 'index', subject: nodes.network });
        const store = openStore(database.pool, nodes.network, nodes.genesisRoot);
        if (rules) await setLabels(store, rules, nodes.network, say);
        return run({ ...options, range: () => range, onStored, nodes, store, tell, retry, lost });
      }),
    );
  } finally {
    halt.abort();
  }
}

async function setLabels(store: Store, rules: readonly LabelRule[], network: Network, say: Say) {
  const count = await store.setLabels(rules);
  if (count === 0) return;
  const first = await store.firstKeptHour();
  const since =
    first === undefined
      ? 'from the next epoch on'
      : `from epoch ${first} (${new Date(epochStart(network, first) * 1000).toISOString()}) on`;
  say(
    'info',
    `${count} validators have new names. Days get them with the next publication, and hours ${since}. Earlier hours of operators with other validators than before are removed, because they would not add up to their days.`,
  );
}

async function checkedLabels({ labels, relays }: IndexOptions) {
  try {
    parseRelays(relays);
    return labels === undefined ? undefined : await readLabels(labels);
  } catch (error) {
    throw new SettingsError((error as Error).message);
  }
}

async function lastingly<T>(retry: Retrying, stop: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (endsCommand(error) || stop.aborted) throw error;
      await retry.failed(error as Error);
    }
  }
}

function payloadsOf({ execution, status }: IndexOptions, tell: Teller, signal: AbortSignal) {
  if (execution === undefined) return undefined;
  return openPayloads(execution, {
    signal,
    onError(error) {
      countError(status, `fill-${error.reason}`);
      tell.tell(`fill-${error.reason} ${error.source}`, error.message);
    },
  });
}

async function openedNodes(options: IndexOptions, tell: Teller, retry: Retrying, signal: AbortSignal) {
  const onError = (error: NodeError) => {
    if (signal.aborted) return;
    countError(options.status, error.reason);
    tell.tell(`${error.reason} ${error.node}`, error.message);
  };
  while (!options.stop.aborted) {
    try {
      const { urls, network, rate } = options;
      const payload = payloadsOf(options, tell, signal);
      return await openNodes({
        ...{ urls, onError, signal, payload, ...(network && { network }), ...(rate && { rate }) },
      });
    } catch (error) {
      if (options.stop.aborted) return undefined;
      if (!(error instanceof NodeError)) throw error;
      await retry.failed(error);
    }
  }
  return undefined;
}

type Running = Omit<IndexOptions, 'range'> & {
  range(): RangeOptions;
  nodes: Nodes;
  store: Store;
  tell: Teller;
  retry: Retrying;
  lost: AbortSignal;
};

async function run(options: Running): Promise<FollowReport> {
  const { nodes, store, tell, retry, lost, once, status, say } = options;
  const halt = new AbortController();
  const stop = AbortSignal.any([options.stop, lost, halt.signal]);
  const beat = heartbeat(nodes.events, nodes.spec.secondsPerSlot * 1000, stop, (error) =>
    tell.tell('events', `Events of nodes are no longer read: ${error.message} New blocks are polled.`),
  );
  const onFault = (error: Error) => tell.tell('fills', error.message);
  const jobs = recordedJobs(options.database.pool, nodes.network, (error) =>
    tell.tell('runs', error.message),
  );
  await tellForks(options);
  const beside = once
    ? []
    : [
        followHead({ nodes, store, beat, tell, stop }),
        watchForks(options, stop),
        fillsOf(options, stop)?.run(onFault),
      ];
  try {
    const { range, estimateMissed, database } = options;
    const { network } = nodes;
    const report = await follow({
      ...{ network, nodes, store, range, once, width: EPOCHS_AT_ONCE, status, retry, beat, say },
      onStored(progress) {
        jobs.stored();
        options.onStored(progress);
      },
      onPublished(epoch, failures, ms) {
        jobs.published(failures, ms);
        options.onPublished(epoch, failures);
      },
      stop,
      afterEpoch: estimateMissed ? (epoch) => estimated(database.pool, network, epoch) : undefined,
    });
    lost.throwIfAborted();
    if (once) await fillsOf(options, AbortSignal.any([stop, AbortSignal.timeout(FILL_MS)]))?.drain();
    return report;
  } catch (error) {
    if (!stop.aborted) jobs.failed();
    throw error;
  } finally {
    halt.abort();
    await Promise.all([...beside, jobs.done()]);
  }
}

/** Estimates the previous epoch again, because the process may have ended before its estimate. */
const estimated = (pool: Pool, network: Network, epoch: number) =>
  transaction(pool, (client) => estimateMissed(client, network, [epoch - 1, epoch]));

function fillsOf({ nodes, database, tell, status, ...options }: Running, signal: AbortSignal) {
  const { execution, relays, estimateMissed } = options;
  const { network, spec } = nodes;
  return openFills({
    ...{ pool: database.pool, network, spec, execution, relays, estimateMissed, signal },
    onError(error) {
      countError(status, `fill-${error.reason}`);
      tell.tell(`fill-${error.reason} ${error.source}`, error.message);
    },
    onArchived(month) {
      const add = `"stakegraph archive restore ${month}" adds them, and "stakegraph retain --archive" archives it again`;
      tell.tell(
        `archived ${month}`,
        `Days of validators of ${month} are archived without fees and MEV that are known now: ${add}.`,
      );
    },
  });
}
