import { forkAt } from '../chain/spec.ts';
import {
  type BeaconBlock,
  type BuilderRecord,
  type Committees,
  type EpochInput,
  type EpochState,
  forks,
} from '../chain/types.ts';
import * as answers from './answers.ts';
import { type Asking, firstSlot, pruned } from './asking.ts';
import type { EpochBlocks } from './blocks.ts';
import { NodeError } from './errors.ts';
import { BalanceReader } from './scan/balances.ts';
import { CommitteeReader } from './scan/committees.ts';
import { recordsAt } from './validators-at.ts';

const statePath = (asking: Asking, epoch: number, what: string) =>
  `/eth/v1/beacon/states/${firstSlot(asking, epoch)}/${what}`;
const since = ({ identity }: Asking, epoch: number, fork: (typeof forks)[number]): boolean =>
  forks.indexOf(forkAt(identity.spec, epoch)) >= forks.indexOf(fork);

/** Reads what the node has of the state before the epoch. Throws NodeError `pruned` for 404. */
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

export async function balancesAt(asking: Asking, epoch: number): Promise<Float64Array> {
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
  const upgrades = epoch === asking.identity.spec.forkEpochs.gloas;
  const [balances, finality, pendingConsolidations, builders, deposits] = await Promise.all([
    balancesAt(asking, epoch),
    stateJson(asking, epoch, 'finality_checkpoints', answers.readFinality),
    electra ? stateJson(asking, epoch, 'pending_consolidations', answers.readConsolidations) : [],
    since(asking, epoch, 'gloas') ? buildersAt(asking, firstSlot(asking, epoch)) : null,
    upgrades ? stateJson(asking, epoch, 'pending_deposits', answers.readDeposits) : null,
  ]);
  return {
    ...{ epoch, balances, finalizedEpoch: finality.epoch, pendingConsolidations, builders },
    depositsAfterUpgrade: deposits,
  };
}

/** All builders, or those of the indices. Null before Gloas, and if the node does not know the request. */
export async function buildersAt(
  asking: Asking,
  state: 'head' | number,
  indices?: readonly number[],
): Promise<readonly BuilderRecord[] | null> {
  const { endpoint, signal } = asking;
  const path = `/eth/v1/beacon/states/${state}/builders`;
  const body = indices ? { ids: [...new Set(indices)].map(String) } : {};
  const urgent = indices !== undefined;
  const reported = await endpoint.client
    .json({ path, body, signal, urgent }, answers.readBuilders)
    .catch((error) => {
      if (endpoint.tellsBuilders || !(error instanceof NodeError) || error.reason !== 'status') throw error;
      return undefined;
    });
  if (reported) endpoint.tellsBuilders = true;
  return reported ?? null;
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
  const committee = stateJson(shared, stateEpoch, `sync_committees?epoch=${epoch}`, (answer) =>
    answers.readSyncCommittee(answer, spec.syncCommitteeSize),
  );
  committees.set(period, committee);
  committee.catch(() => committees.get(period) === committee && committees.delete(period));
  for (const oldest of committees.keys()) if (committees.size > 4) committees.delete(oldest);
  return committee;
}

const finalSlot = (asking: Asking): number => firstSlot(asking, asking.endpoint.finalized.epoch);

/** Since Gloas, without payloads. */
export function blocksOf(asking: Asking, epoch: number): Promise<EpochBlocks> {
  const { endpoint, identity, signal } = asking;
  const { slotsPerEpoch } = identity.spec;
  return endpoint.blocks.epoch(firstSlot(asking, epoch), slotsPerEpoch, finalSlot(asking), signal);
}

export const withPayloads = (asking: Asking, blocks: Pick<EpochBlocks, 'blocks' | 'after'>) =>
  asking.endpoint.blocks.withPayloads(blocks, finalSlot(asking), asking.signal);

async function proposersOf(
  asking: Asking,
  epoch: number,
  blocks: readonly (BeaconBlock | null)[],
): Promise<Uint32Array> {
  if (blocks.every((block) => block !== null))
    return Uint32Array.from(blocks, (block) => (block as BeaconBlock).proposerIndex);
  const reported = await dutiesOf(asking, epoch);
  blocks.forEach((block, i) => {
    if (block && block.proposerIndex !== reported[i])
      throw asking.endpoint.client.error(
        'nonsense',
        `slot ${block.slot} has a block of validator ${block.proposerIndex}, but the duty is that of ${reported[i]}.`,
      );
  });
  return reported;
}

export async function dutiesOf(asking: Asking, epoch: number, urgent = false): Promise<Uint32Array> {
  const { client } = asking.endpoint;
  const slots = asking.identity.spec.slotsPerEpoch;
  const { signal } = asking;
  const first = firstSlot(asking, epoch);
  const path = `/eth/v1/validator/duties/proposer/${epoch}`;
  // Since Gloas, v1 is deprecated; v2 has the same rows.
  for (const each of since(asking, epoch, 'gloas') ? [path.replace('v1', 'v2'), path] : [path]) {
    const duties = await client
      .json({ path: each, signal, urgent }, (answer) => answers.readDuties(answer, first, slots))
      .catch((error: NodeError) => (error.reason === 'status' ? undefined : Promise.reject(error)));
    if (duties) return duties;
  }
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
  const [{ blocks, following, nextFirst }, committees, seats, nextSeats, next] = await Promise.all([
    blocksOf(asking, epoch).then(async (found) => {
      const reported = await withPayloads(asking, found);
      return { ...reported, nextFirst: found.next && (reported.following[0] ?? found.next) };
    }),
    lastCommittees(asking, epoch),
    committee,
    newPeriod ? syncCommittee(asking, epoch + 1) : committee,
    stateAt(asking, epoch + 1),
  ]);
  const proposers = await proposersOf(asking, epoch, blocks);
  const input = {
    ...{ epoch, blocks, committees, proposers, next, nextFirstBlock: nextFirst, following },
    syncCommittee: seats,
    nextSyncCommittee: nextSeats,
  };
  const records = await recordsAt(asking, firstSlot(asking, epoch + 1), recordsNeeded(input));
  return { ...input, records };
}
