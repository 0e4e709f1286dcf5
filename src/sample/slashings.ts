import { electraEpoch } from '../chain/churn.ts';
import type { Slashing } from '../resources/slashings/record.ts';
import { headEpoch, lastIndex, type Network } from './chain.ts';
import { chance, publicKey, type Random, stream, whole } from './random.ts';

export type SampleSlashing = Slashing & { network: Network };

const WITHDRAWABLE_AFTER = 8_192;
const GWEI = 1_000_000_000;
const counts: Record<Network, number> = { mainnet: 400, hoodi: 20, holesky: 30 };

function epochOf(random: Random, head: number, index: number): number {
  if (index < 8) return head - 9 - index * 30;
  if (index < 20) return Math.floor(head * 0.47);
  if (index < 24) return Math.floor(head * 0.3) + index * 2;
  return whole(random, 400, head - 500);
}

export function slashingsOf(network: Network, seed = 1): SampleSlashing[] {
  const random = stream(seed, network, 'slashings');
  const rows = Array.from({ length: counts[network] }, (_, index): SampleSlashing => {
    const slashingEpoch = epochOf(random, headEpoch[network], index);
    const isLarge = slashingEpoch >= electraEpoch[network] && chance(random, 0.3);
    const before = (isLarge ? 2048 : 32) * GWEI + whole(random, 1, 19_000_000);
    const penalty =
      Math.floor(before / (slashingEpoch < electraEpoch[network] ? 32 : 4096)) + whole(random, 1, GWEI / 10);
    return {
      validatorIndex: Math.floor((lastIndex[network] * (index + random())) / counts[network]),
      validatorPubkey: publicKey(random),
      slashingEpoch,
      withdrawableEpoch:
        slashingEpoch + WITHDRAWABLE_AFTER + (index % 12 === 5 ? whole(random, 60, 5_400) : 0),
      balanceBeforeSlashing: String(before),
      balanceBeforeWithdrawal: String(before - penalty),
      slashingPenalties: String(penalty),
      network,
    };
  });
  return rows.sort((a, b) => a.slashingEpoch - b.slashingEpoch || a.validatorIndex - b.validatorIndex);
}
