import { hashOfPoolId, poolIdOfHash } from '../resources/network-rewards/networks/cardano.ts';
import {
  definitions,
  type RewardKind,
  type RewardsNetwork,
  rewardRecord,
  rewardsNetworks,
} from '../resources/network-rewards/record.ts';
import { datesBefore, daysSinceFirst, type Sample } from './chain.ts';
import { validatorName } from './names.ts';
import {
  base58,
  decimalText,
  drift,
  hashOf,
  hexDigits,
  noise,
  powerLaw,
  type Random,
  some,
  stream,
} from './random.ts';
import { solanaEpoch, solanaValidators } from './solana.ts';

type Fields = Record<string, unknown>;
export type SampleReward = { kind: RewardKind; row: Fields };

const BECH32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const bech32 = (random: Random, prefix: string, digits: number) =>
  `${prefix}1${some(random, [...(BECH32 + BECH32)], digits).join('')}`;
const base64Key = (random: Random) => Buffer.from(hexDigits(random, 64), 'hex').toString('base64');

const DAYS = 90;
/** How many of the largest validators of each network are stored. */
const STORED = 12;

/** `stake` is that of the whole network, `yearly` what it earns, and `own` the share of the validators themselves. */
type Plan = {
  validators: number;
  stake: number;
  exponent: number;
  yearly: number;
  places: number;
  own: number;
  rates: readonly number[];
  idOf(random: Random, place: number): string;
  /** The fields of a validator that stay the same; `name` is null for the fifth. */
  about?(random: Random, name: string | null, id: string): Fields;
  /** The fields of a day that all validators and the network share. */
  ofDay?: (day: number) => Fields;
  /** Fields of the network besides amounts. */
  whole(validators: number, rate: number): Fields;
  rateField?: string;
  amounts(day: {
    stake: number;
    own: number;
    fee: number;
    delegated: number;
    before: Earned;
  }): Record<string, number>;
};
type Earned = { own: number; fee: number; delegated: number };

const blocksOf = (first: number, perDay: number) => (day: number) => ({
  fromBlockNumber: first + day * perDay,
  toBlockNumber: first + (day + 1) * perDay - 1,
});

const cosmos = (
  prefix: string,
  plan: Pick<Plan, 'stake' | 'yearly' | 'places'>,
  blocks: (day: number) => Fields,
): Plan => ({
  ...plan,
  validators: 100,
  exponent: 0.7,
  own: 0.02,
  rates: [0.1, 0.1, 0.05, 0.08, 0.1, 0.2, 0.05],
  idOf: (random) => bech32(random, `${prefix}valoper`, 38),
  about: (random, validatorMoniker) => ({
    validatorMoniker,
    consensusPubkey: base64Key(random),
    accountAddress: bech32(random, prefix, 38),
    ...(prefix === 'celestia' && { consensusAddress: bech32(random, 'celestiavalcons', 38) }),
  }),
  ofDay: blocks,
  rateField: 'commissionRate',
  whole: (validators, rate) => ({ totalBondedValidators: validators, avgCommissionRate: digits(rate) }),
  amounts: ({ own, fee, delegated }) => ({
    totalDelegationRewards: own + delegated,
    totalCommissionRewards: fee,
  }),
});

