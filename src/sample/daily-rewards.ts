import { chainDayOfEpoch } from '../chain/calendar.ts';
import type { Network } from '../chain/networks.ts';
import { activeEth, headEpoch } from './chain.ts';
import { between, stream } from './random.ts';

const MAX_DAYS = 730;

/** ETH of priority fees on a usual day. */
const feesOf: Record<Network, number> = { mainnet: 270, hoodi: 4, holesky: 2 };

const gwei = (eth: number): bigint => BigInt(Math.round(eth * 1e9));

/** The last whole days of a network before the head, in order; dates, epochs and times follow from the day. */
export function* dailyRewardsOf(network: Network, seed: number) {
  const random = stream(seed, network, 'dailyRewards');
  const end = chainDayOfEpoch(headEpoch[network]);
  for (let day = Math.max(0, end - MAX_DAYS); day < end; day++) {
    // The stake has grown by a fifth in the time.
    const staked = Math.round(activeEth[network] * (1 - (0.2 * (end - day)) / MAX_DAYS));
    const fees = gwei(feesOf[network] * between(random, 0.5, 2));
    const mev = gwei(feesOf[network] * between(random, 0.2, 1.2));
    yield {
      network,
      day,
      // Issuance falls with the root of the stake: 166 ETH a year for each root of a staked ETH.
      sumConsensusRewards: gwei((166 * Math.sqrt(staked) * between(random, 0.98, 1)) / 365.25).toString(),
      sumExecutionRewards: (fees + mev).toString(),
      sumPriorityFees: fees.toString(),
      sumBaselineMev: mev.toString(),
      sumEffectiveBalance: `${staked}000000000`,
    };
  }
}
