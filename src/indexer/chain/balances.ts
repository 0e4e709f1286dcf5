import { COMPOUNDING_PREFIX, type World } from './world.ts';

export function processEffectiveBalanceUpdates(world: World, size: number): void {
  const { spec, balances, increments, prefixes, rules } = world;
  const increment = spec.effectiveBalanceIncrement;
  const step = increment / spec.hysteresisQuotient;
  const down = step * spec.hysteresisDownwardMultiplier;
  const up = step * spec.hysteresisUpwardMultiplier;
  const usual = (rules.electra ? spec.minActivationBalance : spec.maxEffectiveBalance) / increment;
  const most = rules.electra ? spec.maxEffectiveBalanceElectra / increment : usual;
  for (let index = 0; index < size; index++) {
    const balance = balances[index] as number;
    const effective = (increments[index] as number) * increment;
    if (balance + down >= effective && effective + up >= balance) continue;
    increments[index] = Math.min(
      Math.floor(balance / increment),
      prefixes[index] === COMPOUNDING_PREFIX ? most : usual,
    );
  }
}
