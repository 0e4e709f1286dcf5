import { decrease, type World } from './world.ts';

/**
 * `process_slashings`: correlation penalties of those who are half way to being withdrawable. Returns their sum.
 */
export function penalizeCorrelation(world: World): number {
  const { spec, epoch, registry, increments, rules, terms, slashed } = world;
  const vector = spec.epochsPerSlashingsVector;
  const due = epoch + Math.floor(vector / 2);
  const increment = BigInt(spec.effectiveBalanceIncrement);
  let counted = 0;
  for (const each of world.slashings) if (each.epoch > epoch - vector) counted += each.increments;
  const total = BigInt(terms.increments) * increment;
  const wanted = BigInt(counted * rules.slashingMultiplier) * increment;
  const adjusted = wanted < total ? wanted : total;
  const penaltyOf = (of: bigint) =>
    rules.electra ? (adjusted / BigInt(terms.increments)) * of : ((of * adjusted) / total) * increment;
  let sum = 0;
  for (let index = 0; index < registry.size; index++)
    if (slashed[index] && registry.withdrawable[index] === due)
      sum += decrease(world.balances, index, Number(penaltyOf(BigInt(increments[index] as number))));
  return sum;
}
