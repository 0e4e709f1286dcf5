import { hashOfPoolId, poolIdOfHash } from '../resources/network-rewards/networks/cardano.ts';
import {
  definitions,
  fieldsOf,
  type RewardsNetwork,
  rewardsNetworks,
} from '../resources/network-rewards/record.ts';
import { base58, between, decimalText, hexDigits, pick, type Random, stream, whole } from './random.ts';
import { solanaValidators } from './solana.ts';

type Fields = Record<string, unknown>;
export type SampleReward = { kind: 'validator' | 'network'; row: Fields };

type Plan = {
  decimals: number;
  /** Tokens a day of the largest validator. */
  tokens: number;
  validators: number;
  periods(day: number): Fields;
  idOf(random: Random, place: number): string;
  validator(id: string, place: number, random: Random): Fields;
  whole?: Fields;
};

const bech32 = (random: Random, prefix: string, digits: number) =>
  `${prefix}1${Array.from({ length: digits }, () => pick(random, [...'qpzry9x8gf2tvdw0s3jn54khce6mua7l'])).join('')}`;
/** The last validator has no name. */
const nameOf = (place: number) =>
  place === 4 ? null : `Sample Validator ${['Alder', 'Birch', 'Cedar', '島'][place]}`;
/** Converts percent to a ratio: some chains store commissions with 18 places, others with 2. */
const rate = (percent: number, places: number) => `0.${String(percent).padStart(2, '0').padEnd(places, '0')}`;
const span = (name: string, first: number, perDay: number, index: number) => ({
  [`from${name}`]: first + index * perDay,
  [`to${name}`]: first + (index + 1) * perDay - 1,
});

const cosmos = (prefix: string, tokens: number, blocksPerDay: number): Plan => ({
  decimals: 6,
  tokens,
  validators: 100,
  periods: (index) => span('BlockNumber', 1_310_000, blocksPerDay, index),
  idOf: (random) => bech32(random, `${prefix}valoper`, 38),
  validator: (validator, place, random) => ({
    validator,
    validatorMoniker: nameOf(place),
    consensusPubkey: Buffer.from(hexDigits(random, 64), 'hex').toString('base64'),
    accountAddress: bech32(random, prefix, 38),
    commissionRate: rate(5 + place, 18),
    consensusAddress: bech32(random, `${prefix}valcons`, 38),
  }),
  whole: { avgCommissionRate: '0.061234567890123400' },
});

const plans: Record<RewardsNetwork, Plan> = {
  avalanche: {
    decimals: 9,
    tokens: 310,
    validators: 1_180,
    periods: () => ({}),
    idOf: (random) => `NodeID-${base58(random).slice(0, 33)}`,
    validator: (nodeId, place, random) => ({
      nodeId,
      validationStatus: place === 3 ? 'completed' : 'active',
      validatorPubkey: place === 4 ? null : `0x${hexDigits(random, 96)}`,
    }),
  },
  babylon: cosmos('bbn', 41_000, 8_640),
  cardano: {
    decimals: 6,
    tokens: 17_000,
    validators: 2_890,
    periods: (index) => ({
      epoch: 574 + Math.floor((index + 4) / 5),
      ...span('BlockNumber', 12_230_000, 4_320, index),
      ...span('SlotNumber', 162_650_000, 86_400, index),
    }),
    idOf: (random) => poolIdOfHash(hexDigits(random, 56)),
    validator: (poolId, place, random) => ({
      poolId,
      poolHashId: place === 3 ? null : hashOfPoolId(poolId),
      poolName: nameOf(place),
      poolTicker: place === 4 ? null : `SMPL${place}`,
      poolOwnerStakeAddresses: Array.from({ length: place % 3 }, () => bech32(random, 'stake', 53)),
      poolFee: rate(place, 4),
      poolFlatFee: place % 2 === 0 ? '170.000000' : '340.000000',
    }),
    whole: { avgPoolFee: '0.0314', avgPoolFlatFee: '221.410000' },
  },
  celestia: cosmos('celestia', 3_900, 14_400),
  polkadot: {
    decimals: 10,
    tokens: 2_400_000,
    validators: 600,
    periods: (index) => ({ era: 1_890 + index }),
    idOf: (random) => `1${base58(random)}`,
    validator: (validator, place) => ({
      validator,
      commissionRate: rate(place, 9),
      eraPoints: 17_000 - place * 20,
    }),
    whole: { avgCommissionRate: '0.140000000' },
  },
  polygon: {
    decimals: 18,
    tokens: 98_000,
    validators: 105,
    periods: (index) => span('Checkpoint', 78_400, 48, index),
    idOf: (_random, place) => String(27 + place * 11),
    validator: (id, place) => ({
      validatorId: Number(id),
      validatorName: nameOf(place),
      commissionRate: rate(place, 2),
    }),
  },
  solana: {
    decimals: 9,
    tokens: 620,
    validators: 987,
    periods: (index) => ({ epoch: 828 + Math.floor(index / 2) }),
    idOf: (_random, place) => solanaValidators(1)[place]?.voteAccount as string,
    validator: (voteAccount, place) => ({
      voteAccount,
      validatorName: solanaValidators(1)[place]?.name,
      voteCommissionRate: rate(5, 2),
      mevCommissionRate: place === 3 ? null : rate(8, 2),
    }),
  },
};

