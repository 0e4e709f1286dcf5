import type { ChainSpec } from './spec.ts';

export type Terms = {
  /** Active stake in increments, at least 1. */
  readonly increments: number;
  /** Base reward per increment, in Gwei. */
  readonly perIncrement: number;
  /** `participant` and `syncProposer` are Gwei per set bit of the sync aggregate. */
  readonly participant: number;
  readonly syncProposer: number;
};

export function integerSquareroot(value: bigint): bigint {
  let root = BigInt(Math.floor(Math.sqrt(Number(value))));
  while (root * root > value) root--;
  while ((root + 1n) * (root + 1n) <= value) root++;
  return root;
}

export function termsOf(spec: ChainSpec, active: number): Terms {
  const increments = Math.max(1, active);
  const total = BigInt(increments) * BigInt(spec.effectiveBalanceIncrement);
  const perIncrement = Math.floor(
    (spec.effectiveBalanceIncrement * spec.baseRewardFactor) / Number(integerSquareroot(total)),
  );
  const perSlot = Math.floor(
    Math.floor((perIncrement * increments * spec.syncRewardWeight) / spec.weightDenominator) /
      spec.slotsPerEpoch,
  );
  const participant = Math.floor(perSlot / spec.syncCommitteeSize);
  return {
    increments,
    perIncrement,
    participant,
    syncProposer: Math.floor(
      (participant * spec.proposerWeight) / (spec.weightDenominator - spec.proposerWeight),
    ),
  };
}
