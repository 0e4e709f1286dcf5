import { chainDayOfEpoch } from '../chain/calendar.ts';
import { activeEth, headEpoch, type Network } from './chain.ts';
import { between, stream } from './random.ts';

const MAX_DAYS = 730;

/** Priority fees in ETH a day. */
const feesOf: Record<Network, number> = { mainnet: 270, hoodi: 4, holesky: 2 };

const gwei = (eth: number): bigint => BigInt(Math.round(eth * 1e9));

export function* dailyRewardsOf(network: Network, seed = 1) {
  const random = stream(seed, network, 'dailyRewards');
  const end = chainDayOfEpoch(headEpoch[network]);
  for (let day = Math.max(0, end - MAX_DAYS); day < end; day++) {
    const staked = Math.round(activeEth[network] * (1 - (0.2 * (end - day)) / MAX_DAYS));
    const fees = gwei(feesOf[network] * between(random, 0.5, 2));
    const mev = gwei(feesOf[network] * between(random, 0.2, 1.2));
    yield {
      network,
      day,
      // Issuance in ETH a year: 166 × √(staked ETH).
      sumConsensusRewards: gwei((166 * Math.sqrt(staked) * between(random, 0.98, 1)) / 365.25).toString(),
      sumExecutionRewards: (fees + mev).toString(),
      sumPriorityFees: fees.toString(),
      sumBaselineMev: mev.toString(),
      sumEffectiveBalance: `${staked}000000000`,
    };
  }
}
