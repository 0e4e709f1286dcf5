import type { EpochRange } from './calendar.ts';
import type { Network } from './networks.ts';

/**
 * How much balance may be consolidated in an epoch since Electra (EIP-7251, "Increase the MAX_EFFECTIVE_BALANCE"). The
 * rule is that of the consensus specs, `specs/electra/beacon-chain.md`: `get_balance_churn_limit`,
 * `get_activation_exit_churn_limit` and `get_consolidation_churn_limit`. All amounts are Gwei.
 */
const MIN_PER_EPOCH_CHURN_LIMIT_ELECTRA = 128_000_000_000n;
const MAX_PER_EPOCH_ACTIVATION_EXIT_CHURN_LIMIT = 256_000_000_000n;
const CHURN_LIMIT_QUOTIENT = 65_536n;
const EFFECTIVE_BALANCE_INCREMENT = 1_000_000_000n;

/** The largest effective balance of a validator since Electra, in Gwei: no consolidation moves more. */
export const MAX_EFFECTIVE_BALANCE_ELECTRA = 2_048_000_000_000n;

/** The first epoch of Electra, before which nothing could be consolidated. */
export const electraEpoch: Record<Network, number> = { mainnet: 364_032, hoodi: 2_048, holesky: 115_968 };

/** Gwei that may enter, leave and move in an epoch together: a whole number of ETH, at least 128. */
export function balanceChurnLimit(totalActiveBalance: bigint): bigint {
  const share = totalActiveBalance / CHURN_LIMIT_QUOTIENT;
  const churn = share > MIN_PER_EPOCH_CHURN_LIMIT_ELECTRA ? share : MIN_PER_EPOCH_CHURN_LIMIT_ELECTRA;
  return churn - (churn % EFFECTIVE_BALANCE_INCREMENT);
}

/** Gwei of it that activations and exits may take: at most 256 ETH. */
export function activationExitChurnLimit(totalActiveBalance: bigint): bigint {
  const limit = balanceChurnLimit(totalActiveBalance);
  return limit < MAX_PER_EPOCH_ACTIVATION_EXIT_CHURN_LIMIT
    ? limit
    : MAX_PER_EPOCH_ACTIVATION_EXIT_CHURN_LIMIT;
}

/** Gwei that may be consolidated in an epoch: what activations and exits leave, 0 below 16,842,752 ETH. */
export const consolidationChurnLimit = (totalActiveBalance: bigint): bigint =>
  balanceChurnLimit(totalActiveBalance) - activationExitChurnLimit(totalActiveBalance);

/** The epochs of Electra among the last so many up to `latest`; all for null; `last` is below `first` for none. */
export const electraEpochs = (network: Network, latest: number, epochs: number | null): EpochRange => ({
  first: Math.max(electraEpoch[network], epochs === null ? 0 : latest - epochs + 1),
  last: latest,
});

/** How many epochs a range has. */
export const epochCount = ({ first, last }: EpochRange): number => Math.max(0, last - first + 1);
