import { networks } from '../chain/networks.ts';
import { addresses } from './addresses.ts';
import { blocksOf, type SampleBlock } from './blocks.ts';
import { chainBalancesOf, consolidationsOf, type SampleConsolidation } from './consolidations.ts';
import { dailyRewardsOf, type SampleDailyReward } from './daily-rewards.ts';
import { type SampleOperator, summaries } from './entity.ts';
import { families } from './families.ts';
import { type SampleSlashing, slashingsOf } from './slashings.ts';
import { type SampleSyncCommitteeReward, syncCommitteeRewardsOf } from './sync-committee.ts';
import { type SampleValidator, validatorsOf } from './validators.ts';

export type { SampleOperator, SampleSlashing };

const SEED = 1;

/** The operator summaries of the sample data; the same seed gives the same rows. */
export function* sampleOperators(seed: number = SEED): Generator<SampleOperator> {
  for (const network of networks) {
    for (const entity of families(network, seed)) yield* summaries(entity, seed);
    for (const entity of addresses(network, seed)) yield* summaries(entity, seed);
  }
}

/** The slashings of the sample data, of each network in order; the same seed gives the same rows. */
export function* sampleSlashings(seed: number = SEED): Generator<SampleSlashing> {
  for (const network of networks) yield* slashingsOf(network, seed);
}

/** The validators of the sample data, of each network in order; the same seed gives the same rows. */
export function* sampleValidators(seed: number = SEED): Generator<SampleValidator> {
  for (const network of networks) yield* validatorsOf(network, seed);
}

/** The sync committee rewards of the sample data, of committees of these validators. */
export function* sampleSyncCommitteeRewards(
  validators: readonly SampleValidator[],
  seed: number = SEED,
): Generator<SampleSyncCommitteeReward> {
  for (const network of networks) {
    const own = validators.filter((row) => row.network === network);
    yield* syncCommitteeRewardsOf(network, own, seed);
  }
}

/** The blocks of the sample data, proposed by these validators. */
export function* sampleBlocks(
  validators: readonly SampleValidator[],
  seed: number = SEED,
): Generator<SampleBlock> {
  for (const network of networks) {
    const own = validators.filter((row) => row.network === network);
    yield* blocksOf(network, own, seed);
  }
}

/** The daily rewards of the sample data, of each network in order; the same seed gives the same rows. */
export function* sampleDailyRewards(seed: number = SEED): Generator<SampleDailyReward> {
  for (const network of networks) yield* dailyRewardsOf(network, seed);
}

export { sampleNetworkRewards } from './network-rewards.ts';

/** The consolidations of the sample data, between these validators. */
export function* sampleConsolidations(
  validators: readonly SampleValidator[],
  seed: number = SEED,
): Generator<SampleConsolidation> {
  for (const network of networks) {
    const own = validators.filter((row) => row.network === network);
    yield* consolidationsOf(network, own, seed);
  }
}

/** The active balances of the sample data; the same whatever the seed. */
export const sampleChainBalances = () => networks.flatMap(chainBalancesOf);

export { sampleSolanaOverviews, sampleStakeAuthorities } from './solana.ts';
