import { createHash } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { ChainState } from './chain-state.ts';
import { activeIn, checkCommittees } from './check.ts';
import { type DepositQueue, queueAnew } from './deposits.ts';
import { InputError } from './errors.ts';
import type { ValidatorSet } from './registry.ts';
import { SavedStateError } from './saved-state-error.ts';
import type { ChainSpec } from './spec.ts';
import { termsOf } from './terms.ts';
import type { BeaconBlock, Committees, EpochState, PendingDeposit, ValidatorRecord } from './types.ts';
import { EpochVotes } from './votes.ts';

const MAGIC = 'stakegraph-chain';
const VERSION = 3;
/** States of this version, which knew nothing of Gloas, are taken over: it stops before the fork. */
const BEFORE_GLOAS = 2;
const DIGEST = 32;

type Saved = Omit<
  ChainState,
  'balances' | 'scores' | 'finalizedEpoch' | 'pendingConsolidations' | 'terms' | 'votes' | 'queue'
> & {
  carry: DepositQueue['carry'];
  deposits: number;
  digest: string;
  votes: Uint8Array;
  delays: Uint8Array;
  scored: Uint32Array;
  scores: Uint32Array;
};

export type Resume = {
  readonly state: EpochState;
  /** Committees of the epoch before `state.epoch`. */
  readonly committees: Committees;
  /** The effective balances of these records are ignored. */
  readonly records: Iterable<ValidatorRecord>;
  /** Set if what was saved may come from a node that reported something wrong; the queue is null if no node reports it. */
  readonly anew?: { readonly pendingDeposits: readonly PendingDeposit[] | null } | undefined;
};

type Digested = Pick<EpochState, 'balances' | 'finalizedEpoch' | 'pendingConsolidations'>;

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();

function digestOf({ balances, finalizedEpoch, pendingConsolidations }: Digested): string {
  const pending = pendingConsolidations.map(({ source, target }) => [source, target]);
  return createHash('sha256')
    .update(new Uint8Array(balances.buffer, balances.byteOffset, balances.byteLength))
    .update(JSON.stringify([finalizedEpoch, pending]))
    .digest('hex');
}

export type SavedDeposits = Omit<DepositQueue, 'carry'>;
/** Deposits are stored separately, because few of them change per epoch. */
export type SavedChain = { readonly state: Buffer; readonly deposits: SavedDeposits };

export function saveState(state: ChainState): SavedChain {
  const { balances, finalizedEpoch, pendingConsolidations, terms, votes, scores, queue, ...rest } = state;
  const { carry, ...deposits } = queue;
  const found: number[] = [];
  for (let index = 0; index < scores.length; index++) if (scores[index]) found.push(index);
  const scored = Uint32Array.from(found);
  const saved: Saved = {
    ...rest,
    carry,
    deposits: deposits.entries.length,
    digest: digestOf(state),
    votes: votes.votes,
    delays: votes.delays,
    scored,
    scores: scored.map((index) => scores[index] as number),
  };
  const body = deflateRawSync(serialize(saved), { level: 1 });
  const version = Buffer.alloc(4);
  version.writeUInt32LE(VERSION);
  return { state: Buffer.concat([Buffer.from(MAGIC), version, sha256(body), body]), deposits };
}

function readSaved(bytes: Buffer): Saved {
  const start = MAGIC.length + 4 + DIGEST;
  if (bytes.length < start || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC)
    throw new SavedStateError('The saved state of the index is not readable. Begin anew with --from.');
  const version = bytes.readUInt32LE(MAGIC.length);
  if (version !== VERSION && version !== BEFORE_GLOAS)
    throw new SavedStateError(
      `The saved state of the index has version ${version}, not ${VERSION}. Begin anew with --from.`,
    );
  const body = bytes.subarray(start);
  if (!sha256(body).equals(bytes.subarray(start - DIGEST, start)))
    throw new SavedStateError(
      'The saved state of the index is damaged: its checksum does not match. Begin anew with --from.',
    );
  const saved: Saved = deserialize(inflateRawSync(body));
  return version === VERSION ? saved : { ...saved, ...fromBeforeGloas(saved) };
}

function fromBeforeGloas({
  first,
  roots,
  open,
}: Saved): Pick<Saved, 'blocks' | 'payments' | 'builders' | 'open'> {
  const newest = first.root ?? roots.at(-1);
  const status = { slot: -1, blockHash: null, full: true };
  const blockOf = (block: BeaconBlock): BeaconBlock => ({
    ...{ ...block, bid: null, slashedSlots: [], builderDeposits: [] },
    execution: block.execution && { ...block.execution, builderWithdrawals: [] },
  });
  return {
    blocks: new Map(newest === undefined ? [] : [[newest, status]]),
    payments: new Map(),
    builders: null,
    open: open && {
      ...open,
      blocks: open.blocks.map(({ block, ...facts }) => ({
        ...{ ...facts, block: block && blockOf(block), payload: null, bid: null },
      })),
    },
  };
}

/** Throws `InputError` if the node's state differs from the saved one. */
export function restoreState(
  spec: ChainSpec,
  registry: ValidatorSet,
  saved: SavedChain,
  resume: Resume,
): ChainState {
  const { digest, votes, delays, scored, scores, carry, deposits, ...rest } = readSaved(saved.state);
  if (saved.deposits.entries.length !== deposits)
    throw new SavedStateError(
      `The index saved ${deposits} deposits, and ${saved.deposits.entries.length} are stored. Begin anew with --from.`,
    );
  const { epoch, increments } = rest;
  const { balances, finalizedEpoch, pendingConsolidations } = resume.state;
  for (const record of resume.records) registry.set(record);
  registry.increments = increments;
  if (registry.size !== increments.length)
    throw new InputError(epoch, `there are ${registry.size} validators instead of ${increments.length}`);
  if (resume.state.epoch !== epoch || digestOf(resume.state) !== digest)
    throw new InputError(epoch, 'the node reports another state than the one that was reconciled before');
  checkCommittees(registry, increments, resume.committees, epoch - 1);
  const all = new Uint32Array(increments.length);
  for (const [at, index] of scored.entries()) all[index] = scores[at] as number;
  const queue = { ...saved.deposits, carry };
  return {
    ...rest,
    ...(resume.anew && { published: false, builders: resume.state.builders }),
    queue: queueAnew(queue, resume.anew?.pendingDeposits ?? queue.entries),
    balances,
    finalizedEpoch,
    pendingConsolidations,
    scores: all,
    terms: termsOf(spec, activeIn(registry, epoch, increments).increments),
    votes: new EpochVotes(resume.committees, votes, delays),
  };
}
