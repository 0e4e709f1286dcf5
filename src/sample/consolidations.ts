import { EPOCHS_PER_DAY } from '../chain/calendar.ts';
import { electraEpoch } from '../chain/churn.ts';
import type { Network, Sample } from './chain.ts';
import { halfOf, networkEth } from './model.ts';
import { chance, pick, stream, whole } from './random.ts';
import type { SampleValidator } from './validators.ts';

/** Epochs from a source's exit until it is withdrawable. */
const WITHDRAWABLE_AFTER = 256;

export function consolidationsOf({ seed }: Sample, network: Network, all: readonly SampleValidator[]) {
  const validators = all.filter((row) => row.network === network);
  const random = stream(seed, network, 'consolidations');
  const active = validators.filter((row) => row.activationEpoch !== null && row.exitEpoch === null);
  const byDepositor = new Map(active.map((row) => [row.depositAddress, row]));
  const rows = validators
    .filter(
      (row) =>
        network !== 'holesky' &&
        !row.slashed &&
        row.exitEpoch !== null &&
        row.exitEpoch > electraEpoch[network],
    )
    .map((row) => {
      const target = (!chance(random, 0.1) && byDepositor.get(row.depositAddress)) || pick(random, active);
      const gathered = chance(random, 0.06) ? whole(random, 33, 640) : 32;
      return {
        network,
        epoch: Number(row.exitEpoch) + WITHDRAWABLE_AFTER + whole(random, 0, 2),
        sourceValidatorIndex: row.validatorIndex,
        sourceValidatorPubkey: row.validatorPubkey,
        targetValidatorIndex: target.validatorIndex,
        targetValidatorPubkey: target.validatorPubkey,
        consolidatedBalance: String(
          gathered * 1e9 - (chance(random, 0.2) ? whole(random, 1, 900_000_001) : 0),
        ),
      };
    });
  return rows.sort((a, b) => a.epoch - b.epoch || a.sourceValidatorIndex - b.sourceValidatorIndex);
}

export function chainBalancesOf(sample: Sample, network: Network) {
  const head = sample.head[network];
  const count = Math.floor((head - electraEpoch[network]) / EPOCHS_PER_DAY) + 1;
  return Array.from({ length: count }, (_, index) => {
    const before = (count - 1 - index) * EPOCHS_PER_DAY;
    const epoch = head - before;
    const eth = networkEth(sample, network, halfOf(epoch) - 1);
    return { network, epoch, totalActiveBalance: `${eth}000000000` };
  });
}
