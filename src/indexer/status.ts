import { epochStart, SECONDS_PER_EPOCH } from '../chain/calendar.ts';
import type { Network } from '../chain/networks.ts';

/** What a running index knows of itself; for metrics, `/ready` and progress. */
export type IndexStatus = {
  network: Network | undefined;
  headEpoch: number | undefined;
  finalizedEpoch: number | undefined;
  /** The last epoch whose facts are stored. */
  indexedEpoch: number | undefined;
  /** Why it does not go on: a reason of `reasonOf`; the log has the message. */
  problem: string | undefined;
  /** Failed answers of nodes, by reason. */
  nodeErrors: Map<string, number>;
  /** Epochs whose balance changes could not be explained from a node's answers. */
  reconcileFailures: number;
};

export const newStatus = (): IndexStatus => ({
  network: undefined,
  headEpoch: undefined,
  finalizedEpoch: undefined,
  indexedEpoch: undefined,
  problem: undefined,
  nodeErrors: new Map(),
  reconcileFailures: 0,
});

export const countError = (status: IndexStatus, reason: string): void =>
  void status.nodeErrors.set(reason, (status.nodeErrors.get(reason) ?? 0) + 1);

/** Seconds since the end of the last stored epoch; about half an hour for an index that keeps up. */
export const behindSeconds = (network: Network, indexedEpoch: number, now: Date): number =>
  Math.max(0, Math.round(now.getTime() / 1000 - epochStart(network, indexedEpoch) - SECONDS_PER_EPOCH));