const plans: Record<RewardsNetwork, Plan> = {
  avalanche: {
    ...{ validators: 862, stake: 196_000_000, exponent: 0.55, yearly: 0.071, places: 9, own: 0.45 },
    rates: [0.02, 0.02, 0.04, 0.02, 0.05, 0.1],
    idOf: (random) => `NodeID-${base58(random).slice(0, 33)}`,
    about: (random, name) => ({
      validationStatus: 'active',
      validatorPubkey: name === null ? null : `0x8${hexDigits(random, 95)}`,
    }),
    whole: (validators) => ({ totalActiveValidators: validators }),
    // Rewards are paid when a staking ends: what it accrued.
    amounts: ({ own, fee, delegated, before }) => ({
      totalDelegatorRewards: before.delegated,
      totalValidatorRewards: before.own,
      totalValidatorFeeRewards: before.fee,
      totalPotentialDelegatorRewards: delegated,
      totalPotentialValidatorRewards: own,
      totalPotentialValidatorFeeRewards: fee,
    }),
  },
  babylon: cosmos('bbn', { stake: 2_300_000_000, yearly: 0.085, places: 6 }, blocksOf(1_790_000, 8_640)),
  cardano: {
    ...{ validators: 1_040, stake: 21_600_000_000, exponent: 0.25, yearly: 0.0232, places: 6, own: 0.01 },
    rates: [0.05, 0.01, 0.02, 0, 0.025, 0.03, 0.03],
    idOf: (random) => poolIdOfHash(hexDigits(random, 56)),
    about: (random, poolName, poolId) => ({
      poolId,
      poolHashId: poolName === null ? null : hashOfPoolId(poolId),
      poolName,
      poolTicker:
        poolName
          ?.replaceAll(/[^A-Z]/gi, '')
          .slice(0, 4)
          .toUpperCase() ?? null,
      poolOwnerStakeAddresses: [bech32(random, 'stake', 53)],
      poolFlatFee: '170.000000',
    }),
    ofDay: (day) => ({
      epoch: 591 + Math.floor(day / 5),
      ...blocksOf(12_620_000, 4_290)(day),
      fromSlotNumber: 170_000_000 + day * 86_400,
      toSlotNumber: 170_000_000 + (day + 1) * 86_400 - 1,
    }),
    rateField: 'poolFee',
    whole: (validators, rate) => ({
      totalActivePools: validators,
      avgPoolFee: digits(rate),
      avgPoolFlatFee: '212.400000',
    }),
    amounts: ({ own, fee, delegated, before }) => ({
      totalRealizedDelegatorRewards: before.delegated,
      totalRealizedValidatorRewards: before.own + before.fee,
      totalEarnedDelegatorRewards: delegated,
      totalEarnedValidatorRewards: own + fee,
    }),
  },
  celestia: cosmos('celestia', { stake: 452_000_000, yearly: 0.053, places: 6 }, blocksOf(8_330_000, 14_300)),
  polkadot: {
    ...{ validators: 600, stake: 786_000_000, exponent: 0.06, yearly: 0.117, places: 10, own: 0.02 },
    rates: [0.15, 0.1, 0.05, 0.03, 0.1, 0.02, 0.1],
    idOf: (random) => `1${base58(random)}`,
    ofDay: (day) => ({ era: 1_984 + day }),
    rateField: 'commissionRate',
    whole: (validators, rate) => ({ totalActiveValidators: validators, avgCommissionRate: digits(rate) }),
    amounts: ({ stake, own, fee, delegated }) => ({
      totalStake: stake,
      totalValidatorRewards: own + fee,
      totalNominatorRewards: delegated,
    }),
  },
  polygon: {
    ...{ validators: 105, stake: 3_590_000_000, exponent: 0.85, yearly: 0.0445, places: 18, own: 0.04 },
    rates: [0.05, 0.1, 0, 0.08, 0.05, 0.1, 0.1],
    idOf: (_random, place) => String(27 + place * 11),
    about: (_random, validatorName) => ({ validatorName }),
    ofDay: (day) => ({ fromCheckpoint: 98_000 + day * 47, toCheckpoint: 98_000 + (day + 1) * 47 - 1 }),
    rateField: 'commissionRate',
    whole: (validators) => ({ totalActiveValidators: validators }),
    amounts: ({ stake, own, fee, delegated }) => ({
      totalStake: stake,
      totalValidatorRewards: own + fee,
      totalDelegatorRewards: delegated,
    }),
  },
  solana: {
    ...{ validators: 400, stake: 402_000_000, exponent: 0.72, yearly: 0.0664, places: 9, own: 0.01 },
    rates: [],
    idOf: () => '',
    whole: (validators) => ({ activeValidatorCount: validators }),
    amounts: ({ stake, own, fee, delegated }) => ({
      totalVotingRewards: own + fee,
      totalProposalRewards: (stake * 0.0041) / 365,
      totalMevRewards: (stake * 0.0004) / 365,
      totalDelegatorRewards: delegated,
    }),
  },
};

/** Without zeros at the end. */
const digits = (rate: number): string => String(Number(rate.toFixed(6)));

const text = (value: number, places: number, key: number, at: number): string => {
  const units =
    BigInt(Math.floor(value * 1e6)) * 10n ** BigInt(places - 6) +
    BigInt(1 + Math.floor(noise(key, at, 70) * (10 ** Math.min(places - 6, 15) - 1)));
  return decimalText(units, places);
};

