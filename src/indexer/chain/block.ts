import { bitAt } from './bits.ts';
import { InputError } from './errors.ts';
import { noteBlock, payloadFor, processWithdrawals } from './payloads.ts';
import {
  addWeight,
  cancelBuilderPayment,
  processExecutionPayloadBid,
  settleBuilderPayment,
} from './payments.ts';
import { processExecutionRequests, processOperations } from './requests.ts';
import {
  type Attestation,
  type BeaconBlock,
  MAX_SOURCE_DELAY,
  type SeatFacts,
  type SlashingFacts,
  Vote,
} from './types.ts';
import { type Inclusion, include } from './votes.ts';
import { decreaseBalance, increaseBalance, type World } from './world.ts';

export type BlockEffects = {
  readonly consensusRewards: number;
  readonly seats: SeatFacts | null;
  readonly slashings: readonly SlashingFacts[];
  readonly penalties: number;
};

/** `later`: the blocks after it. The first one with a payload may have the withdrawals of this one. */
export function processBlock(
  world: World,
  block: BeaconBlock,
  committee: Uint32Array,
  later: readonly BeaconBlock[] = [],
): BlockEffects {
  const before = balancesOf(world, block);
  const parent = noteBlock(world, block);
  if (!block.bid) {
    if (block.execution) processWithdrawals(world, block.execution);
  } else if (parent?.full) {
    processExecutionRequests(world, block);
    world.builders?.deposit(block, world.epoch);
    settleBuilderPayment(world, parent.slot, block.slot);
    processWithdrawals(world, payloadFor(world.epoch, block, later));
  }
  processExecutionPayloadBid(world, block);
  const slashed = slashAll(world, block, before);
  for (const [at, slot] of block.slashedSlots.entries())
    cancelBuilderPayment(world, block.proposerSlashings[at] as number, slot);
  const attestations = block.attestations.reduce(
    (sum, one) => sum + processAttestation(world, block, one),
    0,
  );
  processOperations(world, block);
  if (!block.bid) processExecutionRequests(world, block);
  const sync = processSyncAggregate(world, block, committee);
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

function slashAll(world: World, block: BeaconBlock, before: ReadonlyMap<number, number>) {
  const facts: SlashingFacts[] = [];
  let [reward, penalties] = [0, 0];
  for (const index of named(block)) {
    if (!isSlashableValidator(world, index)) continue;
    const slashed = slashValidator(world, index, block.proposerIndex);
    reward += slashed.reward;
    penalties += slashed.penalty;
    facts.push({
      validatorIndex: index,
      slot: block.slot,
      withdrawableEpoch: world.records.get(index)?.withdrawableEpoch ?? Number.POSITIVE_INFINITY,
      balanceBeforeSlashing: before.get(index) as number,
    });
  }
  return { facts, reward, penalties };
}

const isSlashableValidator = ({ slashed, registry, epoch }: World, index: number): boolean =>
  !slashed[index] &&
  (registry.activation[index] as number) <= epoch &&
  epoch < (registry.withdrawable[index] as number);

/** Returns Gwei. The exit is in the record of the validator. */
function slashValidator(world: World, index: number, proposer: number): { reward: number; penalty: number } {
  const { spec, epoch, rules, balances } = world;
  world.slashed[index] = 1;
  world.exiting.add(index);
  const increments = world.increments[index] as number;
  world.slashings.push({ epoch, increments });
  const effective = increments * spec.effectiveBalanceIncrement;
  const penalty = decreaseBalance(balances, index, Math.floor(effective / rules.slashingQuotient));
  const reward = Math.floor(effective / rules.whistleblowerQuotient);
  increaseBalance(balances, proposer, reward);
  return { reward, penalty };
}

/** Sources are not checked, because a wrong source makes a block invalid. */
function getAttestationParticipationFlagIndices(
  world: World,
  attestation: Attestation,
  block: BeaconBlock,
): Inclusion {
  const { rootAt, rules, spec } = world;
  const delay = block.slot - attestation.slot;
  const target = attestation.target.root === rootAt(attestation.target.epoch * spec.slotsPerEpoch);
  const root = attestation.beaconBlockRoot === rootAt(attestation.slot);
  const late = !rules.anyTargetDelay && delay > spec.slotsPerEpoch;
  const attested = root ? world.blocks.get(attestation.beaconBlockRoot) : undefined;
  // A vote for the block of its own slot does not say anything about the payload.
  const same = attested?.slot === attestation.slot;
  const payload = same || attested?.full === attestation.votesFull;
  const since = (slot: number) => slot >= spec.forkEpochs.gloas * spec.slotsPerEpoch;
  return {
    flags:
      (delay <= MAX_SOURCE_DELAY ? Vote.source : 0) |
      (target && !late ? Vote.target : 0) |
      (target && root && delay === spec.minAttestationInclusionDelay && (payload || !since(block.slot))
        ? Vote.head
        : 0),
    first:
      Vote.included |
      (root && (payload || !since(attestation.slot)) ? 0 : Vote.wrongHead) |
      (target ? 0 : Vote.wrongTarget) |
      (late ? Vote.lateTarget : 0),
    delay,
    same,
  };
}

/** Returns the reward of the proposer. */
export function processAttestation(world: World, block: BeaconBlock, attestation: Attestation): number {
  const { spec, terms } = world;
  const denominator =
    ((spec.weightDenominator - spec.proposerWeight) * spec.weightDenominator) / spec.proposerWeight;
  const votes = world.votes.find(({ committees }) => committees.epoch === attestation.target.epoch);
  if (!votes)
    throw new InputError(
      world.epoch,
      `the block of slot ${block.slot} has a vote of epoch ${attestation.target.epoch}, whose committees are not known`,
    );
  const inclusion = getAttestationParticipationFlagIndices(world, attestation, block);
  const sums = include(votes, attestation, inclusion, world.increments, world.weights, spec.slotsPerEpoch);
  if (typeof sums === 'string') throw new InputError(world.epoch, `block of slot ${block.slot}: ${sums}`);
  const reward = Math.floor((sums.weighted * terms.perIncrement) / denominator);
  if (inclusion.same) addWeight(world, attestation.slot, sums.first);
  increaseBalance(world.balances, block.proposerIndex, reward);
  return reward;
}

function processSyncAggregate(world: World, block: BeaconBlock, committee: Uint32Array) {
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
      increaseBalance(balances, member, terms.participant);
      increaseBalance(balances, block.proposerIndex, terms.syncProposer);
      reward += terms.syncProposer;
    } else {
      rewards[seat] = -terms.participant;
      decreaseBalance(balances, member, terms.participant);
    }
  }
  return { reward, seats: { slot: block.slot, validators: committee, rewards } };
}
