import { describe, expect, it } from 'vitest';
import { Chain } from '../../../src/indexer/chain/index.ts';
import { Recording, recorded } from './recording.ts';

describe.skipIf(!recorded)('recorded chains', () => {
  const chains = [
    ['chain-days', 160, 459],
    ['chain-wide', 12_400, 39],
  ] as const;

  it.each(chains)('%s: every balance of every epoch is explained', (name, validators, epochs) => {
    const recording = new Recording(name);
    const chain = Chain.begin(recording.spec, recording.start(recording.firstEpoch));
    const facts = recording.run(chain);
    expect(chain.epoch).toBe(recording.lastEpoch + 1);
    expect(facts.map(({ epoch }) => epoch)).toEqual(
      Array.from({ length: epochs }, (_, at) => recording.firstEpoch + at),
    );
    expect(facts.at(-1)?.balances.length).toBeGreaterThanOrEqual(validators);
  });
});
