import { type Deposit, decrease, increase, type Position } from './blocks.ts';
import { isGloas, requestsIn } from './payloads.ts';
import { known, type State } from './recording.ts';
import { ETH, isActive, max, min, type Terms, weights } from './terms.ts';
import { type Flag, flagNames, SLOTS } from './votes.ts';

type Consolidation = { source: number; target: number; amount: bigint };

/** What the end of an epoch moved. */
export type EpochEnd = {
  /** For the votes of the epoch before, penalties for inactivity included. */
  rewards: Map<number, bigint>;
  /** Penalties in proportion to all slashings. */
  correlation: Map<number, bigint>;
  consolidations: Consolidation[];
};

/** Rewards and penalties for the votes of `paid`; adds them to the balances. */
function payVotes(position: Position, paid: number, terms: Terms, last: State, finalized: number) {
  const leak = paid - finalized > 4;
  const votes = position.votes.of(paid);
  const good = (validator: number, flag: Flag) =>
    isActive(last.validators[validator], paid) &&
    !last.validators[validator]?.slashed &&
    (votes.get(validator)?.flags.has(flag) ?? false);
  const indices = [...last.validators.keys()];
  const part = Object.fromEntries(
    flagNames.map((flag) => {
      const sum = indices.reduce((all, v) => (good(v, flag) ? all + terms.effective(v) : all), 0n);
      return [flag, max(ETH, sum) / ETH];
    }),
  ) as Record<Flag, bigint>;
  const rewards = new Map<number, bigint>();
  for (const validator of indices) {
    const record = known(last.validators[validator], 'validator');
    const waits = record.slashed && paid + 1 < record.withdrawableEpoch;
    if (!isActive(record, paid) && !waits) continue;
    const score = nextScore(position.scores.get(validator) ?? 0n, good(validator, 'target'), leak);
    position.scores.set(validator, score);
    const base = terms.base(validator);
    const changes = flagNames.map((flag) => {
      if (!good(validator, flag)) return flag === 'head' ? 0n : -((base * weights[flag]) / 64n);
      return leak ? 0n : (base * weights[flag] * part[flag]) / (terms.increments * 64n);
    });
    if (!good(validator, 'target')) {
      changes.push(-((terms.effective(validator) * score) / (4n * 16_777_216n)));
    }
    for (const change of changes) {
      if (change < 0n) decrease(position, validator, -change);
      else increase(position, validator, change);
    }
    rewards.set(
      validator,
      changes.reduce((sum, change) => sum + change, 0n),
    );
  }
  return rewards;
}

function nextScore(score: bigint, good: boolean, leak: boolean): bigint {
  const changed = good ? score - min(1n, score) : score + 4n;
  return leak ? changed : changed - min(16n, changed);
}

/**
 * The penalty of each validator half way to its withdrawal: 3 × the effective balances slashed in the 8,192 epochs up to
 * now, as of when they were slashed, as a share of the total.
 */
function payCorrelation(position: Position, epoch: number, terms: Terms, last: State) {
  const penalties = new Map<number, bigint>();
  const due = [...last.validators.entries()].filter(
    ([, record]) => record.slashed && epoch + 4096 === record.withdrawableEpoch,
  );
  if (due.length === 0) return penalties;
  const { states, anchor } = position.recording;
  let slashings = 0n;
  for (const [index, { slashed, withdrawableEpoch }] of last.validators.entries()) {
    if (!slashed || withdrawableEpoch <= epoch) continue;
    const when = Math.max(withdrawableEpoch - 8192, anchor / SLOTS);
    slashings += known(states.get(when * SLOTS)?.validators[index], 'slashed').effectiveBalance;
  }
  const perIncrement = min(3n * slashings, terms.total) / terms.increments;
  for (const [validator] of due) {
    const penalty = perIncrement * (terms.effective(validator) / ETH);
    decrease(position, validator, penalty);
    penalties.set(validator, penalty);
  }
  return penalties;
}

/** At the fork, deposits leave the queue for builders: those with 0xb0 that no longer wait, and others of their keys. */
function leaveAtFork(position: Position, last: State, next: State): number {
  if (isGloas(position.recording, last.slot) || !isGloas(position.recording, next.slot)) return 0;
  const waits = new Set(next.queue.map(({ pubkey }) => pubkey));
  const left = new Set(
    last.queue
      .filter(({ pubkey, credentials }) => credentials.startsWith('0xb0') && !waits.has(pubkey))
      .filter(({ pubkey }) => !next.validators.some((validator) => validator.pubkey === pubkey))
      .map(({ pubkey }) => pubkey),
  );
  const before = position.deposits.length;
  position.deposits = position.deposits.filter(({ pubkey }) => !left.has(pubkey));
  return before - position.deposits.length;
}

/** Deposits that left the queue, by the number that the states give. */
function applyDeposits(position: Position, epoch: number, last: State, next: State): void {
  const { recording } = position;
  const block = recording.blocks.get(next.slot);
  const added = block ? requestsIn(recording, next.slot).deposits.length : 0;
  const upgraded = leaveAtFork(position, last, next);
  let count = last.pendingDeposits - upgraded + added - next.pendingDeposits;
  const postponed: Deposit[] = [];
  while (count > 0) {
    const deposit = known(position.deposits.shift(), 'deposit that was applied');
    const index = next.validators.findIndex(({ pubkey }) => pubkey === deposit.pubkey);
    const record = next.validators[index];
    if (record && record.exitEpoch < Infinity && epoch + 1 < record.withdrawableEpoch) {
      postponed.push(deposit);
      continue;
    }
    count -= 1;
    if (!record) continue; // its signature was wrong
    position.balances[index] = (position.balances[index] ?? 0n) + deposit.amount;
  }
  position.deposits.push(...postponed);
}

/** Applies the consolidations that left the queue; a slashed source moves nothing. */
function consolidate(position: Position, terms: Terms, last: State, next: State): Consolidation[] {
  const moved: Consolidation[] = [];
  for (const { source, target } of last.pendingConsolidations) {
    if (next.pendingConsolidations.some((left) => left.source === source)) continue;
    if (last.validators[source]?.slashed) continue;
    const amount = min(known(position.balances[source], 'balance'), terms.effective(source));
    decrease(position, source, amount);
    increase(position, target, amount);
    moved.push({ source, target, amount });
  }
  return moved;
}

/** Applies the end of an epoch, in the order of the protocol. */
export function endEpoch(position: Position, epoch: number, terms: Terms): EpochEnd {
  const { states } = position.recording;
  const last = known(states.get((epoch + 1) * SLOTS - 1), `last state of epoch ${epoch}`);
  const next = known(states.get((epoch + 1) * SLOTS), `state of epoch ${epoch + 1}`);
  const rewards = payVotes(position, epoch - 1, terms, last, next.finalized);
  const correlation = payCorrelation(position, epoch, terms, last);
  applyDeposits(position, epoch, last, next);
  const consolidations = consolidate(position, terms, last, next);
  return { rewards, correlation, consolidations };
}
