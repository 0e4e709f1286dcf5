import { known, type Recording, type State, type ValidatorRecord } from './recording.ts';
import { type Flag, SLOTS } from './votes.ts';

export const ETH = 1_000_000_000n;
export const weights: Record<Flag, bigint> = { source: 14n, target: 26n, head: 14n };

export const max = (a: bigint, b: bigint) => (a > b ? a : b);
export const min = (a: bigint, b: bigint) => (a < b ? a : b);

function squareRoot(value: bigint): bigint {
  let root = BigInt(Math.floor(Math.sqrt(Number(value))));
  while (root * root > value) root -= 1n;
  while ((root + 1n) * (root + 1n) <= value) root += 1n;
  return root;
}

export const isActive = (record: ValidatorRecord | undefined, epoch: number): boolean =>
  record !== undefined && record.activationEpoch <= epoch && epoch < record.exitEpoch;

/** What holds for all of an epoch, read off its first state. */
export type Terms = {
  first: State;
  /** Indices of the active validators. */
  active: number[];
  total: bigint;
  increments: bigint;
  base(validator: number): bigint;
  effective(validator: number): bigint;
  participant: bigint;
  syncProposer: bigint;
};

export function termsOf(recording: Recording, epoch: number): Terms {
  const first = known(recording.states.get(epoch * SLOTS), `state of epoch ${epoch}`);
  const active = [...first.validators.keys()].filter((index) => isActive(first.validators[index], epoch));
  const effective = (validator: number) => first.validators[validator]?.effectiveBalance ?? 0n;
  const total = max(
    ETH,
    active.reduce((sum, validator) => sum + effective(validator), 0n),
  );
  const increments = total / ETH;
  const perIncrement = (ETH * 64n) / squareRoot(total);
  const participant = (perIncrement * increments * 2n) / 64n / 32n / 512n;
  return {
    first,
    active,
    total,
    increments,
    base: (validator) => (effective(validator) / ETH) * perIncrement,
    effective,
    participant,
    syncProposer: (participant * 8n) / 56n,
  };
}
