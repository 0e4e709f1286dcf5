import type { ClientPercentage, RelayerPercentage } from '../resources/operators/record.ts';
import { between, noise, type Random, some, whole } from './random.ts';

type Weighted = readonly (readonly [name: string, weight: number])[];

const clients: Weighted = [
  ['Lighthouse', 0.42],
  ['Prysm', 0.28],
  ['Teku', 0.14],
  ['Nimbus', 0.1],
  ['Lodestar', 0.04],
  ['Grandine', 0.02],
];

/** The relays of the market by their share. */
export const relays: Weighted = [
  ['ultra_sound_money', 0.33],
  ['bloxroute_maxprofit', 0.2],
  ['agnostic', 0.13],
  ['bloxroute_regulated', 0.11],
  ['flashbots', 0.09],
  ['no_mev_boost', 0.07],
  ['aestus', 0.05],
  ['manifold', 0.015],
  ['edennetwork', 0.005],
];

/** The habits of an operator: which clients it runs and which relays it uses, and how much of each. */
export type Mix = { clients: Weighted; relays: Weighted };

function taste(random: Random, market: Weighted, most: number): Weighted {
  return some(random, market, most).map(([name, weight]) => [name, weight * between(random, 0.2, 3) ** 2]);
}

/** Draws the habits of an operator; larger ones run more clients. */
export const mixOf = (random: Random, validators: number): Mix => ({
  clients: taste(
    random,
    clients,
    validators < 20 ? whole(random, 1, 2) : whole(random, validators < 2_000 ? 1 : 3, 6),
  ),
  relays: taste(random, relays, whole(random, validators < 2_000 ? 1 : 5, 9)),
});

/** The habits of a share: some of those of its pool. */
export const mixOfShare = (random: Random, pool: Mix): Mix => ({
  clients: some(random, pool.clients, whole(random, 1, 3)),
  relays: some(random, pool.relays, whole(random, 2, 9)),
});

/** The habits of several taken together, each as heavy as its validators are many. */
export const mixOfAll = (parts: readonly { mix: Mix; validators: number }[]): Mix => ({
  clients: merged(parts.map(({ mix, validators }) => [mix.clients, validators])),
  relays: merged(parts.map(({ mix, validators }) => [mix.relays, validators])),
});

function merged(parts: readonly (readonly [Weighted, number])[]): Weighted {
  const weights = new Map<string, number>();
  for (const [weighted, times] of parts) {
    const sum = weighted.reduce((all, [, weight]) => all + weight, 0);
    for (const [name, weight] of weighted) {
      weights.set(name, (weights.get(name) ?? 0) + (weight / sum) * times);
    }
  }
  return [...weights];
}

/** Splits a whole number by weights, each a little off; parts of 0 are left out. */
function split<T>(
  random: Random,
  total: number,
  weighted: Weighted,
  make: (name: string, share: number) => T,
): T[] {
  const weights = weighted.map(([, weight]) => weight * between(random, 0.9, 1.1));
  const sum = weights.reduce((all, weight) => all + weight, 0);
  const parts: T[] = [];
  let [weightSoFar, given] = [0, 0];
  for (let index = 0; index < weighted.length; index++) {
    weightSoFar += weights[index] ?? 0;
    const upTo = index === weighted.length - 1 ? total : Math.round((weightSoFar / sum) * total);
    if (upTo > given) parts.push(make(weighted[index]?.[0] ?? '', (upTo - given) / total));
    given = upTo;
  }
  return parts;
}

/** The consensus clients of so many validators. */
export const clientPercentages = (random: Random, mix: Mix, validators: number): ClientPercentage[] =>
  split(random, validators, mix.clients, (client, percentage) => ({ client, percentage }));

/** The relays of about so many proposed blocks; none when none was proposed. */
export function relayerPercentages(random: Random, mix: Mix, expected: number): RelayerPercentage[] {
  const blocks = Math.max(0, Math.round(expected + noise(random) * Math.sqrt(expected)));
  return split(random, blocks, mix.relays, (relayer, percentage) => ({ relayer, percentage }));
}
