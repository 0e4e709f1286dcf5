import { firstEpochFrom } from '../chain/calendar.ts';
import { electraEpoch } from '../chain/churn.ts';
import { type Network, networks } from '../chain/networks.ts';

/** The moment the sample data is of; holesky stays at the end of its support. */
const asOf: Record<Network, number> = {
  mainnet: Date.UTC(2025, 10, 1) / 1000,
  hoodi: Date.UTC(2025, 10, 1) / 1000,
  holesky: Date.UTC(2025, 2, 31) / 1000,
};

const perNetwork = <T>(make: (network: Network) => T): Record<Network, T> =>
  Object.fromEntries(networks.map((network) => [network, make(network)])) as Record<Network, T>;

/** The epoch that the sample data is of. */
export const headEpoch: Record<Network, number> = perNetwork((network) =>
  firstEpochFrom(network, asOf[network]),
);

/** ETH of active effective balance of each network. */
export const activeEth: Record<Network, number> = {
  mainnet: 35_600_000,
  hoodi: 20_800_000,
  holesky: 12_200_000,
};

/** How many validators a network began with, and the highest index it has reached. */
export const validatorIndices: Record<Network, { genesis: number; head: number }> = {
  mainnet: { genesis: 21_063, head: 2_080_000 },
  hoodi: { genesis: 640_000, head: 702_000 },
  holesky: { genesis: 350_000, head: 428_000 },
};

/** Epochs of the upgrades that changed what a slashing costs or how a balance grows. */
export const upgrades: Record<
  Network,
  { altair: number; bellatrix: number; capella: number; electra: number }
> = {
  mainnet: { altair: 74_240, bellatrix: 144_896, capella: 194_048, electra: electraEpoch.mainnet },
  hoodi: { altair: 0, bellatrix: 0, capella: 0, electra: electraEpoch.hoodi },
  holesky: { altair: 0, bellatrix: 0, capella: 256, electra: electraEpoch.holesky },
};
