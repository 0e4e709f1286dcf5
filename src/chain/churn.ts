import type { Ends } from '../kernel/page.ts';
import { forkEpochs, type Network, networks } from './networks.ts';

/** Gwei per epoch since Electra (EIP-7251; `specs/electra/beacon-chain.md` of the consensus specs). */
const MIN_PER_EPOCH_CHURN_LIMIT_ELECTRA = 128_000_000_000n;
export const MAX_PER_EPOCH_ACTIVATION_EXIT_CHURN_LIMIT = 256_000_000_000n;
export const CHURN_LIMIT_QUOTIENT = 65_536n;
export const EFFECTIVE_BALANCE_INCREMENT = 1_000_000_000n;

export const MAX_EFFECTIVE_BALANCE_ELECTRA = 2_048_000_000_000n;

const epochsOfFork = <Fork extends 'electra' | 'gloas'>(fork: Fork) =>
  Object.fromEntries(networks.map((network) => [network, forkEpochs[network][fork]])) as Record<
    Network,
    (typeof forkEpochs)[Network][Fork]
  >;

export const electraEpoch = epochsOfFork('electra');

/** Set for the networks whose fork this release knows; for others, an index stores it (`network_forks`). */
export const gloasEpoch = epochsOfFork('gloas');

const presets = {
  least: MIN_PER_EPOCH_CHURN_LIMIT_ELECTRA,
  most: MAX_PER_EPOCH_ACTIVATION_EXIT_CHURN_LIMIT,
  quotient: CHURN_LIMIT_QUOTIENT,
  increment: EFFECTIVE_BALANCE_INCREMENT,
};
type Presets = typeof presets;

/** Returns whole ETH in Gwei; at least 128 ETH. */
export function getBalanceChurnLimit(
  totalActiveBalance: bigint,
  { least, quotient, increment }: Presets = presets,
): bigint {
  const share = totalActiveBalance / quotient;
  const churn = share > least ? share : least;
  return churn - (churn % increment);
}

export function getActivationExitChurnLimit(totalActiveBalance: bigint, of: Presets = presets): bigint {
  const limit = getBalanceChurnLimit(totalActiveBalance, of);
  return limit < of.most ? limit : of.most;
}

/** Until Gloas. Returns 0 below 16,842,752 ETH of active balance. */
export const getConsolidationChurnLimit = (totalActiveBalance: bigint): bigint =>
  getBalanceChurnLimit(totalActiveBalance) - getActivationExitChurnLimit(totalActiveBalance);

export const CONSOLIDATION_CHURN_LIMIT_QUOTIENT = 65_536n;

/** Since Gloas (EIP-8061), without a least or a largest limit. */
export const getConsolidationChurnLimitGloas = (totalActiveBalance: bigint): bigint => {
  const share = totalActiveBalance / CONSOLIDATION_CHURN_LIMIT_QUOTIENT;
  return share - (share % EFFECTIVE_BALANCE_INCREMENT);
};

/** The limit is that of the fork of the epoch that ends. `gloas` is Infinity if it is not scheduled. */
export const consolidationLimitAt = (totalActiveBalance: bigint, epoch: number, gloas: number): bigint =>
  (epoch < gloas ? getConsolidationChurnLimit : getConsolidationChurnLimitGloas)(totalActiveBalance);

/** Sums the limits of the epochs, which must not begin before Electra. */
export const churnCapacity = (totalActiveBalance: bigint, { first, last }: Ends, gloas: number): bigint =>
  getConsolidationChurnLimit(totalActiveBalance) *
    BigInt(epochCount({ first, last: Math.min(last, gloas - 1) })) +
  getConsolidationChurnLimitGloas(totalActiveBalance) *
    BigInt(epochCount({ first: Math.max(first, gloas), last }));

export const electraEpochs = (network: Network, latest: number, epochs: number | null): Ends => ({
  first: Math.max(electraEpoch[network], epochs === null ? 0 : latest - epochs + 1),
  last: latest,
});

export const epochCount = ({ first, last }: Ends): number => Math.max(0, last - first + 1);
