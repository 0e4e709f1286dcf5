import { blocksOf } from './blocks.ts';
import { type Network, networks, type Sample } from './chain.ts';
import { chainBalancesOf, consolidationsOf } from './consolidations.ts';
import { dailyRewardsOf } from './daily-rewards.ts';
import { addresses, namedOperators, type Operator, type SampleOperator, summaries } from './operators.ts';
import { slashingsOf } from './slashings.ts';
import { syncCommitteeRewardsOf } from './sync-committee.ts';
import { validatorsOf } from './validators.ts';

type Make<Args extends unknown[], Row> = (sample: Sample, network: Network, ...args: Args) => Iterable<Row>;

const each = <Args extends unknown[], Row>(make: Make<Args, Row>) =>
  function* (sample: Sample, ...args: Args): Generator<Row> {
    for (const network of networks) yield* make(sample, network, ...args);
  };

export const operatorsOf = ({ seed }: Sample, network: Network): Operator[] => [
  ...namedOperators(network, seed),
  ...addresses(network, seed),
];

function* summariesOf(sample: Sample, network: Network): Generator<SampleOperator> {
  for (const operator of operatorsOf(sample, network)) yield* summaries(sample, operator);
}

export const sampleOperators = each(summariesOf);
export const sampleSlashings = each(slashingsOf);
export const sampleValidators = each(validatorsOf);
export const sampleDailyRewards = each(dailyRewardsOf);
export const sampleChainBalances = each(chainBalancesOf);
export const sampleSyncCommitteeRewards = each(syncCommitteeRewardsOf);
export const sampleBlocks = each(blocksOf);
export const sampleConsolidations = each(consolidationsOf);
export { sampleNetworkRewards } from './network-rewards.ts';
export { sampleSolanaOverviews, sampleStakeAuthorities } from './solana.ts';
export type { SampleOperator };
