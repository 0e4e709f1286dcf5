import { setMaxListeners } from 'node:events';
import type { Network } from '../../chain/networks.ts';
import { type ChainSpec, SpecError } from '../chain/spec.ts';
import type { BeaconBlock, BuilderRecord, EpochInput, ExecutionPayload } from '../chain/types.ts';
import type { Finality } from './answers.ts';
import type { Asking } from './asking.ts';
import { type Beginning, compareBeginning } from './compare.ts';
import type { Identity } from './endpoint.ts';
import { buildersAt, dutiesOf, epochInput } from './epoch.ts';
import { NodeError } from './errors.ts';
import { type ChainEvent, chainEvents } from './events.ts';
import { type Ask, type NodesOptions, Pool } from './pool.ts';
import { type NodeStart, type Resume, resumeAfter, startAt } from './start.ts';
import { type ValidatorAt, validatorsAt } from './validators-at.ts';

export { NodeError } from './errors.ts';
export type { ChainEvent } from './events.ts';
export type { NodesOptions } from './pool.ts';

type From<T> = T & { node: string };

export type Nodes = {
  /** Changes when a node schedules another fork. */
  readonly spec: ChainSpec;
  readonly network: Network;
  readonly genesisRoot: string;
  readonly count: number;
  /** All methods throw `NodeError` if no node gives a valid response. */
  finality(): Promise<Finality>;
  /** Reads `config/spec` again; faults of nodes are reported to `onError`. */
  readSpecs(): Promise<void>;
  head(): Promise<{ slot: number; root: string }>;
  /** Null if there is no such block, for example after a reorg. */
  blockAt(id: number | string): Promise<BeaconBlock | null>;
  /** Since Gloas, of a block that the chain has the payload of. */
  payloadOf(block: BeaconBlock): Promise<ExecutionPayload>;
  /** Null before Gloas, and if the node does not report them. */
  builders(state: 'head' | number, indices: readonly number[]): Promise<readonly BuilderRecord[] | null>;
  /** Returns the proposer of each slot; `epoch` is at most the next epoch. */
  proposers(epoch: number): Promise<Uint32Array>;
  start(epoch: number, ask?: Ask): Promise<From<NodeStart>>;
  /** If `ask` has a node to avoid, because its answers were refused, what was saved of them is read again. */
  resume(epoch: number, ask?: Ask): Promise<From<Resume>>;
  fetchEpoch(
    epoch: number,
    recordsNeeded: (input: Omit<EpochInput, 'records'>) => readonly number[],
    ask?: Ask,
  ): Promise<{ input: EpochInput; node: string }>;
  /** Throws NodeError `disagree` if a node that is not in `refused` reports another beginning. */
  compare(beginning: Beginning, refused: ReadonlySet<string>, signal: AbortSignal): Promise<void>;
  validatorsAt(state: 'head' | number, indices: readonly number[]): Promise<ValidatorAt[]>;
  events(signal: AbortSignal): AsyncGenerator<ChainEvent>;
};

/** Throws `SpecError` for an unknown or unexpected network. */
export async function openNodes(options: NodesOptions): Promise<Nodes> {
  setMaxListeners(0, options.signal);
  const pool = new Pool(options);
  const { common } = pool;
  const close = () => {
    for (const { client } of pool.endpoints) client.close();
  };
  const name = (asking: Asking) => asking.endpoint.client.name;
  try {
    await pool.ask(async () => undefined);
  } catch (error) {
    close();
    if (error instanceof NodeError && error.reason === 'other-network') throw new SpecError(error.message);
    throw error;
  }
  options.signal.addEventListener('abort', close, { once: true });
  const identity = common.identity as unknown as Identity;
  return {
    spec: identity.spec,
    network: identity.network,
    genesisRoot: identity.genesis.validatorsRoot,
    count: pool.endpoints.length,
    finality: () => pool.finality(),
    readSpecs: () => pool.readSpecs(),
    head: () => pool.ask(({ endpoint, signal }) => endpoint.head(signal)),
    blockAt: (id) => pool.ask(({ endpoint, signal }) => endpoint.blocks.near(id, signal)),
    payloadOf: (block) =>
      pool.ask(({ endpoint, signal }) => endpoint.blocks.payloads.ofFull(block, signal, true)),
    builders: (state, indices) => pool.ask((asking) => buildersAt(asking, state, indices)),
    proposers: (epoch) => pool.ask((asking) => dutiesOf(asking, epoch, true)),
    start: (epoch, ask) => {
      pool.agreed.clear();
      return pool.ask(
        async (asking) => {
          await asking.endpoint.needFinal(epoch);
          return { ...(await startAt(asking, epoch)), node: name(asking) };
        },
        ask,
        epoch,
      );
    },
    resume: (epoch, ask) =>
      pool.ask(
        async (asking) => {
          await asking.endpoint.needFinal(epoch + 1);
          return { ...(await resumeAfter(asking, epoch, ask?.avoid !== undefined)), node: name(asking) };
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
    compare: (...args) => compareBeginning(pool, ...args),
    validatorsAt: (state, indices) => pool.ask((asking) => validatorsAt(asking, state, indices)),
    events: (signal) =>
      chainEvents({
        endpoints: () => pool.inOrder(),
        idleMs: options.idleMs ?? 60_000,
        pollMs: options.pollMs ?? 2_000,
        slotsPerEpoch: identity.spec.slotsPerEpoch,
        gloas: identity.spec.gloas !== undefined,
        signal,
      }),
  };
}
