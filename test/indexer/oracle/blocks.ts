import { BUILDERS, isGloas, requestsIn, withdrawalsIn } from './payloads.ts';
import { type Block, known, type Recording } from './recording.ts';
import { max, type Terms, weights } from './terms.ts';
import { epochOf, SLOTS, setBits, type Votes } from './votes.ts';

export type Deposit = { pubkey: string; amount: bigint };

/** Where a replay stands. */
export type Position = {
  recording: Recording;
  balances: bigint[];
  votes: Votes;
  slashed: Set<number>;
  /** Waiting, in their order. */
  deposits: Deposit[];
  /** Inactivity scores; 0 where absent. */
  scores: Map<number, bigint>;
  /** How many balances were compared with recorded ones. */
  compared: number;
};

type Seat = { position: number; validator: number; reward: bigint };
type Slashed = { validator: number; balanceBefore: bigint; penalty: bigint };

/** A slot: its block, or the proposal that was missed. */
export type BlockResult = {
  slot: number;
  proposer: number;
  block: Block | undefined;
  rewards: bigint;
  seats: Seat[];
  slashed: Slashed[];
};

/** Takes at most what is left. */
export function decrease(position: Position, validator: number, amount: bigint): void {
  position.balances[validator] = max(0n, known(position.balances[validator], `balance`) - amount);
}

export function increase(position: Position, validator: number, amount: bigint): void {
  position.balances[validator] = known(position.balances[validator], `balance`) + amount;
}

/** Validators that a block names for slashing, in its order. */
function namedForSlashing(body: any): number[] {
  const attesters = body.attester_slashings.flatMap(({ attestation_1: one, attestation_2: two }: any) => {
    const also = new Set(two.attesting_indices.map(Number));
    return one.attesting_indices
      .map(Number)
      .filter((validator: number) => also.has(validator))
      .sort((a: number, b: number) => a - b);
  });
  const proposers = body.proposer_slashings.map((slashing: any) =>
    Number(slashing.signed_header_1.message.proposer_index),
  );
  return [...proposers, ...attesters];
}

/** `before`: balances right before the block, whose withdrawals come first. */
function slash(
  position: Position,
  result: BlockResult,
  body: any,
  terms: Terms,
  before: Map<number, bigint>,
): void {
  for (const validator of namedForSlashing(body)) {
    if (position.slashed.has(validator)) continue;
    position.slashed.add(validator);
    const penalty = terms.effective(validator) / 4096n;
    const balanceBefore = known(before.get(validator), 'balance');
    result.slashed.push({ validator, balanceBefore, penalty });
    decrease(position, validator, penalty);
    increase(position, result.proposer, penalty);
    result.rewards += penalty;
  }
}

function payVotes(position: Position, result: BlockResult, body: any, terms: Terms): void {
  for (const attestation of body.attestations) {
    let numerator = 0n;
    for (const { validator, flag } of position.votes.add(result.block as Block, attestation)) {
      numerator += terms.base(validator) * weights[flag];
    }
    const reward = numerator / 448n;
    increase(position, result.proposer, reward);
    result.rewards += reward;
  }
}

/** The validator that switches itself to compounding, if its record says later that it did. */
function switched(position: Position, slot: number, request: any): number | undefined {
  if (request.source_pubkey !== request.target_pubkey) return undefined;
  const { states } = position.recording;
  const first = epochOf(slot) * SLOTS;
  const before = known(states.get(slot === first ? slot - 1 : first), `state before slot ${slot}`);
  const after = known(states.get(slot === first ? slot : first + SLOTS - 1), `state after slot ${slot}`);
  const index = before.validators.findIndex(({ pubkey }) => pubkey === request.source_pubkey);
  const changed = before.validators[index]?.credentials.startsWith('0x01');
  return changed && after.validators[index]?.credentials.startsWith('0x02') ? index : undefined;
}

function takeRequests(position: Position, slot: number, requests: any): void {
  for (const { pubkey, amount } of requests.deposits) {
    position.deposits.push({ pubkey, amount: BigInt(amount) });
  }
  for (const request of requests.consolidations) {
    const validator = switched(position, slot, request);
    if (validator === undefined) continue;
    const excess = known(position.balances[validator], 'balance') - 32_000_000_000n;
    if (excess <= 0n) continue;
    decrease(position, validator, excess);
    position.deposits.push({ pubkey: request.source_pubkey, amount: excess });
  }
}

function paySeats(position: Position, result: BlockResult, body: any, terms: Terms): void {
  const { sync } = known(position.recording.duties.get(epochOf(result.slot)), `duties of ${result.slot}`);
  const signed = new Set(setBits(body.sync_aggregate.sync_committee_bits, sync.length));
  for (const [place, validator] of sync.entries()) {
    if (signed.has(place)) {
      increase(position, validator, terms.participant);
      increase(position, result.proposer, terms.syncProposer);
      result.rewards += terms.syncProposer;
    } else {
      decrease(position, validator, terms.participant);
    }
    const reward = signed.has(place) ? terms.participant : -terms.participant;
    result.seats.push({ position: place, validator, reward });
  }
}

/** Applies the block of a slot, if there is one, in the order of the protocol. */
export function applyBlock(position: Position, slot: number, terms: Terms): BlockResult {
  const { recording } = position;
  const { proposers } = known(recording.duties.get(epochOf(slot)), `duties of slot ${slot}`);
  const block = recording.blocks.get(slot);
  const proposer = block ? Number(block.message.proposer_index) : (proposers[slot % SLOTS] as number);
  const result: BlockResult = { slot, proposer, block, rewards: 0n, seats: [], slashed: [] };
  if (!block) return result;
  const { body } = block.message;
  const before = new Map(
    namedForSlashing(body).map((one) => [one, known(position.balances[one], 'balance')]),
  );
  // Since Gloas, the parent's requests come first.
  if (isGloas(recording, slot)) takeRequests(position, slot, requestsIn(recording, slot));
  for (const { validator_index, amount } of withdrawalsIn(recording, slot)) {
    if (BigInt(validator_index) < BUILDERS) decrease(position, Number(validator_index), BigInt(amount));
  }
  slash(position, result, body, terms, before);
  payVotes(position, result, body, terms);
  if (!isGloas(recording, slot)) takeRequests(position, slot, requestsIn(recording, slot));
  paySeats(position, result, body, terms);
  return result;
}
