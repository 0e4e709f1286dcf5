import { Vote } from './types.ts';
import type { EpochVotes } from './votes.ts';
import type { World } from './world.ts';

const FLAGS = [Vote.source, Vote.target, Vote.head] as const;

export type Rewards = {
  readonly rewards: Float64Array;
  readonly penaltiesWithoutDuty: ReadonlyMap<number, number>;
};

function participationOf({ increments, slashed }: World, { votes }: EpochVotes): number[] {
  const sums = [0, 0, 0, 0, 0, 0, 0, 0];
  for (let index = 0; index < votes.length; index++) {
    const vote = votes[index] as number;
    if (vote & Vote.duty && !slashed[index]) (sums[vote & 7] as number) += increments[index] as number;
  }
  return FLAGS.map((flag) =>
    Math.max(
      1,
      sums.reduce((sum, of, flags) => (flags & flag ? sum + of : sum), 0),
    ),
  );
}

/** Returns Gwei. The index is 3 × effective balance in increments + flag. */
function tableOf(world: World, participation: readonly number[], leak: boolean) {
  const { spec, terms, weights } = world;
  let most = 0;
  for (const of of world.increments) if (of > most) most = of;
  const [gains, losses] = [new Float64Array((most + 1) * 3), new Float64Array((most + 1) * 3)];
  for (let of = 0; of <= most; of++)
    for (const [flag, bit] of FLAGS.entries()) {
      const weighted = of * terms.perIncrement * (weights[bit] as number);
      gains[of * 3 + flag] = leak
        ? 0
        : Math.floor(
            (weighted * (participation[flag] as number)) / (terms.increments * spec.weightDenominator),
          );
      losses[of * 3 + flag] = bit === Vote.head ? 0 : Math.floor(weighted / spec.weightDenominator);
    }
  return { gains, losses };
}

/** Exact even if the product exceeds 2^53. */
export function inactivityPenalty(effective: number, score: number, quotient: number): number {
  const product = effective * score;
  if (product <= Number.MAX_SAFE_INTEGER) return Math.floor(product / quotient);
  return Number((BigInt(effective) * BigInt(score)) / BigInt(quotient));
}

/** Also updates the scores of inactivity, as `process_inactivity_updates` does, in one walk over the validators. */
export function processRewardsAndPenalties(world: World, open: EpochVotes, finalizedEpoch: number): Rewards {
  const { spec, rules, registry, balances, increments, scores, slashed, epoch } = world;
  const { votes } = open;
  const size = votes.length;
  const rewards = new Float64Array(size);
  const penaltiesWithoutDuty = new Map<number, number>();
  const leak = epoch - 1 - finalizedEpoch > spec.minEpochsToInactivityPenalty;
  const { gains, losses } = tableOf(world, participationOf(world, open), leak);
  const quotient = spec.inactivityScoreBias * rules.inactivityQuotient;
  if (epoch === 0) return { rewards, penaltiesWithoutDuty };
  for (let index = 0; index < size; index++) {
    const vote = votes[index] as number;
    const duty = (vote & Vote.duty) !== 0;
    if (!duty && !(slashed[index] && epoch < (registry.withdrawable[index] as number))) continue;
    const flags = duty && !slashed[index] ? vote & 7 : 0;
    const score = nextScore(scores[index] as number, (flags & Vote.target) !== 0, leak, spec);
    scores[index] = score;
    const effective = increments[index] as number;
    let balance = balances[index] as number;
    let reward = 0;
    for (let flag = 0; flag < 3; flag++) {
      const change =
        flags & (1 << flag)
          ? (gains[effective * 3 + flag] as number)
          : -(losses[effective * 3 + flag] as number);
      reward += change;
      balance = Math.max(0, balance + change);
    }
    if (score && !(flags & Vote.target)) {
      const penalty = inactivityPenalty(effective * spec.effectiveBalanceIncrement, score, quotient);
      reward -= penalty;
      balance = Math.max(0, balance - penalty);
    }
    balances[index] = balance;
    if (duty) rewards[index] = reward;
    else penaltiesWithoutDuty.set(index, reward);
  }
  return { rewards, penaltiesWithoutDuty };
}

type ScoreTerms = { inactivityScoreBias: number; inactivityScoreRecoveryRate: number };

function nextScore(score: number, voted: boolean, leak: boolean, spec: ScoreTerms): number {
  const next = voted ? score - Math.min(1, score) : score + spec.inactivityScoreBias;
  return leak ? next : next - Math.min(spec.inactivityScoreRecoveryRate, next);
}
