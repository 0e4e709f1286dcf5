import { FAR, type ValidatorSet } from './registry.ts';
import { rulesAt } from './rules.ts';
import type { ChainSpec } from './spec.ts';
import type { EpochInput } from './types.ts';

/** No epoch before Electra activates as many validators. */
const MOST_ACTIVATIONS = 64;

export function recordsNeeded(
  spec: ChainSpec,
  registry: ValidatorSet,
  increments: Uint16Array,
  input: Omit<EpochInput, 'records'>,
): number[] {
  const needed = new Set<number>(moving(spec, registry, increments, input));
  const add = (index: number | undefined) => index !== undefined && needed.add(index);
  for (const block of [...input.blocks, input.nextFirstBlock]) {
    if (!block) continue;
    for (const index of block.proposerSlashings) add(index);
    for (const index of block.attesterSlashings.flat()) add(index);
    for (const index of block.voluntaryExits) add(index);
    for (const { validatorIndex } of block.credentialChanges) add(validatorIndex);
    for (const { validatorPubkey, exits } of block.withdrawalRequests)
      if (exits) add(registry.indexOf(validatorPubkey));
    for (const { sourcePubkey } of block.consolidationRequests) add(registry.indexOf(sourcePubkey));
  }
  for (let index = registry.size; index < input.next.balances.length; index++) needed.add(index);
  return [...needed].sort((a, b) => a - b);
}

function moving(
  spec: ChainSpec,
  registry: ValidatorSet,
  increments: Uint16Array,
  { epoch, next }: Omit<EpochInput, 'records'>,
): number[] {
  const { electra } = rulesAt(spec, epoch);
  const least =
    (electra ? spec.minActivationBalance : spec.maxEffectiveBalance) / spec.effectiveBalanceIncrement;
  const ejection = spec.ejectionBalance / spec.effectiveBalanceIncrement;
  const found: number[] = [];
  const activated: number[] = [];
  for (let index = 0; index < registry.size; index++) {
    if (registry.exit[index] !== FAR) continue;
    const of = increments[index] as number;
    if (registry.activation[index] === FAR) {
      const eligibility = registry.eligibility[index] as number;
      if (eligibility === FAR ? of >= least : eligibility <= next.finalizedEpoch)
        (eligibility === FAR ? found : activated).push(index);
    } else if (of <= ejection && registry.isActive(index, epoch)) found.push(index);
  }
  if (electra) return found.concat(activated);
  const order = (index: number) => registry.eligibility[index] as number;
  activated.sort((a, b) => order(a) - order(b) || a - b);
  return found.concat(activated.slice(0, MOST_ACTIVATIONS));
}