function rewardsOf(sample: Sample, network: RewardsNetwork): SampleReward[] {
  const plan = plans[network];
  const { idField, exampleId } = definitions[network];
  const random = stream(sample.seed, 'rewards', network);
  const stakes = powerLaw(plan.validators, plan.exponent, plan.stake);
  const solana = solanaValidators(sample.seed);
  const validators = Array.from({ length: STORED }, (_, place) => {
    const drawn = network === 'solana' ? (solana[place]?.voteAccount as string) : plan.idOf(random, place);
    const id = place === 0 ? exampleId : drawn;
    const name = place === 4 ? null : validatorName(place * 17 + network.length * 31);
    const { voteCommission, mevCommission, ...of } = solana[place] as (typeof solana)[number];
    const rate =
      network === 'solana' ? voteCommission / 100 : (plan.rates[place % plan.rates.length] as number);
    const about: Fields =
      network === 'solana'
        ? {
            validatorName: of.name,
            voteCommissionRate: digits(rate),
            mevCommissionRate: place === 4 ? null : digits(mevCommission / 100),
          }
        : { ...plan.about?.(random, name, id), ...(plan.rateField && { [plan.rateField]: digits(rate) }) };
    const key = hashOf(sample.seed, network, id);
    return { key, about: { ...about, [idField]: network === 'polygon' ? Number(id) : id }, rate, place };
  });
  const meanRate = validators.reduce((sum, { rate }) => sum + rate, 0) / STORED;
  const stored = stakes.slice(0, STORED).reduce((sum, stake) => sum + stake, 0);
  const rest = { key: hashOf(sample.seed, network), rate: meanRate };
  const earnedOn = (stake: number, { key, rate }: { key: number; rate: number }, day: number): Earned => {
    // An epoch of Cardano, and the luck of a day elsewhere.
    const luck =
      1 +
      0.015 * drift(hashOf(network), day, 6) +
      (key === rest.key ? 0.004 : 0.03) * (noise(key, day) - 0.5);
    const all = (stake * plan.yearly * luck) / 365;
    const own = all * plan.own;
    return { own, fee: (all - own) * rate, delegated: (all - own) * (1 - rate) };
  };
  const amountsOf = (stake: number, of: { key: number; rate: number }, day: number) =>
    plan.amounts({ stake, ...earnedOn(stake, of, day), before: earnedOn(stake, of, day - 10) });
  const rows: SampleReward[] = [];
  const add = (kind: RewardKind, fields: Fields) => {
    const names = Object.keys(rewardRecord(network, kind).shape);
    rows.push({ kind, row: Object.fromEntries(names.map((name) => [name, fields[name]])) });
  };
  const last = daysSinceFirst(sample);
  for (let ago = DAYS - 1; ago >= 0; ago--) {
    const day = last - ago;
    const date = datesBefore(sample, ago);
    const shared = network === 'solana' ? { epoch: solanaEpoch(sample, ago) } : plan.ofDay?.(day);
    const restStake = (plan.stake - stored) * (1 + 0.01 * drift(rest.key, day, 40, 72));
    const sums = new Map<string, bigint>();
    const amounts = (values: Record<string, number>, key: number): Fields =>
      Object.fromEntries(
        Object.entries(values).map(([name, value], at) => {
          const amount = text(value, plan.places, key, day * 8 + at);
          sums.set(name, (sums.get(name) ?? 0n) + BigInt(amount.replace('.', '')));
          return [name, amount];
        }),
      );
    for (const { key, about, place, ...of } of validators) {
      const stake = (stakes[place] as number) * (1 + (0.02 * drift(key, day, 30, 71)) / (place + 1));
      const points =
        network === 'polkadot' ? { eraPoints: 20 * Math.round(4_000 + 500 * noise(key, day, 73)) } : {};
      const own = amounts(amountsOf(stake, { key, ...of }, day), key);
      add('validator', { day: date, ...shared, ...about, ...points, ...own });
    }
    amounts(amountsOf(restStake, rest, day), rest.key);
    const totals = [...sums].map(([name, units]) => [name, decimalText(units, plan.places)]);
    const whole = plan.whole(plan.validators, meanRate);
    add('network', { day: date, ...shared, ...whole, ...Object.fromEntries(totals) });
  }
  return rows;
}

export function* sampleNetworkRewards(sample: Sample): Generator<[RewardsNetwork, SampleReward[]]> {
  for (const network of rewardsNetworks) yield [network, rewardsOf(sample, network)];
}
