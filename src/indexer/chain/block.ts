import {
  type Attestation,
  type BeaconBlock,
  MAX_SOURCE_DELAY,
  type SeatFacts,
  type SlashingFacts,
  Vote,
} from '../types.ts';
import { bitAt } from './bits.ts';
import { InputError } from './errors.ts';
import { takeRequests } from './requests.ts';
import { type Inclusion, include } from './votes.ts';
import { decrease, increase, type World } from './world.ts';

export type BlockEffects = {
  readonly consensusRewards: number;
  readonly seats: SeatFacts | null;
  readonly slashings: readonly SlashingFacts[];
  readonly penalties: number;
};

export function applyBlock(world: World, block: BeaconBlock, committee: Uint32Array): BlockEffects {
  const before = balancesOf(world, block);
  for (const { validatorIndex, amount } of block.execution?.withdrawals ?? [])
    decrease(world.balances, validatorIndex, amount);
  const slashed = slash(world, block, before);
  const attestations = attest(world, block);
  takeRequests(world, block);
  const sync = payCommittee(world, block, committee);
  return {
    consensusRewards: slashed.reward + attestations + sync.reward,
    seats: sync.seats,
    slashings: slashed.facts,
    penalties: slashed.penalties,
  };
}

const named = (block: BeaconBlock) => [...block.proposerSlashings, ...block.attesterSlashings.flat()];

const balancesOf = (world: World, block: BeaconBlock) =>
  new Map(named(block).map((index) => [index, world.balances[index] as number]));

function slash(world: World, block: BeaconBlock, before: ReadonlyMap<number, number>) {
  const { spec, epoch, registry, rules, balances } = world;
  const facts: SlashingFacts[] = [];
  let [reward, penalties] = [0, 0];
  for (const index of named(block)) {
    const slashable =
      !world.slashed[index] &&
      (registry.activation[index] as number) <= epoch &&
      epoch < (registry.withdrawable[index] as number);
    if (!slashable) continue;
    world.slashed[index] = 1;
    world.exiting.add(index);
    const increments = world.increments[index] as number;
    world.slashings.push({ epoch, increments });
    const effective = increments * spec.effectiveBalanceIncrement;
    penalties += decrease(balances, index, Math.floor(effective / rules.slashingQuotient));
    const whistleblower = Math.floor(effective / rules.whistleblowerQuotient);
    increase(balances, block.proposerIndex, whistleblower);
    reward += whistleblower;
    facts.push({
      validatorIndex: index,
      slot: block.slot,
      withdrawableEpoch: world.records.get(index)?.withdrawableEpoch ?? Number.POSITIVE_INFINITY,
      balanceBeforeSlashing: before.get(index) as number,
    });
  }
  return { facts, reward, penalties };
}

/**
 * Follows `get_attestation_participation_flag_indices`. Sources are not checked, because a wrong source makes a block
 * invalid.
 */
function inclusionOf(world: World, attestation: Attestation, delay: number): Inclusion {
  const { rootAt, rules, spec } = world;
  const target = attestation.target.root === rootAt(attestation.target.epoch * spec.slotsPerEpoch);
  const root = attestation.beaconBlockRoot === rootAt(attestation.slot);
  const late = !rules.anyTargetDelay && delay > spec.slotsPerEpoch;
  return {
    flags:
      (delay <= MAX_SOURCE_DELAY ? Vote.source : 0) |
      (target && !late ? Vote.target : 0) |
      (target && root && delay === spec.minAttestationInclusionDelay ? Vote.head : 0),
    first:
      Vote.included |
      (root ? 0 : Vote.wrongHead) |
      (target ? 0 : Vote.wrongTarget) |
      (late ? Vote.lateTarget : 0),
    delay,
  };
}

export function attest(world: World, block: BeaconBlock): number {
  const { spec, terms } = world;
  const denominator =
    ((spec.weightDenominator - spec.proposerWeight) * spec.weightDenominator) / spec.proposerWeight;
  let reward = 0;
  for (const attestation of block.attestations) {
    const votes = world.votes.find(({ committees }) => committees.epoch === attestation.target.epoch);
    if (!votes)
      throw new InputError(
        world.epoch,
        `the block of slot ${block.slot} has a vote of epoch ${attestation.target.epoch}, whose committees are not known`,
      );
    const inclusion = inclusionOf(world, attestation, block.slot - attestation.slot);
    const sum = include(votes, attestation, inclusion, world.increments, world.weights, spec.slotsPerEpoch);
    if (typeof sum === 'string') throw new InputError(world.epoch, `block of slot ${block.slot}: ${sum}`);
    reward += Math.floor((sum * terms.perIncrement) / denominator);
  }
  increase(world.balances, block.proposerIndex, reward);
  return reward;
}

function payCommittee(world: World, block: BeaconBlock, committee: Uint32Array) {
  const { balances, terms, epoch, spec } = world;
  const bits = block.syncCommitteeBits;
  if (committee.length !== spec.syncCommitteeSize || bits.length * 8 !== committee.length)
    throw new InputError(
      epoch,
      `the block of slot ${block.slot} has ${bits.length * 8} sync committee bits for ${committee.length} members`,
    );
  const rewards = new Int32Array(committee.length);
  let reward = 0;
  for (const [seat, member] of committee.entries()) {
    if (bitAt(bits, seat)) {
      rewards[seat] = terms.participant;
      increase(balances, member, terms.participant);
      increase(balances, block.proposerIndex, terms.syncProposer);
      reward += terms.syncProposer;
    } else {
      rewards[seat] = -terms.participant;
      decrease(balances, member, terms.participant);
    }
  }
  return { reward, seats: { slot: block.slot, validators: committee, rewards } };
}
