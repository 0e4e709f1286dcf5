import { setTimeout as sleep } from 'node:timers/promises';
import { epochStart } from '../chain/calendar.ts';
import type { Network } from '../chain/networks.ts';
import { timestampText } from '../kernel/time.ts';
import { type ChainSpec, type ScheduledFork, scheduledForks } from './chain/spec.ts';
import { forks } from './chain/types.ts';
import type { Nodes } from './node/index.ts';
import type { Say, Teller } from './retry.ts';
import type { IndexStatus } from './status.ts';
import type { Store } from './store/index.ts';

const DAY_MS = 86_400_000;

/** Epoch e needs the state of epoch e + 2, which must not be of a fork that this version does not know. */
export const lastEpochBefore = ({ epoch }: ScheduledFork): number => epoch - 3;

export const firstUnknownFork = ({ unknownForks }: Pick<ChainSpec, 'unknownForks'>) => unknownForks[0];

export const isKnownFork = (name: string): boolean => (forks as readonly string[]).includes(name);

export const forkText = (network: Network, { name, epoch }: ScheduledFork): string =>
  `the fork ${name} of ${network} (epoch ${epoch}, ${timestampText(epochStart(network, epoch))})`;

/** The last epoch that can be stored before the first unknown fork. */
export function lastKnownEpoch(spec: Pick<ChainSpec, 'unknownForks'>): number {
  const fork = firstUnknownFork(spec);
  return fork ? lastEpochBefore(fork) : Number.POSITIVE_INFINITY;
}

/** Returns the unknown fork that keeps epoch `last` from being stored. */
export const blockingFork = (spec: Pick<ChainSpec, 'unknownForks'>, last: number) =>
  lastKnownEpoch(spec) < last ? firstUnknownFork(spec) : undefined;

export const waitsText = (network: Network, fork: ScheduledFork): string =>
  `Epoch ${lastEpochBefore(fork)} is the last one before ${forkText(network, fork)}, which this version does not know. What is stored is kept. Update stakegraph; the index then goes on.`;

type Options = {
  nodes: Pick<Nodes, 'network' | 'spec' | 'readSpecs'>;
  store: Pick<Store, 'writeForks'>;
  status: IndexStatus;
  say: Say;
  tell: Teller;
};

/** Stores the scheduled forks, and warns of one that this version does not know. */
export async function tellForks({ nodes, store, status, say, tell }: Options): Promise<void> {
  const { network, spec } = nodes;
  const fork = firstUnknownFork(spec);
  status.unknownFork = fork;
  if (fork)
    say(
      'warn',
      `Update stakegraph soon: this version does not know ${forkText(network, fork)}. It stores epochs up to ${lastEpochBefore(fork)} and then waits. What is stored is kept, and an updated version goes on from there.`,
      { fork: fork.name, epoch: fork.epoch },
    );
  try {
    await store.writeForks(scheduledForks(spec));
  } catch (error) {
    tell.tell('forks', `The forks of ${network} are not stored: ${(error as Error).message}`);
  }
}

/** Reads the forks again each day, because an updated node may schedule another. */
export async function watchForks(options: Options, stop: AbortSignal, dayMs = DAY_MS): Promise<void> {
  while (!stop.aborted) {
    await sleep(dayMs, undefined, { signal: stop }).catch(() => undefined);
    if (stop.aborted) return;
    await options.nodes.readSpecs();
    if (!stop.aborted) await tellForks(options);
  }
}
