import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  activationExitChurnLimit,
  balanceChurnLimit,
  consolidationChurnLimit,
  electraEpoch,
  electraEpochs,
  epochCount,
} from '../../src/chain/churn.ts';
import { networks } from '../../src/chain/networks.ts';

const ETH = 1_000_000_000n;
const stake = fc.bigInt({ min: 0n, max: 200_000_000n * ETH });

describe('the churn limits of Electra', () => {
  // Worked by hand: stake ÷ 65,536, at least 128 ETH, rounded down to whole ETH; 256 ETH of it at most for exits.
  it.each([
    ['no stake at all', 0n, 128n, 128n, 0n],
    ['a small chain', 1_000_000n, 128n, 128n, 0n],
    ['the stake up to which the least limit counts', 8_388_608n, 128n, 128n, 0n],
    ['one more step', 8_454_144n, 129n, 129n, 0n],
    ['the stake of which exits take all', 16_777_216n, 256n, 256n, 0n],
    ['just too little for one ETH', 16_842_751n, 256n, 256n, 0n],
    ['the first stake that leaves something', 16_842_752n, 257n, 256n, 1n],
    ['20.8 million ETH', 20_800_000n, 317n, 256n, 61n],
    ['35 million ETH', 35_000_000n, 534n, 256n, 278n], // 534.06 ETH
    ['35.6 million ETH', 35_600_000n, 543n, 256n, 287n], // 543.21 ETH
    ['all ETH there is', 120_000_000n, 1_831n, 256n, 1_575n],
  ])('with %s', (_what, eth, balance, exits, consolidation) => {
    expect(balanceChurnLimit(eth * ETH)).toBe(balance * ETH);
    expect(activationExitChurnLimit(eth * ETH)).toBe(exits * ETH);
    expect(consolidationChurnLimit(eth * ETH)).toBe(consolidation * ETH);
  });

  it('count single Gwei past 2^53: one Gwei short of a step is the step below', () => {
    const step = 600n * 65_536n * ETH;
    expect(step).toBeGreaterThan(2n ** 53n);
    expect(consolidationChurnLimit(step)).toBe(344n * ETH);
    expect(consolidationChurnLimit(step - 1n)).toBe(343n * ETH);
  });

  it('are whole ETH, never below 0, and split the limit of the balance', () => {
    fc.assert(
      fc.property(stake, (total) => {
        const [all, exits, moved] = [
          balanceChurnLimit(total),
          activationExitChurnLimit(total),
          consolidationChurnLimit(total),
        ];
        expect(exits + moved).toBe(all);
        for (const limit of [all, exits, moved]) expect(limit % ETH).toBe(0n);
        expect(moved >= 0n && all >= 128n * ETH && exits <= 256n * ETH).toBe(true);
        // within one ETH below the exact share, unless the least limit counts
        const share = total / 65_536n;
        if (share >= 128n * ETH) expect(all <= share && share - all < ETH).toBe(true);
      }),
    );
  });

  it('never fall when the stake grows', () => {
    fc.assert(
      fc.property(stake, stake, (total, more) => {
        expect(consolidationChurnLimit(total + more)).toBeGreaterThanOrEqual(consolidationChurnLimit(total));
      }),
    );
  });
});

describe('the epochs of a window', () => {
  it('are the last ones up to the newest, and all since Electra without a number', () => {
    expect(electraEpochs('mainnet', 400_000, 225)).toEqual({ first: 399_776, last: 400_000 });
    expect(electraEpochs('mainnet', 400_000, null)).toEqual({ first: 364_032, last: 400_000 });
    expect(electraEpochs('hoodi', 2_100, 225)).toEqual({ first: 2_048, last: 2_100 });
    expect(electraEpochs('holesky', 115_968, null)).toEqual({ first: 115_968, last: 115_968 });
  });

  it('are none before Electra, and never more than asked for', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...networks),
        fc.nat({ max: 1_000_000 }),
        fc.integer({ min: 1, max: 100_000 }),
        (network, latest, epochs) => {
          const since = Math.max(0, latest - electraEpoch[network] + 1);
          expect(epochCount(electraEpochs(network, latest, epochs))).toBe(Math.min(epochs, since));
          expect(epochCount(electraEpochs(network, latest, null))).toBe(since);
        },
      ),
    );
  });
});
