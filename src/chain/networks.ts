import { z } from 'zod';

/** Values of `X-Service-Network` (spec §4.1). */
export const networks = ['mainnet', 'hoodi', 'holesky'] as const;
export const Network = z.enum(networks);
export type Network = z.infer<typeof Network>;

/** Unix seconds. */
export const genesisTime: Record<Network, number> = {
  mainnet: Date.UTC(2020, 11, 1, 12, 0, 23) / 1000,
  holesky: Date.UTC(2023, 8, 28, 12, 0, 0) / 1000,
  hoodi: Date.UTC(2025, 2, 17, 12, 10, 0) / 1000,
};
