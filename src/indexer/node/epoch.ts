import { forkAt } from '../spec.ts';
import {
  type BeaconBlock,
  type Committees,
  type EpochInput,
  type EpochState,
  forks,
  type ValidatorRecord,
} from '../types.ts';
import * as answers from './answers.ts';
import type { EpochBlocks } from './blocks.ts';
import type { Endpoint, Identity } from './endpoint.ts';
import { AnswerError, NodeError } from './errors.ts';
import { BalanceReader } from './scan/balances.ts';
import { listAt } from './scan/bytes.ts';
import { CommitteeReader } from './scan/committees.ts';
import { recordOf } from './scan/registry.ts';

const IDS_PER_REQUEST = 200;

export type Asking = { endpoint: Endpoint; identity: Identity; signal: AbortSignal };

export const firstSlot = ({ identity }: Asking, epoch: number): number => epoch * identity.spec.slotsPerEpoch;
const statePath = (asking: Asking, epoch: number, what: string) =>
  `/eth/v1/beacon/states/${firstSlot(asking, epoch)}/${what}`;
const since = ({ identity }: Asking, epoch: number, fork: (typeof forks)[number]): boolean =>
  forks.indexOf(forkAt(identity.spec, epoch)) >= forks.indexOf(fork);

export function pruned({ endpoint }: Asking, path: string): NodeError {
  return endpoint.client.error(
    'pruned',
    `${path} answers 404: the node does not keep this state any more (or is too old to know the path). Use an archive node, or begin later with --from.`,
  );
}

/** Throws NodeError `pruned` for 404. */
async function stateJson<T>(
  asking: Asking,
  epoch: number,
  what: string,
  read: (answer: Record<string, unknown>) => T,
): Promise<T> {
  const path = statePath(asking, epoch, what);
  const found = await asking.endpoint.client.json({ path, signal: asking.signal }, read);
  if (found === undefined) throw pruned(asking, path);
  return found;
}

async function balancesAt(asking: Asking, epoch: number): Promise<Float64Array> {
  const { endpoint, signal } = asking;
  const path = statePath(asking, epoch, 'validator_balances');
  const open = () => new BalanceReader(endpoint.validators + 1024);
  const balances = await endpoint.client.scan({ path, signal }, open);
  if (!balances) throw pruned(asking, path);
  endpoint.validators = balances.length;
  return balances;
}

export async function stateAt(asking: Asking, epoch: number): Promise<EpochState> {
  const electra = since(asking, epoch, 'electra');
  const [balances, finality, pendingConsolidations] = await Promise.all([
    balancesAt(asking, epoch),
    stateJson(asking, epoch, 'finality_checkpoints', answers.readFinality),
    electra ? stateJson(asking, epoch, 'pending_consolidations', answers.readConsolidations) : [],
  ]);
  return { epoch, balances, finalizedEpoch: finality.epoch, pendingConsolidations };
}

async function committeesOf(asking: Asking, epoch: number, stateEpoch: number): Promise<Committees> {
  const { spec } = asking.identity;
  const path = statePath(asking, stateEpoch, `committees?epoch=${epoch}`);
  const shape = { epoch, slotsPerEpoch: spec.slotsPerEpoch, maxPerSlot: spec.maxCommitteesPerSlot };
  const open = () => new CommitteeReader(shape, asking.endpoint.validators);
  const found = await asking.endpoint.client.scan({ path, signal: asking.signal }, open);
  if (!found) throw pruned(asking, path);
  return found;
}

/** If the state of `epoch` is pruned, reads the committees from the next epoch's state. */
export const lastCommittees = (asking: Asking, epoch: number): Promise<Committees> =>
  committeesOf(asking, epoch, epoch).catch((error) => {
    if (error instanceof NodeError && error.reason === 'pruned')
      return committeesOf(asking, epoch, epoch + 1);
    throw error;
  });

/** A committee serves for 256 epochs; `stateEpoch` must be one of them. */
export function syncCommittee(asking: Asking, epoch: number, stateEpoch = epoch): Promise<Uint32Array> {
  if (!since(asking, epoch, 'altair')) return Promise.resolve(new Uint32Array(0));
  const { spec } = asking.identity;
  const { committees } = asking.endpoint;
  const period = Math.floor(epoch / spec.epochsPerSyncCommitteePeriod);
  const kept = committees.get(period);
  if (kept) return kept;
  const shared = { ...asking, signal: asking.endpoint.common.lifetime };
  const asked = stateJson(shared, stateEpoch, `sync_committees?epoch=${epoch}`, (answer) =>
    answers.readSyncCommittee(answer, spec.syncCommitteeSize),
  );
  committees.set(period, asked);
  asked.catch(() => committees.get(period) === asked && committees.delete(period));
  for (const oldest of committees.keys()) if (committees.size > 4) committees.delete(oldest);
  return asked;
}

