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

/** In lower case. Tells a network from chains that only have its genesis time. */
export const genesisValidatorsRoot: Record<Network, string> = {
  mainnet: '0x4b363db94e286120d76eb905340fdd4e54bfe9f06bf33ff6cf5ad27f511bfe95',
  hoodi: '0x212f13fc4df078b6cb7db228f1c8307566dcecf900867401a92023d7ba99cb5f',
  holesky: '0x9143aa7c615a7f7115e2b6aac319c03529df8242ae705fba9df39b79c59fa8b1',
  sepolia: '0xd8ea171f3c94aea21ebc42a1ed61052acf3f9209c00e4efbaaddac09ed9b8078',
};

type ForkEpochs = Readonly<
  Record<'altair' | 'bellatrix' | 'capella' | 'deneb' | 'electra' | 'fulu', number> & { gloas?: number }
>;

/** Forks that were not scheduled when this version was released are left out. */
export const forkEpochs: Record<Network, ForkEpochs> = {
  mainnet: {
    ...{ altair: 74_240, bellatrix: 144_896, capella: 194_048, deneb: 269_568, electra: 364_032 },
    fulu: 411_392,
  },
  hoodi: { altair: 0, bellatrix: 0, capella: 0, deneb: 0, electra: 2_048, fulu: 50_688 },
  holesky: { altair: 0, bellatrix: 0, capella: 256, deneb: 29_696, electra: 115_968, fulu: 165_120 },
  sepolia: {
    ...{ altair: 50, bellatrix: 100, capella: 56_832, deneb: 132_608, electra: 222_464, fulu: 272_640 },
    gloas: 353_024,
  },
};
