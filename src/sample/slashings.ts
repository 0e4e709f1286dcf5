import { EPOCHS_PER_DAY } from '../chain/calendar.ts';
import { electraEpoch } from '../chain/churn.ts';
import type { Slashing } from '../resources/slashings/record.ts';
import { lastIndex, type Network, type Sample } from './chain.ts';
import { chance, publicKey, type Random, stream, whole } from './random.ts';

export type SampleSlashing = Slashing & { network: Network };

const WITHDRAWABLE_AFTER = 8_192;
const GWEI = 1_000_000_000;
const counts: Record<Network, number> = { mainnet: 400, hoodi: 20, holesky: 30 };

/** Most slashings come in incidents: one operator runs the same keys twice. */
function* epochsOf(random: Random, head: number): Generator<number> {
  for (let at = 0; at < 6; at++) yield head - 9 * EPOCHS_PER_DAY - 40 - at * 3;
  yield head - 17 * EPOCHS_PER_DAY - 83;
  yield head - 131; // while it sits in the sync committee
  for (let at = 0; at < 12; at++) yield Math.floor(head * 0.47);
  for (;;) {
    const first = whole(random, 400, head - 40 * EPOCHS_PER_DAY);
    const size = chance(random, 0.7) ? 1 : whole(random, 2, 7);
    for (let at = 0; at < size; at++) yield first + at * whole(random, 1, 4);
  }
}

export function slashingsOf({ seed, head }: Sample, network: Network): SampleSlashing[] {
  const random = stream(seed, network, 'slashings');
  const epochs = epochsOf(stream(seed, network, 'slashing epochs'), head[network]);
  const rows = Array.from({ length: counts[network] }, (_, index): SampleSlashing => {
    const slashingEpoch = epochs.next().value as number;
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
