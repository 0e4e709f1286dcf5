import type { z } from 'zod';
import { isNullable, leafKind, leafOf } from '../kernel/leaves.ts';
import { DAY_MS } from '../kernel/time.ts';
import { hashOfPoolId, poolIdOfHash } from '../resources/network-rewards/networks/cardano.ts';
import {
  definitions,
  type RewardKind,
  type RewardsNetwork,
  recordOf,
  rewardsNetworks,
} from '../resources/network-rewards/record.ts';
import { base58, between, bigDecimal, decimalText, hexDigits, type Random, some, stream } from './random.ts';
import { solanaValidators } from './solana.ts';

type Fields = Record<string, unknown>;
export type SampleReward = { kind: RewardKind; row: Fields };

const operatorAddress = (prefix: string) => (random: Random) =>
  `${prefix}valoper1${some(random, [...'qpzry9x8gf2tvdw0s3jn54khce6mua7lqpzry9x8gf2tvdw0s3jn54khce6mua7l'], 38).join('')}`;

const idOf: Record<RewardsNetwork, (random: Random, place: number) => string> = {
  avalanche: (random) => `NodeID-${base58(random).slice(0, 33)}`,
  babylon: operatorAddress('bbn'),
  cardano: (random) => poolIdOfHash(hexDigits(random, 56)),
  celestia: operatorAddress('celestia'),
  polkadot: (random) => `1${base58(random)}`,
  polygon: (_random, place) => String(27 + place * 11),
  solana: (_random, place) => solanaValidators(1)[place]?.voteAccount as string,
};

const DAYS = 90;
const LAST_DAY = Date.UTC(2025, 9, 31);
const PLACES = 18;
/** Network amounts are this multiple of the sum over the five sample validators. */
const SCALE = 20n;

function plainField(name: string, schema: z.core.$ZodType, place: number, index: number): unknown {
  if (isNullable(schema) && place === 4) return null;
  const { kind, bytes } = leafOf(schema) ?? {};
  if (bytes) return `0x${'8'.repeat(bytes * 2)}`;
  if (kind === 'Decimal') return `0.0${place + 1}`;
  if (kind === 'String') return `Sample ${name} ${place + 1}`;
  if (kind !== 'Int') return [];
  return /^(from|to)[A-Z]/.test(name) ? index * 1_000 + (name.startsWith('to') ? 1_999 : 1_000) : 800 + index;
}

function* rewardsOf(network: RewardsNetwork, seed: number): Generator<SampleReward> {
  const { idField, exampleId } = definitions[network];
  const random = stream(seed, 'rewards', network);
  const ids = [0, 1, 2, 3, 4].map((place) => (place === 0 ? exampleId : idOf[network](random, place)));
  const isNumber = leafKind(recordOf(network, 'validator').shape[idField] as z.ZodType) === 'Int';
  const rowOf = (kind: RewardKind, place: number, index: number): Fields =>
    Object.fromEntries(
      Object.entries(recordOf(network, kind).shape).map(([name, schema]) => [
        name,
        plainField(name, schema, place, index),
      ]),
    );
  const amounts = Object.keys(recordOf(network, 'validator').shape).filter((name) =>
    /^total.*(Rewards|Stake)$/.test(name),
  );
  for (let index = 0; index < DAYS; index++) {
    const day = new Date(LAST_DAY - (DAYS - 1 - index) * DAY_MS).toISOString().slice(0, 10);
    const whole = { ...rowOf('network', 0, index), day };
    const sums = amounts.map(() => 0n);
    for (const [place, id] of ids.entries()) {
      const row: Fields = { ...rowOf('validator', place, index), day, [idField]: isNumber ? Number(id) : id };
      if (network === 'cardano' && row.poolHashId) row.poolHashId = hashOfPoolId(id);
      for (const [at, name] of amounts.entries()) {
        const amount = bigDecimal(
          random,
          (10_000 * between(random, 0.95, 1.05)) / (place + 1) / 4 ** at,
          PLACES,
        );
        row[name] = decimalText(amount, PLACES);
        sums[at] = (sums[at] ?? 0n) + amount;
      }
      yield { kind: 'validator', row };
    }
    const totals = amounts.map((name, at) => [name, decimalText((sums[at] ?? 0n) * SCALE, PLACES)]);
    yield { kind: 'network', row: { ...whole, ...Object.fromEntries(totals) } };
  }
}

export function* sampleNetworkRewards(seed = 1): Generator<[RewardsNetwork, SampleReward[]]> {
  for (const network of rewardsNetworks) yield [network, [...rewardsOf(network, seed)]];
}
