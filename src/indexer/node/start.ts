import type {
  BeaconBlock,
  Committees,
  DepositRequest,
  EpochState,
  Registry,
  ValidatorRecord,
} from '../chain/types.ts';
import { readDeposits } from './answers.ts';
import { type Asking, firstSlot, pruned } from './asking.ts';
import { blocksOf, lastCommittees, stateAt, syncCommittee, withPayloads } from './epoch.ts';
import { NodeError } from './errors.ts';
import { RegistryReader } from './scan/registry.ts';

type AllRecords = Registry & Iterable<ValidatorRecord>;

export type NodeStart = {
  state: EpochState;
  records: AllRecords;
  /** Has only deposits of non-final blocks if the node does not report the queue. */
  pendingDeposits: DepositRequest[];
  syncCommittee: Uint32Array;
  before: {
    blocks: (BeaconBlock | null)[];
    committees: Committees;
    firstBlock: BeaconBlock | null;
    earlier: BeaconBlock | null;
    following: BeaconBlock[];
  } | null;
};

export type Resume = {
  state: EpochState;
  committees: Committees;
  records: AllRecords;
  /** What no epoch reads again, if it is asked for. The queue is null if the node does not report it. */
  anew: { pendingDeposits: DepositRequest[] | null } | undefined;
};

async function registryAt(asking: Asking, epoch: number, size: number): Promise<AllRecords> {
  const path = `/eth/v1/beacon/states/${firstSlot(asking, epoch)}/validators`;
  const open = () => new RegistryReader(size);
  const found = await asking.endpoint.client.scan({ path, signal: asking.signal }, open, 'registry');
  if (!found) throw pruned(asking, path);
  return found;
}

async function stateWithRecords(asking: Asking, epoch: number) {
  const state = await stateAt(asking, epoch);
  return { state, records: await registryAt(asking, epoch, state.balances.length) };
}

/** Returns the deposits of non-final blocks, all of which are pending. */
async function unfinalDeposits(asking: Asking, state: EpochState): Promise<DepositRequest[]> {
  const after = firstSlot(asking, state.finalizedEpoch);
  const waiting: DepositRequest[] = [];
  for (let epoch = state.finalizedEpoch; epoch < state.epoch; epoch += 1) {
    const { blocks, next } = await blocksOf(asking, epoch).catch((error) => {
      if (error instanceof NodeError && error.reason === 'pruned') return { blocks: [], next: null };
      throw error;
    });
    for (const block of epoch === state.epoch - 1 ? [...blocks, next] : blocks)
      if (block && block.slot > after)
        waiting.push(...block.depositRequests.map((deposit) => ({ ...deposit, slot: block.slot })));
  }
  return waiting;
}

/** Null if the node does not report the queue. */
async function pendingDeposits(asking: Asking, epoch: number): Promise<DepositRequest[] | null> {
  const path = `/eth/v1/beacon/states/${firstSlot(asking, epoch)}/pending_deposits`;
  const reported = await asking.endpoint.client
    .json({ path, signal: asking.signal }, readDeposits)
    .catch((error) => {
      // Before Electra, nodes refuse this request.
      if (error instanceof NodeError && error.reason === 'status') return undefined;
      throw error;
    });
  return reported ?? null;
}

/** Null before Gloas, where nobody asks for it. Throws NodeError `pruned`. */
async function parentOf(asking: Asking, { bid, parentRoot, slot }: BeaconBlock): Promise<BeaconBlock | null> {
  if (!bid) return null;
  const parent = await asking.endpoint.blocks.near(parentRoot, asking.signal);
  if (parent) return parent;
  throw asking.endpoint.client.error(
    'pruned',
    `has no block ${parentRoot}, the parent of the block of slot ${slot}: its history begins later. Begin later with --from.`,
  );
}

async function beforeStart(asking: Asking, epoch: number): Promise<NodeStart['before']> {
  if (epoch === 0) return null;
  try {
    const { blocks, next, after } = await blocksOf(asking, epoch - 1);
    const { following } = await withPayloads(asking, { blocks: [], after });
    return {
      ...{ blocks, committees: await lastCommittees(asking, epoch - 1) },
      firstBlock: next && (following[0] ?? next),
      earlier: await parentOf(asking, blocks.find((block) => block !== null) ?? after),
      following,
    };
  } catch (error) {
    if (!(error instanceof NodeError) || error.reason !== 'pruned') throw error;
    const { anchor } = await blocksOf(asking, epoch);
    if (anchor !== undefined) return null;
    throw error;
  }
}

export async function startAt(asking: Asking, epoch: number): Promise<NodeStart> {
  const before = await beforeStart(asking, epoch);
  const { state, records } = await stateWithRecords(asking, epoch);
  const seats = await syncCommittee(asking, epoch);
  return {
    state,
    records,
    pendingDeposits: (await pendingDeposits(asking, epoch)) ?? (await unfinalDeposits(asking, state)),
    syncCommittee: seats,
    before,
  };
}

export async function resumeAfter(asking: Asking, epoch: number, anew: boolean): Promise<Resume> {
  const { state, records } = await stateWithRecords(asking, epoch + 1);
  // The last epoch of a period needs the committee when the node may no longer have a state with it.
  await syncCommittee(asking, epoch + 1);
  return {
    ...{ state, records, committees: await lastCommittees(asking, epoch) },
    anew: anew ? { pendingDeposits: await pendingDeposits(asking, epoch + 1) } : undefined,
  };
}
