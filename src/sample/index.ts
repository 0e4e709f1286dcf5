import { type Network, networks } from '../chain/networks.ts';
import { blocksOf } from './blocks.ts';
import { chainBalancesOf, consolidationsOf } from './consolidations.ts';
import { dailyRewardsOf } from './daily-rewards.ts';
import { addresses, namedOperators, type SampleOperator, summaries } from './operators.ts';
import { slashingsOf } from './slashings.ts';
import { syncCommitteeRewardsOf } from './sync-committee.ts';
import { type SampleValidator, validatorsOf } from './validators.ts';

// The same seed gives the same rows.

const SEED = 1;

type Make<Row> = (network: Network, seed: number) => Iterable<Row>;
type MakeOf<Row> = (network: Network, validators: SampleValidator[], seed: number) => Iterable<Row>;

const each = <Row>(make: Make<Row>) =>
  function* (seed = SEED): Generator<Row> {
    for (const network of networks) yield* make(network, seed);
  };

const eachOf = <Row>(make: MakeOf<Row>) =>
  function* (validators: readonly SampleValidator[], seed = SEED): Generator<Row> {
    for (const network of networks) {
      const own = validators.filter((row) => row.network === network);
      yield* make(network, own, seed);
    }
  };

function* operatorsOf(network: Network, seed: number): Generator<SampleOperator> {
  const operators = [...namedOperators(network, seed), ...addresses(network, seed)];
  for (const operator of operators) yield* summaries(operator, seed);
}

export const sampleOperators = each(operatorsOf);
export const sampleSlashings = each(slashingsOf);
export const sampleValidators = each(validatorsOf);
export const sampleDailyRewards = each(dailyRewardsOf);
export const sampleChainBalances = each(chainBalancesOf);
export const sampleSyncCommitteeRewards = eachOf(syncCommitteeRewardsOf);
export const sampleBlocks = eachOf(blocksOf);
export const sampleConsolidations = eachOf(consolidationsOf);
export { sampleNetworkRewards } from './network-rewards.ts';
export { sampleSolanaOverviews, sampleStakeAuthorities } from './solana.ts';
export type { SampleOperator };
