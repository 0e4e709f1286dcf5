import { type RewardsNetwork, rewardsNetworks } from '../resources/network-rewards/record.ts';
import { type NetworkPlan, plans } from './network-plans.ts';
import { between, type Random, stream } from './random.ts';
import { decimalText } from './solana-decimals.ts';

export type SampleReward = { kind: 'validator' | 'network'; row: Record<string, unknown> };

const VALIDATORS = 5;
const DAYS = 90;
const LAST_DAY = Date.UTC(2025, 9, 31);

/** The UTC date so many days after the first of the sample. */
const dateOf = (index: number) =>
  new Date(LAST_DAY - (DAYS - 1 - index) * 86_400_000).toISOString().slice(0, 10);

/** Amounts of a day in the smallest unit of the token, near their yearly course. */
function amountsOf(random: Random, plan: NetworkPlan, size: number, index: number): Record<string, bigint> {
  const course = 1 + index / 2_000;
  return Object.fromEntries(
    Object.entries(plan.amounts).map(([name, tokens]) => {
      const units = tokens * size * course * between(random, 0.97, 1.03) * 1e6;
      // six places of the token, and the rest of its places drawn by themselves: a double does not hold them
      const rest = BigInt(Math.floor(random() * 2 ** 40)) % 10n ** BigInt(plan.places - 6);
      return [name, BigInt(Math.floor(units)) * 10n ** BigInt(plan.places - 6) + rest];
    }),
  );
}

const written = (amounts: Record<string, bigint>, places: number) =>
  Object.fromEntries(Object.entries(amounts).map(([name, units]) => [name, decimalText(units, places)]));

/** The days of a network's validators, and of the network as a whole, which is what these are a part of. */
function* rewardsOf(network: RewardsNetwork, seed: number): Generator<SampleReward> {
  const plan = plans[network];
  const random = stream(seed, 'rewards', network);
  const validators = Array.from({ length: VALIDATORS }, (_, place) => ({
    size: 1 / (1 + place * 0.7),
    own: plan.validator(random, place),
  }));
  for (let index = 0; index < DAYS; index++) {
    const when = { day: dateOf(index), ...plan.periods(index) };
    const sums: Record<string, bigint> = {};
    for (const { size, own } of validators) {
      const amounts = amountsOf(random, plan, size, index);
      for (const [name, units] of Object.entries(amounts)) sums[name] = (sums[name] ?? 0n) + units;
      const row = { ...when, ...own, ...plan.daily(random), ...written(amounts, plan.places) };
      yield { kind: 'validator', row };
    }
    for (const name of Object.keys(sums)) sums[name] = (sums[name] as bigint) * BigInt(plan.times);
    yield { kind: 'network', row: { ...when, ...plan.whole(index), ...written(sums, plan.places) } };
  }
}

/** The daily rewards of each network of the sample data; the same seed gives the same rows. */
export function* sampleNetworkRewards(seed = 1): Generator<[RewardsNetwork, SampleReward[]]> {
  for (const network of rewardsNetworks) yield [network, [...rewardsOf(network, seed)]];
}
