import { EPOCHS_PER_DAY } from '../chain/calendar.ts';
import { TimeWindow, windowDays } from '../chain/windows.ts';
import type { ImportedOperator } from '../ingest/importers/operators.ts';
import type { OperatorProposals, OperatorTag } from '../resources/operators/record.ts';
import { activeEth, chainDaysOf, type Network, type Sample } from './chain.ts';
import { aprOf, type Entity, type Figures, figuresOfHalf, meansOf, sumOf } from './model.ts';
import { nodeOperatorNames, poolNames, poolShareTags, poolTags } from './names.ts';
import { drift, hashOf, hexDigits, noise, powerLaw, type Random, some, stream, whole } from './random.ts';

export type SampleOperator = ImportedOperator & OperatorProposals & { asOfEpoch: number };

type Sizes = { validators: number; ethEach: number; known: boolean };

export type Operator = ReturnType<typeof operator>;

function operator(network: Network, idType: SampleOperator['idType'], id: string, sizes: Sizes) {
  return {
    ...{ network, idType, id, displayName: id as string | null, operatorTags: [] as OperatorTag[] },
    ...{ poolId: null as string | null, nodeOperatorId: null as string | null, poolType: null },
    ...{ nodeOperatorCount: null as number | null, sizes },
  };
}

/** Every sixteenth entry equals the one before, so that ids decide their order. */
function sizesOf(random: Random, network: Network, count: number, exponent: number, total: number): Sizes[] {
  const sizes: Sizes[] = [];
  for (const [index, eth] of powerLaw(count, exponent, total * activeEth[network]).entries()) {
    const twin = index % 16 === 15 ? sizes[index - 1] : undefined;
    const ethEach = index % 4 === 1 ? whole(random, 33, 60) : 32;
    // Odd counts make large balances inexact as doubles.
    const validators = index % 50 === 37 ? 0 : Math.floor(eth / ethEach) | 1;
    sizes.push(twin ?? { validators, ethEach, known: index % 50 !== 33 });
  }
  return sizes;
}

/** Numbers of operators. Those of shares are keyed by the rank of their pool. */
const large = {
  ...{ pools: 40, nodeOperators: 200, depositAddresses: 400, withdrawalAddresses: 160 },
  shares: { 0: 80, 1: 60, 2: 50, 4: 40, 6: 30, 12: 25, 24: 15 } as Record<number, number>,
};
const small: typeof large = {
  ...{
    pools: 12,
    nodeOperators: 40,
    depositAddresses: 80,
    withdrawalAddresses: 40,
    shares: { 0: 20, 1: 12 },
  },
};
const plans: Record<Network, typeof large> = { mainnet: large, hoodi: small, holesky: small };

function sharesOf(random: Random, { network, id: poolId, sizes }: Operator, count: number): Operator[] {
  const portions = powerLaw(count, 0.7, 0.9);
  const names = nodeOperatorNames.slice(0, 0.7 * plans[network].nodeOperators);
  return some(random, names, count).map((nodeOperatorId, index) => {
    const portion = index === 7 ? 0 : (portions[Math.max(index, 2)] ?? 0);
    const validators = Math.floor(sizes.validators * portion);
    const share = { ...sizes, validators, known: index !== 8 };
    return {
      ...operator(network, 'poolShare', `${poolId} - ${nodeOperatorId}`, share),
      displayName: nodeOperatorId,
      operatorTags: poolShareTags(poolId, nodeOperatorId),
      poolId,
      nodeOperatorId,
    };
  });
}

