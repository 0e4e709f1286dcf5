import { hashOfPoolId, poolIdOfHash } from '../resources/network-rewards/networks/cardano.ts';
import { definitions, type RewardsNetwork } from '../resources/network-rewards/record.ts';
import { chance, hexDigits, pick, type Random, whole } from './random.ts';
import { base58 } from './solana-decimals.ts';
import { solanaValidators } from './solana-validators.ts';

type Fields = Record<string, unknown>;

/** What the rewards of a network in the sample data are made of. */
export type NetworkPlan = {
  /** Places of the token behind the point. */
  places: number;
  /** What its largest validator has on a day, in tokens, by field. */
  amounts: Record<string, number>;
  /** The network as a whole is so many times its validators in the sample. */
  times: number;
  /** Epochs, blocks and the like of the day that is so many days after the first. */
  periods(index: number): Fields;
  /** What stays of a validator; the first has the id of the examples. */
  validator(random: Random, place: number): Fields;
  /** What a validator has anew each day, beside amounts. */
  daily(random: Random): Fields;
  /** What only the network has. */
  whole(index: number): Fields;
};

const bech32Digits = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const bech32 = (random: Random, prefix: string, digits: number) =>
  `${prefix}1${Array.from({ length: digits }, () => pick(random, [...bech32Digits])).join('')}`;
const base64Key = (random: Random) => Buffer.from(hexDigits(random, 64), 'hex').toString('base64');
const idOf = (network: RewardsNetwork, place: number, other: string) =>
  place === 0 ? definitions[network].exampleId : other;

const words = ['Alder', 'Birch', 'Cedar', 'Drava', '島'];
/** The name of a validator; the last has none. */
const nameOf = (place: number) => (place === 4 ? null : `Sample Validator ${words[place]}`);
/** A ratio with so many places: chains store commissions with 18, others with 2. */
const rateOf = (random: Random, places: number) =>
  `0.${String(pick(random, [0, 3, 5, 8, 10])).padStart(2, '0')}${'0'.repeat(places - 2)}`;
const none = () => ({});

/** The blocks of a day: `perDay` of them from `first` on. */
const blocks = (first: number, perDay: number) => (index: number) => ({
  fromBlockNumber: first + index * perDay,
  toBlockNumber: first + (index + 1) * perDay - 1,
});

const cosmos = (network: 'babylon' | 'celestia', prefix: string): Omit<NetworkPlan, 'amounts'> => ({
  places: 6,
  times: 12,
  periods: network === 'babylon' ? blocks(1_310_000, 8_640) : blocks(7_190_000, 14_400),
  validator: (random, place) => ({
    validator: idOf(network, place, bech32(random, `${prefix}valoper`, 38)),
    validatorMoniker: nameOf(place),
    consensusPubkey: base64Key(random),
    accountAddress: bech32(random, prefix, 38),
    commissionRate: rateOf(random, 18),
    consensusAddress: bech32(random, `${prefix}valcons`, 38),
  }),
  daily: none,
  whole: (index) => ({
    avgCommissionRate: `0.0${612_345_678_901_234n + BigInt(index) * 7n}`,
    totalBondedValidators: 100 - (index % 3),
  }),
});