export function blocksOf(asking: Asking, epoch: number): Promise<EpochBlocks> {
  const { endpoint, identity, signal } = asking;
  const { slotsPerEpoch } = identity.spec;
  const final = endpoint.finalized.epoch * slotsPerEpoch;
  return endpoint.blocks.epoch(firstSlot(asking, epoch), slotsPerEpoch, final, signal);
}

async function proposersOf(
  asking: Asking,
  epoch: number,
  blocks: readonly (BeaconBlock | null)[],
): Promise<Uint32Array> {
  if (blocks.every((block) => block !== null))
    return Uint32Array.from(blocks, (block) => (block as BeaconBlock).proposerIndex);
  const told = await dutiesOf(asking, epoch);
  blocks.forEach((block, i) => {
    if (block && block.proposerIndex !== told[i])
      throw asking.endpoint.client.error(
        'nonsense',
        `slot ${block.slot} has a block of validator ${block.proposerIndex}, but the duty is that of ${told[i]}.`,
      );
  });
  return told;
}

export async function dutiesOf(asking: Asking, epoch: number, urgent = false): Promise<Uint32Array> {
  const { client } = asking.endpoint;
  const slots = asking.identity.spec.slotsPerEpoch;
  const { signal } = asking;
  const first = firstSlot(asking, epoch);
  const path = `/eth/v1/validator/duties/proposer/${epoch}`;
  const duties = await client
    .json({ path, signal, urgent }, (answer) => answers.readDuties(answer, first, slots))
    .catch((error: NodeError) => (error.reason === 'status' ? undefined : Promise.reject(error)));
  if (duties) return duties;
  const lookahead = since(asking, epoch, 'fulu')
    ? await client
        .json({ path: statePath(asking, epoch, 'proposer_lookahead'), signal, urgent }, (answer) =>
          answers.readLookahead(answer, slots),
        )
        .catch((error: NodeError) => (error.reason === 'status' ? undefined : Promise.reject(error)))
    : undefined;
  if (lookahead) return lookahead;
  throw client.error(
    'unknown-proposer',
    `does not tell who should have proposed in the missed slots of epoch ${epoch} (${path}). Use a node that answers this for old epochs, or begin later with --from.`,
  );
}

/** Sends several requests, because the length of a URL is limited. */
export async function inBatches<T>(
  indices: readonly number[],
  ask: (batch: readonly number[]) => Promise<T[]>,
): Promise<T[]> {
  const batches: (readonly number[])[] = [];
  for (let at = 0; at < indices.length; at += IDS_PER_REQUEST)
    batches.push(indices.slice(at, at + IDS_PER_REQUEST));
  return (await Promise.all(batches.map(ask))).flat();
}

async function recordsAt(
  asking: Asking,
  epoch: number,
  indices: readonly number[],
): Promise<ValidatorRecord[]> {
  return inBatches(indices, (batch) =>
    stateJson(asking, epoch, `validators?id=${batch.join(',')}`, ({ data }) => {
      const records = new Map(
        listAt(data, 'data')
          .map(recordOf)
          .map((record) => [record.index, record]),
      );
      return batch.map((index) => {
        const record = records.get(index);
        if (!record) throw new AnswerError(`validator ${index} is missing`);
        return record;
      });
    }),
  );
}

function checkFork({ endpoint, identity }: Asking, epoch: number): void {
  try {
    forkAt(identity.spec, epoch);
  } catch (error) {
    throw endpoint.client.error('unknown-fork', (error as Error).message);
  }
}

export async function epochInput(
  asking: Asking,
  epoch: number,
  recordsNeeded: (input: Omit<EpochInput, 'records'>) => readonly number[],
): Promise<EpochInput> {
  checkFork(asking, epoch + 1);
  const newPeriod = (epoch + 1) % asking.identity.spec.epochsPerSyncCommitteePeriod === 0;
  const committee = syncCommittee(asking, epoch, newPeriod ? epoch : epoch + 1);
  const [{ blocks, next: nextFirstBlock }, committees, seats, nextSeats, next] = await Promise.all([
    blocksOf(asking, epoch),
    lastCommittees(asking, epoch),
    committee,
    newPeriod ? syncCommittee(asking, epoch + 1) : committee,
    stateAt(asking, epoch + 1),
  ]);
  const proposers = await proposersOf(asking, epoch, blocks);
  const input = {
    ...{ epoch, blocks, committees, proposers, next, nextFirstBlock },
    syncCommittee: seats,
    nextSyncCommittee: nextSeats,
  };
  const records = await recordsAt(asking, epoch + 1, recordsNeeded(input));
  return { ...input, records };
}
