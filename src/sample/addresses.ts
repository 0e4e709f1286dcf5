import type { Network } from '../chain/networks.ts';
import { activeEth } from './chain.ts';
import { characterOf, type Entity, gone } from './entity.ts';
import { ensName } from './names.ts';
import { chance, hexDigits, noise, stream } from './random.ts';
import { powerLaw, walk } from './size.ts';

type AddressClass = {
  idType: 'depositAddress' | 'withdrawalAddress';
  count: number;
  exponent: number;
  /** Share of the network that all of them hold together. */
  total: number;
};

const classes: readonly AddressClass[] = [
  { idType: 'depositAddress', count: 2_000, exponent: 1.4, total: 0.7 },
  { idType: 'withdrawalAddress', count: 500, exponent: 1.3, total: 0.6 },
];

/** The deposit and withdrawal addresses of a network, each class from the largest down; some have left. */
export function* addresses(network: Network, seed: number): Generator<Entity> {
  for (const { idType, count, exponent, total } of classes) {
    for (const [rank, share] of powerLaw(count, exponent, total).entries()) {
      const random = stream(seed, network, idType, rank);
      const left = rank > 20 && chance(random, 0.03);
      const eth = share * (1 + noise(random) * 0.06) * activeEth[network];
      const drawn = {
        network,
        idType,
        id: `0x${hexDigits(random, 40)}`,
        displayName: ensName(random),
        sizes: left ? gone : walk(random, eth),
      };
      yield {
        ...drawn,
        ...characterOf(drawn, seed),
        tags: [],
        balancesKnown: rank <= 20 || !chance(random, 0.008),
        nodeOperatorCount: null,
      };
    }
  }
}