export function namedOperators(network: Network, seed: number): Operator[] {
  const random = stream(seed, network, 'operators');
  const shares: Operator[] = [];
  const plan = plans[network];
  const pools = sizesOf(random, network, plan.pools, 1.4, 0.7).map((sizes, index) => {
    const pool = operator(network, 'pool', poolNames[index] as string, sizes);
    const own = sharesOf(random, pool, plan.shares[index] ?? 0);
    shares.push(...own);
    const active = own.filter((share) => share.sizes.validators > 0).length;
    return { ...pool, operatorTags: poolTags(index), nodeOperatorCount: active || null };
  });
  const nodeOperators = sizesOf(random, network, plan.nodeOperators, 1.1, 0.15).map((sizes, index) => {
    const id = nodeOperatorNames[index] as string;
    const held = shares.filter((share) => share.nodeOperatorId === id);
    const validators = held.reduce((sum, share) => sum + share.sizes.validators, sizes.validators);
    const operatorTags = [{ name: 'professional', path: null, idType: null }];
    return { ...operator(network, 'nodeOperator', id, { ...sizes, validators }), operatorTags };
  });
  return [...pools, ...nodeOperators, ...shares];
}

export function addresses(network: Network, seed: number): Operator[] {
  const random = stream(seed, network, 'addresses');
  const ofClass = (idType: 'depositAddress' | 'withdrawalAddress', count: number, total: number) =>
    sizesOf(random, network, count, 1.3, total).map((sizes) => ({
      ...operator(network, idType, `0x${hexDigits(random, 40)}`, sizes),
      displayName: null,
    }));
  return [
    ...ofClass('depositAddress', plans[network].depositAddresses, 0.7),
    ...ofClass('withdrawalAddress', plans[network].withdrawalAddresses, 0.6),
  ];
}

/** Clients and relays, with the share that many choose. */
const clients = ['Lighthouse', 'Prysm', 'Teku', 'Nimbus', 'Lodestar', 'Grandine'];
export const relays = [
  ...['ultra_sound_money', 'bloxroute_maxprofit', 'agnostic', 'bloxroute_regulated', 'flashbots'],
  ...['aestus', 'manifold', 'edennetwork'],
];

/** In thousandths. */
const mixes = [[1_000], [750, 250], [500, 300, 200], [400, 300, 200, 100]];

/** Shares move from the first to the second by some hundredths. */
function sharesAmong(names: readonly string[], { key, size, at, salt }: Mix) {
  const start = Math.floor(noise(key, salt) * names.length);
  const moved = size > 1 ? Math.round(60 * drift(key, at, 40, salt)) : 0;
  return (mixes[size - 1] ?? []).map((share, index) => ({
    name: names[(start + index) % names.length] as string,
    percentage: (share + ([-moved, moved][index] ?? 0)) / 1_000,
  }));
}
type Mix = { key: number; size: number; at: number; salt: number };

/** The operator as the model sees it. */
export function entityOf({ seed }: Sample, { network, idType, id, sizes }: Operator): Entity {
  const key = hashOf(seed, network, idType, id);
  const eth = sizes.validators * sizes.ethEach;
  return {
    network,
    key,
    eth,
    ethEach: sizes.ethEach,
    lapse: 0.0008 + 0.022 * noise(key, 1) ** 5,
    slow: 0.007 + 0.012 * noise(key, 2) ** 2,
    moves: eth > 0.01 * activeEth[network] ? 0.04 : 0.12,
    client: clients[Math.floor(noise(key, CLIENTS) * clients.length)] as string,
    outage: network === 'mainnet' && id === OUTAGE_OF,
  };
}
const [CLIENTS, RELAYS] = [20, 21];
const OUTAGE_OF = poolNames[5];

export const wholeNetwork = ({ seed }: Sample, network: Network): Entity => ({
  ...{ network, key: hashOf(seed, network), eth: activeEth[network], ethEach: NETWORK_ETH_EACH[network] },
  ...{ lapse: 0.0045, slow: 0.011, moves: 0, client: '', isWhole: true },
});
/** Effective balance of a validator after the consolidations. */
export const NETWORK_ETH_EACH: Record<Network, number> = { mainnet: 36, hoodi: 33, holesky: 32 };

