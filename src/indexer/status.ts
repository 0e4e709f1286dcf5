import { epochStart, SECONDS_PER_EPOCH } from '../chain/calendar.ts';
import type { Network } from '../chain/networks.ts';
import type { ScheduledFork } from './chain/spec.ts';

export type IndexStatus = {
  network: Network | undefined;
  headEpoch: number | undefined;
  finalizedEpoch: number | undefined;
  indexedEpoch: number | undefined;
  /** Number of epochs that were left out between stored ones. */
  missingEpochs: number | undefined;
  /** The first scheduled fork that this version does not know. */
  unknownFork: ScheduledFork | undefined;
  /** Result of `reasonOf`. */
  problem: string | undefined;
  /** Numbers of errors by reason. Reasons of execution nodes and relays begin with `fill-`. */
  nodeErrors: Map<string, number>;
  reconcileFailures: number;
};

export const newStatus = (): IndexStatus => ({
  network: undefined,
  headEpoch: undefined,
  finalizedEpoch: undefined,
  indexedEpoch: undefined,
  missingEpochs: undefined,
  unknownFork: undefined,
  problem: undefined,
  nodeErrors: new Map(),
  reconcileFailures: 0,
});

export const countError = (status: IndexStatus, reason: string): void =>
  void status.nodeErrors.set(reason, (status.nodeErrors.get(reason) ?? 0) + 1);

export const behindSeconds = (network: Network, indexedEpoch: number, now: Date): number =>
  Math.max(0, Math.round(now.getTime() / 1000 - epochStart(network, indexedEpoch) - SECONDS_PER_EPOCH));
