import { between, chance, pick, type Random, stream, whole } from './random.ts';
import { base58, shareOf } from './solana-decimals.ts';

/** A validator: its commissions and its effectiveness are shares in units of 12 places. */
export type SampleSolanaValidator = {
  voteAccount: string;
  name: string | null;
  voteCommission: bigint;
  mevCommission: bigint;
  effectiveness: bigint;
};

const SOLANA_VALIDATORS = 400;

const first = ['Amber', 'Bold', 'Calm', 'Dusk', 'Eager', 'Fair', 'Gilded', 'Hazel', 'Ivory', 'Jade'];
const second = [
  'Summit',
  'Ridge',
  'Harbour',
  'Meadow',
  'Glacier',
  'Orchard',
  'Canyon',
  'Island',
  'Ποταμός',
  '島',
];

/** The validators, the same in every window; about one in eight has no name. */
export function solanaValidators(seed: number): SampleSolanaValidator[] {
  const random = stream(seed, 'solana', 'validators');
  return Array.from({ length: SOLANA_VALIDATORS }, (_, index) => ({
    voteAccount: base58(random),
    name: chance(random, 0.12)
      ? null
      : `Sample Validator ${first[index % 10]} ${second[Math.floor(index / 10) % 10]} ${1 + Math.floor(index / 100)}`,
    voteCommission: BigInt(pick(random, [0, 0, 3, 5, 5, 7, 8, 10])) * 10n ** 10n,
    mevCommission: BigInt(pick(random, [0, 0, 5, 8, 8, 10])) * 10n ** 10n,
    effectiveness: shareOf(0.93, 0.9995, random),
  }));
}

/** How many validators an authority spreads its stake over: a pool over many, most others over one. */
const spread = (random: Random, pool: boolean): number => {
  if (pool) return whole(random, 12, 90);
  return chance(random, 0.7) ? 1 : whole(random, 2, 6);
};

/** A validator and the share of an authority's stake with it, in units of 12 places. */
export type Part = { validator: SampleSolanaValidator; share: bigint };

/** Where an authority's stake lies, largest share first: the shares add up to one exactly. */
export function partsOf(random: Random, validators: readonly SampleSolanaValidator[], pool: boolean): Part[] {
  const size = spread(random, pool);
  const start = whole(random, 0, validators.length - 1);
  const weights = Array.from({ length: size }, () => BigInt(Math.floor(between(random, 1e6, 9e6))));
  const sum = weights.reduce((all, weight) => all + weight, 0n);
  const shares = weights.map((weight) => (weight * 10n ** 12n) / sum).sort((a, b) => (a < b ? 1 : -1));
  const rest = 10n ** 12n - shares.reduce((all, share) => all + share, 0n);
  return shares.map((share, index) => ({
    // 7 and the number of validators have no common factor: none comes twice
    validator: validators[(start + index * 7) % validators.length] as SampleSolanaValidator,
    share: index === 0 ? share + rest : share,
  }));
}