export const plans: Record<RewardsNetwork, NetworkPlan> = {
  avalanche: {
    places: 9,
    amounts: {
      totalDelegatorRewards: 310,
      totalValidatorRewards: 120,
      totalValidatorFeeRewards: 9,
      totalPotentialDelegatorRewards: 9_400,
      totalPotentialValidatorRewards: 3_600,
      totalPotentialValidatorFeeRewards: 280,
    },
    times: 40,
    periods: none,
    validator: (random, place) => ({
      nodeId: idOf('avalanche', place, `NodeID-${base58(random).slice(0, 33)}`),
      validationStatus: place === 3 ? 'completed' : 'active',
      validatorPubkey: place === 4 ? null : `0x${hexDigits(random, 96)}`,
    }),
    daily: none,
    whole: (index) => ({ totalActiveValidators: 1_180 - (index % 17) }),
  },
  babylon: {
    ...cosmos('babylon', 'bbn'),
    amounts: { totalDelegationRewards: 41_000, totalCommissionRewards: 2_300 },
  },
  cardano: {
    places: 6,
    amounts: {
      totalRealizedDelegatorRewards: 17_000,
      totalRealizedValidatorRewards: 900,
      totalEarnedDelegatorRewards: 17_200,
      totalEarnedValidatorRewards: 910,
    },
    times: 300,
    periods: (index) => ({
      epoch: 574 + Math.floor((index + 4) / 5),
      ...blocks(12_230_000, 4_320)(index),
      fromSlotNumber: 162_650_000 + index * 86_400,
      toSlotNumber: 162_650_000 + (index + 1) * 86_400 - 1,
    }),
    validator: (random, place) => {
      const poolId = idOf('cardano', place, poolIdOfHash(hexDigits(random, 56)));
      return {
        poolId,
        poolHashId: place === 3 ? null : hashOfPoolId(poolId),
        poolName: nameOf(place),
        poolTicker: place === 4 ? null : `SMPL${place}`,
        poolOwnerStakeAddresses: Array.from({ length: place % 3 }, () => bech32(random, 'stake', 53)),
        poolFee: rateOf(random, 4),
        poolFlatFee: chance(random, 0.5) ? '170.000000' : '340.000000',
      };
    },
    daily: none,
    whole: (index) => ({
      avgPoolFee: `0.031${4_000 + index}`,
      avgPoolFlatFee: `221.${410_000 + index}`,
      totalActivePools: 2_890 - (index % 11),
    }),
  },
  celestia: {
    ...cosmos('celestia', 'celestia'),
    amounts: { totalDelegationRewards: 3_900, totalCommissionRewards: 410 },
  },
  polkadot: {
    places: 10,
    amounts: { totalStake: 2_400_000, totalValidatorRewards: 70, totalNominatorRewards: 410 },
    times: 110,
    periods: (index) => ({ era: 1_890 + index }),
    validator: (random, place) => ({
      validator: idOf('polkadot', place, `1${base58(random)}`),
      commissionRate: rateOf(random, 9),
    }),
    daily: (random) => ({ eraPoints: whole(random, 300, 1_400) * 20 }),
    whole: (index) => ({
      totalActiveValidators: 600,
      avgCommissionRate: `0.1${400_000 + index}`,
    }),
  },
  polygon: {
    places: 18,
    amounts: { totalStake: 98_000_000, totalValidatorRewards: 2_100, totalDelegatorRewards: 9_300 },
    times: 7,
    periods: (index) => ({ fromCheckpoint: 78_400 + index * 48, toCheckpoint: 78_400 + index * 48 + 47 }),
    validator: (random, place) => ({
      validatorId: Number(definitions.polygon.exampleId) + place * 11,
      validatorName: nameOf(place),
      commissionRate: rateOf(random, 2),
    }),
    daily: none,
    whole: (index) => ({ totalActiveValidators: 105 - (index % 2) }),
  },
  solana: {
    places: 9,
    amounts: {
      totalVotingRewards: 31,
      totalProposalRewards: 12,
      totalMevRewards: 4,
      totalDelegatorRewards: 620,
    },
    times: 80,
    periods: (index) => ({ epoch: 828 + Math.floor(index / 2) }),
    validator: (_random, place) => {
      // those that stake authorities delegate to
      const known = solanaValidators(1)[place];
      return {
        voteAccount: known?.voteAccount,
        validatorName: known?.name ?? null,
        voteCommissionRate: `0.${String(Number(known?.voteCommission) / 10 ** 10).padStart(2, '0')}`,
        mevCommissionRate:
          place === 3 ? null : `0.${String(Number(known?.mevCommission) / 10 ** 10).padStart(2, '0')}`,
      };
    },
    daily: none,
    whole: (index) => ({ activeValidatorCount: 987 - (index % 9) }),
  },
};
