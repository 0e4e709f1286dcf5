import { processEffectiveBalanceUpdates } from './balances.ts';
import { type BlockEffects, processBlock } from './block.ts';
import type { ChainState } from './chain-state.ts';
import { activeIn, checkInput } from './check.ts';
import { processPendingConsolidations } from './consolidations.ts';
import { type DepositQueue, onboardBuildersFromPendingDeposits, processPendingDeposits } from './deposits.ts';
import { worldOf } from './epoch-world.ts';
import { InputError } from './errors.ts';
import { type Applied, factsOf, openFactsOf } from './facts.ts';
import { processBuilderPendingPayments } from './payments.ts';
import { reconcileBalances, reconcileRecords } from './reconcile.ts';
import type { ValidatorSet } from './registry.ts';
import { processRewardsAndPenalties } from './rewards.ts';
import { rootsOf } from './roots.ts';
import { rulesAt } from './rules.ts';
import { processSlashings } from './slashings.ts';
import type { ChainSpec } from './spec.ts';
import { type Terms, termsOf } from './terms.ts';
import type { BeaconBlock, EpochFacts, EpochInput } from './types.ts';
import type { EpochVotes } from './votes.ts';
import type { World } from './world.ts';

/** Applies an epoch and the first block of the next one. Changes `registry`, unless it throws. */
export function step(
  spec: ChainSpec,
  registry: ValidatorSet,
  state: ChainState,
  input: EpochInput,
): { state: ChainState; facts: EpochFacts | undefined } {
  checkInput(spec, registry, state, input);
  const roots = rootsOf(input.epoch, input.blocks, state.roots.at(-1));
  const next = rootsOf(input.epoch, [input.nextFirstBlock], roots.at(-1));
  const world = worldOf(spec, registry, state, input, [...roots, ...next]);
  const applied = processEpoch(world, state, input);
  const taken = takeRecords(registry, input);
  try {
    const terms = termsOf(spec, activeIn(registry, input.epoch + 1, world.increments).increments);
    const first = applyFirst(world, input, terms);
    reconcileBalances(input.epoch, world.balances, input.next.balances);
    reconcileRecords(input.epoch, world, input.records);
    world.builders?.reconcile(input.epoch);
    return {
      state: {
        epoch: input.epoch + 1,
        balances: input.next.balances,
        increments: world.increments,
        scores: world.scores,
        finalizedEpoch: input.next.finalizedEpoch,
        pendingConsolidations: input.next.pendingConsolidations,
        terms,
        votes: world.votes[1] as EpochVotes,
        roots,
        ...keptBlocks(world, roots, next),
        builders: input.next.builders,
        queue: { ...applied.queue, entries: [...applied.queue.entries, ...world.deposits] },
        slashings: recent(world),
        first: { known: true, root: input.nextFirstBlock?.root ?? null, effects: first },
        open: openFactsOf(spec, state, input, applied),
        published: state.open !== null,
      },
      facts: state.open
        ? factsOf(
            world,
            state,
            state.open,
            applied,
            input.following,
            state.published ? taken.changed : range(registry.size),
          )
        : undefined,
    };
  } catch (error) {
    taken.undo();
    throw error;
  }
}

function keptBlocks({ blocks, payments, epoch, spec }: World, ...roots: readonly (readonly string[])[]) {
  const named = new Set(roots.flat());
  return {
    blocks: new Map([...blocks].filter(([root]) => named.has(root))),
    payments: new Map([...payments].filter(([slot]) => slot >= epoch * spec.slotsPerEpoch)),
  };
}

function processEpoch(world: World, state: ChainState, input: EpochInput): Applied {
  const { next } = input;
  const size = next.balances.length;
  const inOrder = [...input.blocks, ...input.following].filter((block) => block !== null);
  const laterThan = ({ slot }: BeaconBlock) => inOrder.filter((block) => block.slot > slot);
  const effects = input.blocks.map((block, slot) =>
    slot > 0 && block ? processBlock(world, block, input.syncCommittee, laterThan(block)) : null,
  );
  const votes = world.votes[0] as EpochVotes;
  const duties = processRewardsAndPenalties(world, votes, next.finalizedEpoch);
  processRegistryUpdates(world);
  const correlation = processSlashings(world, next.balances);
  const entries = [...state.queue.entries, ...world.deposits.splice(0)];
  const processed = world.rules.electra
    ? processPendingDeposits(world, { ...state.queue, entries }, next.finalizedEpoch, next.balances)
    : state.queue;
  const queue = upgradeToGloas(world, processed, next);
  const consolidations = processPendingConsolidations(
    world,
    state.pendingConsolidations,
    next.pendingConsolidations,
  );
  processBuilderPendingPayments(world);
  processEffectiveBalanceUpdates(world, size);
  return { effects, duties, votes, consolidations, correlation, queue };
}

function upgradeToGloas({ spec, epoch }: World, queue: DepositQueue, next: EpochInput['next']): DepositQueue {
  if (epoch + 1 !== spec.forkEpochs.gloas) return queue;
  if (next.depositsAfterUpgrade)
    return onboardBuildersFromPendingDeposits(epoch, queue, next.depositsAfterUpgrade, next.builders);
  throw new InputError(epoch, 'no node reports the queue of deposits after the upgrade to Gloas');
}

/** The records after the epoch tell all but who is ejected: deposits to them are postponed. */
function processRegistryUpdates({ spec, registry, records, exiting, increments, epoch }: World): void {
  const ejection = spec.ejectionBalance / spec.effectiveBalanceIncrement;
  for (const index of records.keys())
    if (index < registry.size && registry.isActive(index, epoch) && (increments[index] as number) <= ejection)
      exiting.add(index);
}

function applyFirst(world: World, input: EpochInput, terms: Terms): BlockEffects | null {
  const block: BeaconBlock | null = input.nextFirstBlock;
  if (!block) return null;
  const epoch = input.epoch + 1;
  const rules = rulesAt(world.spec, epoch);
  const votes = world.votes.slice(1);
  const exiting = new Set(world.exiting);
  const later = input.following.slice(1);
  return processBlock(
    { ...world, epoch, rules, terms, votes, exiting },
    block,
    input.nextSyncCommittee,
    later,
  );
}

function takeRecords(registry: ValidatorSet, input: EpochInput) {
  const size = registry.size;
  const sorted = input.records.toSorted((a, b) => a.index - b.index);
  const old = sorted.filter(({ index }) => index < size).map(({ index }) => registry.record(index));
  const undo = () => {
    registry.shrink(size);
    for (const record of old) registry.set(record);
  };
  const text = (record: object) => JSON.stringify({ ...record, effectiveBalance: 0 });
  const changed: number[] = [];
  try {
    for (const [at, record] of sorted.entries()) {
      registry.set(record);
      const former = old[at];
      if (!former || text(former) !== text(registry.record(record.index))) changed.push(record.index);
    }
  } catch (error) {
    undo();
    throw error;
  }
  return { changed, undo };
}

const recent = ({ slashings, epoch, spec }: World) =>
  slashings.filter((each) => each.epoch > epoch + 1 - spec.epochsPerSlashingsVector);

const range = (length: number) => Array.from({ length }, (_, index) => index);
