import type { ChainState } from './chain-state.ts';
import { InputError, MissingRecords } from './errors.ts';
import { recordsNeeded } from './needs.ts';
import type { ValidatorSet } from './registry.ts';
import { refuseUpgrade } from './rules.ts';
import type { ChainSpec } from './spec.ts';
import type { Committees, EpochInput } from './types.ts';

export function activeIn(registry: ValidatorSet, epoch: number, increments: Uint16Array) {
  let [count, sum] = [0, 0];
  for (let index = 0; index < registry.size; index++)
    if (registry.isActive(index, epoch)) {
      count += 1;
      sum += increments[index] as number;
    }
  return { count, increments: sum };
}

export function checkCommittees(
  registry: ValidatorSet,
  increments: Uint16Array,
  committees: Committees,
  epoch: number,
): void {
  const { members, offsets, perSlot } = committees;
  if (committees.epoch !== epoch || offsets.length < perSlot || offsets.at(-1) !== members.length)
    throw new InputError(epoch, `the committees are of epoch ${committees.epoch}, or incomplete`);
  const seen = new Uint8Array(registry.size);
  for (const member of members) {
    if (member >= registry.size || seen[member] || !registry.isActive(member, epoch))
      throw new InputError(epoch, `validator ${member} is in a committee twice, or is not active`);
    seen[member] = 1;
  }
  const { count } = activeIn(registry, epoch, increments);
  if (count === members.length) return;
  const missing = seen.findIndex((each, index) => !each && registry.isActive(index, epoch));
  throw new InputError(epoch, `validator ${missing} is active, but in no committee`);
}

export function checkInput(
  spec: ChainSpec,
  registry: ValidatorSet,
  state: ChainState,
  input: EpochInput,
): void {
  const { epoch, blocks, next, proposers } = input;
  const fail = (message: string) => {
    throw new InputError(epoch, message);
  };
  const first = epoch * spec.slotsPerEpoch;
  refuseUpgrade(spec, epoch);
  if (epoch !== state.epoch) throw new Error(`epoch ${state.epoch} comes next, not ${epoch}`);
  if (next.epoch !== epoch + 1) fail(`the next state is of epoch ${next.epoch}`);
  if (next.balances.length < registry.size)
    fail(`the next state has ${next.balances.length} validators, fewer than the ${registry.size} before`);
  if (next.finalizedEpoch < state.finalizedEpoch || next.finalizedEpoch > epoch)
    fail(`the next state's finalized epoch is ${next.finalizedEpoch}, after ${state.finalizedEpoch}`);
  if (blocks.length !== spec.slotsPerEpoch || proposers.length !== spec.slotsPerEpoch)
    fail(`there are ${blocks.length} slots and ${proposers.length} proposers`);
  for (const [at, block] of blocks.entries())
    if (block && (block.slot !== first + at || block.proposerIndex !== proposers[at]))
      fail(`slot ${first + at} has a block of slot ${block.slot} by validator ${block.proposerIndex}`);
  if (input.nextFirstBlock && input.nextFirstBlock.slot !== first + spec.slotsPerEpoch)
    fail(`the first block of the next epoch is of slot ${input.nextFirstBlock.slot}`);
  if (Math.max(...proposers, input.nextFirstBlock?.proposerIndex ?? 0) >= registry.size)
    fail('a proposer is not in the registry');
  if (state.first.known && (blocks[0]?.root ?? null) !== state.first.root)
    fail(`the block of slot ${first} is another one than in the state before`);
  checkCommittees(registry, state.increments, input.committees, epoch);
  const given = new Set(input.records.map(({ index }) => index));
  const missing = recordsNeeded(spec, registry, state.increments, input).filter((index) => !given.has(index));
  if (missing.length) throw new MissingRecords(epoch, missing);
}