const DAYS = 90;
const LAST_DAY = Date.UTC(2025, 9, 31);
/** Each amount of a network is this multiple of its five sample validators' sum. */
const SCALE = 20n;

/** In the smallest unit, with digits that a double cannot hold. */
const unitsOf = (random: Random, tokens: number, places: number): bigint =>
  BigInt(Math.floor(tokens * 1e6)) * 10n ** BigInt(places - 6) +
  BigInt(whole(random, 0, 10 ** Math.min(places - 6, 9) - 1));

function* rewardsOf(network: RewardsNetwork, seed: number): Generator<SampleReward> {
  const { decimals, tokens, validators, idOf, ...plan } = plans[network];
  const { countField, exampleId } = definitions[network];
  const random = stream(seed, 'rewards', network);
  const own = Array.from({ length: 5 }, (_, place) =>
    plan.validator(place === 0 ? exampleId : idOf(random, place), place, random),
  );
  const names = fieldsOf(network, 'validator').filter((name) => /^total.*(Rewards|Stake)$/.test(name));
  for (let index = 0; index < DAYS; index++) {
    const day = new Date(LAST_DAY - (DAYS - 1 - index) * 86_400_000).toISOString().slice(0, 10);
    const when = { day, ...plan.periods(index) };
    const totals: Fields = {};
    const sums = names.map(() => 0n);
    for (const [place, validator] of own.entries()) {
      const amounts = names.map((_, at) =>
        unitsOf(random, (tokens * between(random, 0.95, 1.05)) / (place + 1) / 4 ** at, decimals),
      );
      const texts = names.map((name, at) => [name, decimalText(amounts[at] ?? 0n, decimals)]);
      for (const [at, name] of names.entries()) {
        sums[at] = (sums[at] ?? 0n) + (amounts[at] ?? 0n);
        totals[name] = decimalText((sums[at] ?? 0n) * SCALE, decimals);
      }
      yield { kind: 'validator', row: { ...when, ...validator, ...Object.fromEntries(texts) } };
    }
    yield {
      kind: 'network',
      row: { ...when, [countField]: validators - (index % 9), ...plan.whole, ...totals },
    };
  }
}

/** Yields five validators and the total of each network; the same seed gives the same rows. */
export function* sampleNetworkRewards(seed = 1): Generator<[RewardsNetwork, SampleReward[]]> {
  for (const network of rewardsNetworks) yield [network, [...rewardsOf(network, seed)]];
}
