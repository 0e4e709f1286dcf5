import { EPOCHS_PER_DAY } from '../chain/calendar.ts';
import { electraEpoch } from '../chain/churn.ts';
import type { Network } from '../chain/networks.ts';
import { activeEth, headEpoch } from './chain.ts';
import { chance, pick, stream, whole } from './random.ts';
import type { SampleValidator } from './validators.ts';

/** A consolidation of the sample data; what follows from the epoch is left out. */
export type SampleConsolidation = {
  network: Network;
  epoch: number;
  sourceValidatorIndex: number;
  sourceValidatorPubkey: string;
  targetValidatorIndex: number;
  targetValidatorPubkey: string;
  consolidatedBalance: string;
};

/** Epochs from the exit of a source until its balance moves: those until it could be withdrawn. */
const WITHDRAWABLE_AFTER = 256;

/** Where the sample has consolidations, and how many of the depositors there consolidate. */
const shares: Record<Network, number> = { mainnet: 0.24, hoodi: 0.3, holesky: 0 };

/**
 * The epoch at which a validator leaves to be consolidated, or undefined. A depositor merges its validators in one go,
 * some of them within the last day.
 */
export function mergeEpoch(
  network: Network,
  seed: number,
  depositAddress: string,
  validatorIndex: number,
): number | undefined {
  const own = stream(seed, network, 'consolidations', depositAddress);
  if (!chance(own, shares[network])) return undefined;
  const last = headEpoch[network] - WITHDRAWABLE_AFTER - 12;
  const first = electraEpoch[network] + 20;
  const start = chance(own, 0.08) ? whole(own, last - EPOCHS_PER_DAY, last) : whole(own, first, last);
  const validator = stream(seed, network, 'consolidations', validatorIndex);
  return chance(validator, 0.6) ? start + whole(validator, 0, 5) : undefined;
}

/** Effective balance of a source: most have 32 ETH or a little less, some had gathered more. */
function balanceOf(random: () => number): bigint {
  if (chance(random, 0.06)) return BigInt(whole(random, 33, 640)) * 1_000_000_000n;
  return chance(random, 0.8) ? 32_000_000_000n : 32_000_000_000n - BigInt(whole(random, 1, 900_000_001));
}

/** The consolidations of a network's validators, in order of epoch and of source. */
export function consolidationsOf(
  network: Network,
  validators: readonly SampleValidator[],
  seed: number,
): SampleConsolidation[] {
  const active = validators.filter((row) => row.activationEpoch !== null && row.exitEpoch === null);
  const byDepositor = new Map<string, SampleValidator[]>();
  for (const row of active) {
    const own = byDepositor.get(row.depositAddress);
    if (own) own.push(row);
    else byDepositor.set(row.depositAddress, [row]);
  }
  const rows = validators.flatMap((row): SampleConsolidation[] => {
    const { validatorIndex, depositAddress, exitEpoch } = row;
    if (exitEpoch === null || exitEpoch !== mergeEpoch(network, seed, depositAddress, validatorIndex))
      return [];
    const random = stream(seed, network, 'consolidated', validatorIndex);
    // Into the first that the depositor keeps; now and then into another's.
    const kept = byDepositor.get(depositAddress)?.[0];
    const target = kept && !chance(random, 0.1) ? kept : pick(random, active);
    return [
      {
        network,
        epoch: exitEpoch + WITHDRAWABLE_AFTER + whole(random, 0, 2),
        sourceValidatorIndex: validatorIndex,
        sourceValidatorPubkey: row.validatorPubkey,
        targetValidatorIndex: target.validatorIndex,
        targetValidatorPubkey: target.validatorPubkey,
        consolidatedBalance: balanceOf(random).toString(),
      },
    ];
  });
  return rows.sort((a, b) => a.epoch - b.epoch || a.sourceValidatorIndex - b.sourceValidatorIndex);
}

/** The active balance of a network at the start of each day since Electra, and at the head: slowly growing, whole ETH. */
export function chainBalancesOf(network: Network) {
  const head = headEpoch[network];
  const epochs: number[] = [];
  for (let epoch = head; epoch >= electraEpoch[network]; epoch -= EPOCHS_PER_DAY) epochs.unshift(epoch);
  return epochs.map((epoch) => {
    const eth = activeEth[network] - Math.floor((head - epoch) / 2) - (epoch % 97);
    return { network, epoch, totalActiveBalance: `${eth}000000000` };
  });
}
