import { blocksOf } from './blocks.ts';
import { type Network, networks } from './chain.ts';
import { chainBalancesOf, consolidationsOf } from './consolidations.ts';
import { dailyRewardsOf } from './daily-rewards.ts';
import { addresses, namedOperators, type SampleOperator, summaries } from './operators.ts';
import { slashingsOf } from './slashings.ts';
import { syncCommitteeRewardsOf } from './sync-committee.ts';
import { validatorsOf } from './validators.ts';

type Make<Args extends unknown[], Row> = (network: Network, ...args: Args) => Iterable<Row>;

const each = <Args extends unknown[], Row>(make: Make<Args, Row>) =>
  function* (...args: Args): Generator<Row> {
    for (const network of networks) yield* make(network, ...args);
  };

function* operatorsOf(network: Network, seed = 1): Generator<SampleOperator> {
  const operators = [...namedOperators(network, seed), ...addresses(network, seed)];
  for (const operator of operators) yield* summaries(operator, seed);
}

export const sampleOperators = each(operatorsOf);
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