/** Sums what an operator did in `days` chain days that end `daysAgo` days before the newest. Of long windows, it sums every sixteenth day. */
export function daysOfEntity(sample: Sample, entity: Entity) {
  const known = new Map<number, Figures>();
  return ({ days, daysAgo = 0 }: { days: number; daysAgo?: number }): Figures => {
    const end = 2 * (chainDaysOf(sample, entity.network) - daysAgo);
    const step = days > 100 ? 16 : 1;
    const parts: Figures[] = [];
    for (let day = 1 + Math.floor((days - 1) / step) * step; day > 0; day -= step) {
      for (const half of [end - 2 * day, end - 2 * day + 1]) {
        let part = known.get(half);
        if (!part) known.set(half, (part = figuresOfHalf(sample, entity, half)));
        parts.push(part);
      }
    }
    return sumOf(parts);
  };
}

const daysOf = (sample: Sample, network: Network, window: TimeWindow): number =>
  windowDays[window] ?? Math.min(ALL_DAYS, chainDaysOf(sample, network) - 1);
const ALL_DAYS = 720;

const balanceOf = ({ eth, validators }: Figures): string =>
  (BigInt(eth) * GWEI + BigInt(validators) * 9_700_001n).toString();
const GWEI = 1_000_000_000n;
export const gweiOf = (eth: number): string => String(BigInt(eth) * GWEI);

export function* summaries(sample: Sample, operator: Operator): Generator<SampleOperator> {
  const { network, idType, id, sizes } = operator;
  const entity = entityOf(sample, operator);
  const figuresOf = daysOfEntity(sample, entity);
  const { key } = entity;
  const at = chainDaysOf(sample, network);
  const [numberOfClients, numberOfRelays] = [CLIENTS, RELAYS].map(
    (salt) => 1 + Math.floor(4 * noise(key, salt, 1)),
  );
  for (const timeWindow of TimeWindow.options) {
    const days = daysOf(sample, network, timeWindow);
    const figures = figuresOf({ days });
    const means = meansOf(figures);
    const { validators, eth } = figures;
    const idle = validators === 0;
    // Very long windows sum only some of their days.
    const ofAll = (blocks: number) =>
      String(Math.round((blocks * days * EPOCHS_PER_DAY) / Math.max(1, figures.epochs)));
    const mid = at - Math.min(days, 90) / 2;
    const run = sharesAmong(clients, {
      key,
      size: idle ? 0 : (numberOfClients as number),
      at: mid,
      salt: CLIENTS,
    });
    const used = sharesAmong([...relays, 'no_mev_boost'], {
      ...{ key, size: figures.proposed > 0 ? (numberOfRelays as number) : 0, at: mid, salt: RELAYS },
    });
    // Listing all fields saves 0.7 s: V8 makes slow objects of a spread followed by many fields.
    yield {
      network,
      idType,
      id,
      displayName: operator.displayName,
      operatorTags: operator.operatorTags,
      poolId: operator.poolId,
      nodeOperatorId: operator.nodeOperatorId,
      poolType: operator.poolType,
      nodeOperatorCount: operator.nodeOperatorCount,
      timeWindow,
      validatorCount: validators,
      networkPenetration: sizes.known ? eth / activeEth[network] : null,
      sumEndEpochBalance: sizes.known ? balanceOf(figures) : null,
      sumEndEpochEffectiveBalance: sizes.known ? gweiOf(eth) : null,
      asOfEpoch: at * EPOCHS_PER_DAY - 1,
      avgCorrectness: means.correctness,
      avgInclusionDelay: means.inclusion,
      avgUptime: means.uptime,
      avgValidatorEffectiveness: idle ? 0 : means.validatorSum / validators,
      clientPercentages: run.map(({ name: client, percentage }) => ({ client, percentage })),
      relayerPercentages: used.map(({ name: relayer, percentage }) => ({ relayer, percentage })),
      aprPercentage: sizes.known ? aprOf(figures) : null,
      proposerDutyCount: ofAll(figures.proposed + figures.missedProposals),
      missedProposalCount: ofAll(figures.missedProposals),
    };
  }
}
