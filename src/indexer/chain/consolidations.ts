import type { ConsolidationFacts, PendingConsolidation } from './types.ts';
import { decreaseBalance, increaseBalance, type World } from './world.ts';

/** Processes the entries of `before` that are absent from `after`. */
export function processPendingConsolidations(
  world: World,
  before: readonly PendingConsolidation[],
  after: readonly PendingConsolidation[],
): ConsolidationFacts[] {
  const { balances, increments, spec, epoch } = world;
  const still = new Set(after.map(({ source }) => source));
  const facts: ConsolidationFacts[] = [];
  for (const { source, target } of before) {
    if (still.has(source) || world.slashed[source]) continue;
    const amount = decreaseBalance(
      balances,
      source,
      (increments[source] as number) * spec.effectiveBalanceIncrement,
    );
    increaseBalance(balances, target, amount);
    facts.push({ source, target, epoch, amount });
  }
  return facts;
}
