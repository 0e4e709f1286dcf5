import { FAR, type ValidatorSet } from './registry.ts';
import type { ChainSpec } from './spec.ts';
import { decreaseBalance, type Slashed, type World } from './world.ts';

/** An effective balance loses at most this many increments before its correlation penalty. */
const MOST_LOST = 2;

/** Estimates the slashings vector, which no node reports. */
export function slashingsBefore(spec: ChainSpec, registry: ValidatorSet, epoch: number): Slashed[] {
  const found: Slashed[] = [];
  for (let index = 0; index < registry.size; index++) {
    if (!registry.slashed[index] || registry.withdrawable[index] === FAR) continue;
    const slashed = (registry.withdrawable[index] as number) - spec.epochsPerSlashingsVector;
    if (slashed <= epoch - spec.epochsPerSlashingsVector) continue;
    const increments = registry.increments[index] as number;
    found.push({ epoch: Math.min(slashed, epoch), increments, estimated: true });
  }
  return found;
}

/** Returns the total penalty. If slashed stake is estimated, uses the stake that explains most balances in `next`. */
export function processSlashings(world: World, next: Float64Array): number {
  const { spec, epoch, registry, slashed, balances } = world;
  const due: number[] = [];
  for (let index = 0; index < registry.size; index++)
    if (
      slashed[index] &&
      registry.withdrawable[index] === epoch + Math.floor(spec.epochsPerSlashingsVector / 2)
    )
      due.push(index);
  if (!due.length) return 0;
  const counted = world.slashings.filter((each) => each.epoch > epoch - spec.epochsPerSlashingsVector);
  const least = counted.reduce((sum, { increments }) => sum + increments, 0);
  const most = least + MOST_LOST * counted.filter(({ estimated }) => estimated).length;
  let best = { matches: -1, sum: least };
  for (let sum = least; sum <= most && best.matches < due.length; sum++) {
    const matches = due.filter(
      (index) => Math.max(0, (balances[index] as number) - penaltyOf(world, index, sum)) === next[index],
    ).length;
    if (matches > best.matches) best = { matches, sum };
  }
  return due.reduce(
    (total, index) => total + decreaseBalance(balances, index, penaltyOf(world, index, best.sum)),
    0,
  );
}

function penaltyOf({ spec, rules, terms, increments }: World, index: number, sum: number): number {
  const increment = BigInt(spec.effectiveBalanceIncrement);
  const active = BigInt(terms.increments);
  const wanted = BigInt(sum * rules.slashingMultiplier);
  const adjusted = (wanted < active ? wanted : active) * increment;
  const of = BigInt(increments[index] as number);
  return Number(
    rules.electra ? (adjusted / active) * of : ((of * adjusted) / (active * increment)) * increment,
  );
}
