import { z } from 'zod';

/** Values of `X-Service-Network`: those of spec §4.1, and sepolia. */
export const networks = ['mainnet', 'hoodi', 'holesky', 'sepolia'] as const;
export const Network = z.enum(networks);
export type Network = z.infer<typeof Network>;

/** Unix seconds. */
export const genesisTime: Record<Network, number> = {
  mainnet: Date.UTC(2020, 11, 1, 12, 0, 23) / 1000,
  holesky: Date.UTC(2023, 8, 28, 12, 0, 0) / 1000,
  hoodi: Date.UTC(2025, 2, 17, 12, 10, 0) / 1000,
  sepolia: Date.UTC(2022, 5, 20, 14, 0, 0) / 1000,
};

/** In lower case. */
export const depositContract: Record<Network, string> = {
  mainnet: '0x00000000219ab540356cbb839cbe05303d7705fa',
  hoodi: '0x00000000219ab540356cbb839cbe05303d7705fa',
  holesky: '0x4242424242424242424242424242424242424242',
  sepolia: '0x7f02c3e3c98b133055b8b348b2ac625669ed295d',
};
