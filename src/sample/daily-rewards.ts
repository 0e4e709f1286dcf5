import { chainDayOfEpoch } from '../chain/calendar.ts';
import type { Network, Sample } from './chain.ts';
import { figuresOfHalf, sumOf } from './model.ts';
import { wholeNetwork } from './operators.ts';

const MAX_DAYS = 730;

export function* dailyRewardsOf(sample: Sample, network: Network) {
  const entity = wholeNetwork(sample, network);
  const end = chainDayOfEpoch(sample.head[network]);
  for (let day = Math.max(0, end - MAX_DAYS); day < end; day++) {
    const of = sumOf([0, 1].map((half) => figuresOfHalf(sample, entity, 2 * day + half)));
    yield {
      network,
      day,
      sumConsensusRewards: String(of.attestationRewards + of.syncRewards + of.proposerRewards),
      sumExecutionRewards: String(of.priorityFees + of.mev),
      sumPriorityFees: String(of.priorityFees),
      sumBaselineMev: String(of.mev),
      sumEffectiveBalance: `${of.eth}000000000`,
    };
  }
}
