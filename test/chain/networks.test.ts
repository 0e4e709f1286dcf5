import { describe, expect, it } from 'vitest';
import {
  depositContract,
  forkEpochs,
  genesisTime,
  genesisValidatorsRoot,
  type Network,
  networks,
} from '../../src/chain/networks.ts';

/** From `metadata/config.yaml` and the genesis of https://github.com/eth-clients/<network>; a sum is MIN_GENESIS_TIME + GENESIS_DELAY. */
const published = {
  mainnet: {
    genesis_time: 1_606_824_023,
    DEPOSIT_CONTRACT_ADDRESS: '0x00000000219ab540356cBB839Cbe05303d7705Fa',
    GENESIS_VALIDATORS_ROOT: '0x4b363db94e286120d76eb905340fdd4e54bfe9f06bf33ff6cf5ad27f511bfe95',
    forks: [74240, 144896, 194048, 269568, 364032, 411392],
  },
  hoodi: {
    genesis_time: 1_742_212_800 + 600,
    DEPOSIT_CONTRACT_ADDRESS: '0x00000000219ab540356cBB839Cbe05303d7705Fa',
    GENESIS_VALIDATORS_ROOT: '0x212f13fc4df078b6cb7db228f1c8307566dcecf900867401a92023d7ba99cb5f',
    forks: [0, 0, 0, 0, 2048, 50688],
  },
  holesky: {
    genesis_time: 1_695_902_100 + 300,
    DEPOSIT_CONTRACT_ADDRESS: '0x4242424242424242424242424242424242424242',
    GENESIS_VALIDATORS_ROOT: '0x9143aa7c615a7f7115e2b6aac319c03529df8242ae705fba9df39b79c59fa8b1',
    forks: [0, 0, 256, 29696, 115968, 165120],
  },
  sepolia: {
    genesis_time: 1_655_647_200 + 86_400,
    DEPOSIT_CONTRACT_ADDRESS: '0x7f02C3E3c98b133055B8B348B2Ac625669Ed295D',
    GENESIS_VALIDATORS_ROOT: '0xd8ea171f3c94aea21ebc42a1ed61052acf3f9209c00e4efbaaddac09ed9b8078',
    forks: [50, 100, 56832, 132608, 222464, 272640, 353024],
  },
} satisfies Record<Network, unknown>;

const names = ['altair', 'bellatrix', 'capella', 'deneb', 'electra', 'fulu', 'gloas'];

describe.each(networks)('the constants of %s', (network) => {
  const { forks, ...of } = published[network];

  it('are those of its published configuration', () => {
    expect(genesisTime[network]).toBe(of.genesis_time);
    expect(depositContract[network]).toBe(of.DEPOSIT_CONTRACT_ADDRESS.toLowerCase());
    expect(genesisValidatorsRoot[network]).toBe(of.GENESIS_VALIDATORS_ROOT);
    expect(forkEpochs[network]).toEqual(Object.fromEntries(forks.map((epoch, at) => [names[at], epoch])));
  });
});
