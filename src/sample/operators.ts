import { type TimeWindow, timeWindows, windowDays } from '../chain/windows.ts';
import type { ImportedOperator } from '../ingest/importers/operators.ts';
import type { OperatorTag } from '../resources/operators/record.ts';
import { activeEth, headEpoch, type Network } from './chain.ts';
import { nodeOperatorNames, poolNames, poolTags, shareTags } from './names.ts';
import { between, hexDigits, powerLaw, type Random, some, stream, whole } from './random.ts';

export type SampleOperator = ImportedOperator & { asOfEpoch: number };

/** `validators` has one count per window. */
type Sizes = { validators: number[]; ethEach: number; known: boolean };

type Operator = ReturnType<typeof operator>;

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
    const validators = timeWindows.map(() =>
      // Odd counts make large balances inexact as doubles.
      index % 50 === 37 ? 0 : Math.floor((eth / ethEach) * between(random, 0.985, 1)) | 1,
    );
    sizes.push(twin ?? { validators, ethEach, known: index % 50 !== 33 });
  }
  return sizes;
}

/** Numbers of shares, keyed by the pool's rank. */
const shareCounts: Record<number, number> = { 0: 80, 1: 60, 2: 50, 4: 40, 6: 30, 12: 25, 24: 15 };

function sharesOf(random: Random, { network, id: poolId, sizes }: Operator, count: number): Operator[] {
  const portions = powerLaw(count, 0.7, 0.9);
  return some(random, nodeOperatorNames.slice(0, 140), count).map((nodeOperatorId, index) => {
    const portion = index === 7 ? 0 : (portions[Math.max(index, 2)] ?? 0);
    const validators = sizes.validators.map((all) => Math.floor(all * portion));
    const share = { ...sizes, validators, known: index !== 8 };
    return {
      ...operator(network, 'poolShare', `${poolId} - ${nodeOperatorId}`, share),
      displayName: nodeOperatorId,
      operatorTags: shareTags(poolId, nodeOperatorId),
      poolId,
      nodeOperatorId,
    };
  });
}

export function namedOperators(network: Network, seed: number): Operator[] {
  const random = stream(seed, network, 'operators');
  const shares: Operator[] = [];
  const pools = sizesOf(random, network, poolNames.length, 1.4, 0.7).map((sizes, index) => {
    const pool = operator(network, 'pool', poolNames[index] as string, sizes);
    const own = sharesOf(random, pool, shareCounts[index] ?? 0);
    shares.push(...own);
    const active = own.filter((share) => share.sizes.validators[0]).length;
    return { ...pool, operatorTags: poolTags(index), nodeOperatorCount: active || null };
  });
  const nodeOperators = sizesOf(random, network, nodeOperatorNames.length, 1.1, 0.15).map((sizes, index) => {
    const id = nodeOperatorNames[index] as string;
    const held = shares.filter((share) => share.nodeOperatorId === id);
    const validators = sizes.validators.map((alone, window) =>
      held.reduce((sum, share) => sum + (share.sizes.validators[window] ?? 0), alone),
    );
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
  return [...ofClass('depositAddress', 2_000, 0.7), ...ofClass('withdrawalAddress', 500, 0.6)];
}

const clients = ['Lighthouse', 'Prysm', 'Teku', 'Nimbus', 'Lodestar', 'Grandine'];
export const relays = [
  ...['ultra_sound_money', 'bloxroute_maxprofit', 'agnostic', 'bloxroute_regulated', 'flashbots'],
  ...['aestus', 'manifold', 'edennetwork'],
];

const mixes = [[1], [0.75, 0.25], [0.5, 0.3, 0.2], [0.4, 0.3, 0.2, 0.1]];

function percentagesOf(random: Random, names: readonly string[], size: number) {
  const start = whole(random, 0, names.length - 1);
  return (mixes[size - 1] ?? []).map((percentage, index) => {
    return { name: names[(start + index) % names.length] as string, percentage };
  });
}

/** `lapse` is the approximate share of missed duties (±10 %). */
function performance(random: Random, lapse: number, validators: number, window: TimeWindow) {
  const idle = validators === 0;
  const missed = lapse * between(random, 0.9, 1.1);
  const [avgUptime, avgCorrectness, delay] = idle
    ? [0, 0, null]
    : [1 - missed, 0.996 - missed / 4, 1.01 + missed * 2];
  const proposes = validators * (windowDays[window] ?? 1_000) > 150;
  const run = percentagesOf(random, clients, idle ? 0 : whole(random, 1, 4));
  const used = percentagesOf(random, [...relays, 'no_mev_boost'], proposes ? whole(random, 1, 4) : 0);
  const apr = (3.2 - missed * 5) * between(random, 0.9, 1.1);
  return {
    avgCorrectness,
    avgInclusionDelay: delay,
    avgUptime,
    avgValidatorEffectiveness: (100 * avgUptime * avgCorrectness) / (delay ?? 1),
    clientPercentages: run.map(({ name: client, percentage }) => ({ client, percentage })),
    relayerPercentages: used.map(({ name: relayer, percentage }) => ({ relayer, percentage })),
    aprPercentage: idle || lapse > 0.09 ? null : Math.round(apr * 100) / 100,
  };
}

const GWEI = 1_000_000_000n;

export function* summaries(operator: Operator, seed: number): Generator<SampleOperator> {
  const { network, idType, id, sizes } = operator;
  const random = stream(seed, network, idType, id);
  const lapse = 0.0005 + random() ** 6 * 0.15;
  for (const [place, timeWindow] of timeWindows.entries()) {
    const validatorCount = sizes.validators[place] ?? 0;
    const eth = validatorCount * sizes.ethEach;
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
      validatorCount,
      networkPenetration: sizes.known ? eth / activeEth[network] : null,
      sumEndEpochBalance: sizes.known
        ? String(BigInt(eth) * GWEI + BigInt(validatorCount) * 9_700_001n)
        : null,
      sumEndEpochEffectiveBalance: sizes.known ? String(BigInt(eth) * GWEI) : null,
      asOfEpoch: headEpoch[network] - 1,
      ...performance(random, lapse, validatorCount, timeWindow),
    };
  }
}
