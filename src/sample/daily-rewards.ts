import { chainDayOfEpoch } from '../chain/calendar.ts';
import type { Network } from '../chain/networks.ts';
import type { ChainDailyReward } from '../resources/chain-daily-rewards/record.ts';
import { activeEth, headEpoch } from './chain.ts';
import { between, chance, noise, stream } from './random.ts';

/** The rewards of a day of the sample data; date, epochs and times follow from the day. */
export type SampleDailyReward = Pick<
  ChainDailyReward,
  | 'day'
  | 'sumConsensusRewards'
  | 'sumExecutionRewards'
  | 'sumPriorityFees'
  | 'sumBaselineMev'
  | 'sumEffectiveBalance'
> & { network: Network };

/** How many days before the head there are at the most: two years. */
const DAYS = 730;

/** ETH of priority fees on a usual day. */
const feesOf: Record<Network, number> = { mainnet: 270, hoodi: 4, holesky: 2 };

/** A share of a whole of Gwei, to the Gwei. */
const part = (whole: bigint, share: number): bigint =>
  (whole * BigInt(Math.round(share * 1e9))) / 1_000_000_000n;
const ether = (amount: number): bigint => BigInt(Math.round(amount * 1e9));

/** The whole days of a network before the head, in order. */
export function* dailyRewardsOf(network: Network, seed: number): Generator<SampleDailyReward> {
  const end = chainDayOfEpoch(headEpoch[network]);
  const first = Math.max(0, end - DAYS);
  for (let day = first; day < end; day++) {
    const random = stream(seed, network, 'dailyRewards', day);
    // the stake has grown by a fifth over the time
    const growth = 1 - 0.2 * ((end - day) / DAYS);
    const sumEffectiveBalance =
      BigInt(Math.round(activeEth[network] * growth * (1 + noise(random) * 0.0005))) * 1_000_000_000n;
    // issuance falls with the root of the stake: 166 ETH a year for each root of an ETH staked
    const stakedEth = Number(sumEffectiveBalance / 1_000_000_000n);
    const uptime = network === 'mainnet' ? between(random, 0.985, 0.997) : between(random, 0.6, 0.9);
    const yearly = 166 * Math.sqrt(stakedEth) * uptime;
    const busy = Math.exp(noise(random) * 0.35) * (chance(random, 0.02) ? between(random, 2, 6) : 1);
    const fees = ether(feesOf[network] * busy);
    const mev = part(fees, between(random, 0.25, 0.9));
    yield {
      network,
      day,
      sumConsensusRewards: ether(yearly / 365.25).toString(),
      sumExecutionRewards: (fees + mev).toString(),
      sumPriorityFees: fees.toString(),
      sumBaselineMev: mev.toString(),
      sumEffectiveBalance: sumEffectiveBalance.toString(),
    };
  }
}
