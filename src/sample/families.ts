import type { Network } from '../chain/networks.ts';
import { timeWindows } from '../chain/windows.ts';
import { activeEth } from './chain.ts';
import { characterOf, type Entity, gone } from './entity.ts';
import { mixOfAll, mixOfShare } from './mixes.ts';
import { nodeOperatorNames, nodeOperatorTags, parentTags, poolNames, poolTags } from './names.ts';
import { qualityOfShare } from './performance.ts';
import { noise, some, stream } from './random.ts';
import { empty, part, portions, powerLaw, type Size, together, walk } from './size.ts';

/** A share before it is known what its node operator is like. */
type Share = Omit<Entity, 'quality'> & { pool: Entity; nodeOperatorId: string };

/** So many operators have shares in pools; the sizes of the others are free to be chosen. */
const SHARING = 140;
/** A pool that has left, and one whose balances are not known, by their places in the list of names. */
const LEFT = 37;
const UNKNOWN = 33;
/** Ranks that repeat the size of another rank: the order of such operators falls to their ids. */
const poolTwins = new Map([
  [31, 30],
  [36, 35],
]);
const operatorTwins = new Map([
  [151, 150],
  [161, 160],
  [171, 170],
  [172, 170],
]);
/** As much ETH in one validator as in 64 of 32 ETH: equal penetration, different validator count. */
const merged: Size = { validators: 1, extraEth: 2016, surplusGwei: 11_000_001 };
const apart: Size = { validators: 64, extraEth: 0, surplusGwei: 640_000_001 };

/** The pools, node operators and pool shares of a network. */
export function families(network: Network, seed: number): Entity[] {
  const pools = poolsOf(network, seed);
  const shares = pools.flatMap((pool, index) => sharesOf(pool, poolNames[index]?.shares ?? 0, seed));
  const operators = operatorsOf(network, shares, seed);
  const byId = new Map(operators.map((operator) => [operator.id, operator]));
  return [
    ...pools.map((pool) => withOperatorCount(pool, shares)),
    ...operators,
    ...shares.map((share) => finished(share, byId.get(share.nodeOperatorId))),
  ];
}

function poolsOf(network: Network, seed: number): Entity[] {
  const laws = powerLaw(poolNames.length, 1.4, 0.74);
  // on test networks other pools are large than on mainnet
  const ranks = [...poolNames.keys()];
  const order = network === 'mainnet' ? ranks : some(stream(seed, network, 'pool', 'order'), ranks);
  return poolNames.map((pool, index) => {
    const rank = order[index] ?? index;
    const drawn = poolTwins.get(rank) ?? rank;
    const random = stream(seed, network, 'pool', drawn);
    const near = drawn === 0 ? 1 : 1 + noise(random) * 0.06;
    const sizes = index === LEFT ? gone : walk(random, (laws[drawn] ?? 0) * near * activeEth[network]);
    const named = { network, idType: 'pool' as const, id: pool.name, sizes };
    return {
      ...named,
      ...characterOf(named, seed),
      displayName: pool.name,
      tags: poolTags(pool),
      balancesKnown: index !== UNKNOWN,
      nodeOperatorCount: null,
    };
  });
}

/** A pool's shares: each a portion of the pool in every window; now and then an operator has left. */
function sharesOf(pool: Entity, count: number, seed: number): Share[] {
  const random = stream(seed, pool.network, 'poolShare', pool.id);
  const operators = some(random, nodeOperatorNames.slice(0, SHARING), count);
  const shares = portions(random, count);
  return operators.map((nodeOperatorId, index) => {
    const left = index > 5 && index % 19 === 11;
    // 1 % off at most: the portions leave 3 % of the pool
    const sizes = pool.sizes.map((size) => part(size, (shares[index] ?? 0) * (1 + noise(random) * 0.0028)));
    return {
      network: pool.network,
      idType: 'poolShare',
      id: `${pool.id} - ${nodeOperatorId}`,
      displayName: nodeOperatorId,
      tags: parentTags(pool.id, nodeOperatorId),
      sizes: left ? gone : sizes,
      mix: mixOfShare(random, pool.mix),
      balancesKnown: index % 50 !== 13,
      nodeOperatorCount: null,
      pool,
      nodeOperatorId,
    };
  });
}

function finished({ pool, nodeOperatorId, ...share }: Share, operator: Entity | undefined): Entity {
  const quality = operator ? qualityOfShare(pool.quality, operator.quality) : pool.quality;
  return { ...share, quality, parents: { poolId: pool.id, nodeOperatorId } };
}

/** The pool with the number of operators that have validators in it; null when they are not known. */
function withOperatorCount(pool: Entity, shares: readonly Share[]): Entity {
  const active = shares.filter(
    (share) => share.pool === pool && share.sizes.some((size) => size.validators > 0),
  );
  return { ...pool, nodeOperatorCount: active.length || null };
}

/** The node operators: what their shares have, and what they run besides. */
function operatorsOf(network: Network, shares: readonly Share[], seed: number): Entity[] {
  const laws = powerLaw(nodeOperatorNames.length, 1.1, 0.2);
  return nodeOperatorNames.map((id, index) => {
    const own = shares.filter((share) => share.nodeOperatorId === id);
    const besides = soloSizes(network, index, laws, seed);
    const sizes = timeWindows.map((_, window) =>
      together([besides, ...own.map((share) => share.sizes)].map((each) => each[window] ?? empty)),
    );
    const named = { network, idType: 'nodeOperator' as const, id, sizes };
    const { quality, mix } = characterOf(named, seed);
    const parts = [{ mix, sizes: besides }, ...own].filter((each) => each.sizes[0]?.validators);
    return {
      ...named,
      quality,
      mix: mixOfAll(parts.map((each) => ({ mix: each.mix, validators: each.sizes[0]?.validators ?? 0 }))),
      displayName: id,
      tags: nodeOperatorTags(stream(seed, network, 'nodeOperator', id, 'tags')),
      balancesKnown: index < SHARING || index % 15 !== 6,
      nodeOperatorCount: null,
    };
  });
}

function soloSizes(network: Network, index: number, laws: readonly number[], seed: number): readonly Size[] {
  if (index > 194) return gone;
  if (index === 180) return timeWindows.map(() => merged);
  if (index === 181) return timeWindows.map(() => apart);
  const drawn = operatorTwins.get(index) ?? index;
  const random = stream(seed, network, 'nodeOperator', drawn);
  return walk(random, (laws[drawn] ?? 0) * (1 + noise(random) * 0.06) * activeEth[network]);
}
