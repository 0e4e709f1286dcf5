import { firstEpochFrom } from '../chain/calendar.ts';

/** Of the sample data. */
export const networks = ['mainnet', 'hoodi', 'holesky'] as const;
export type Network = (typeof networks)[number];

const epochAt = (network: Network, year: number, month: number, day: number) =>
  firstEpochFrom(network, Date.UTC(year, month - 1, day) / 1000);

/** The first epoch after the sample; for Holesky, the epoch at which its support ends. */
export const headEpoch: Record<Network, number> = {
  mainnet: epochAt('mainnet', 2025, 11, 1),
  hoodi: epochAt('hoodi', 2025, 11, 1),
  holesky: epochAt('holesky', 2025, 3, 31),
};

export const activeEth: Record<Network, number> = {
  mainnet: 35_600_000,
  hoodi: 20_800_000,
  holesky: 12_200_000,
};

export const lastIndex: Record<Network, number> = { mainnet: 2_080_000, hoodi: 702_000, holesky: 428_000 };
