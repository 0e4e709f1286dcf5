import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  churnCapacity,
  consolidationLimitAt,
  electraEpoch,
  electraEpochs,
  epochCount,
  getActivationExitChurnLimit,
  getBalanceChurnLimit,
  getConsolidationChurnLimit,
  getConsolidationChurnLimitGloas,
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
    expect(getBalanceChurnLimit(eth * ETH)).toBe(balance * ETH);
    expect(getActivationExitChurnLimit(eth * ETH)).toBe(exits * ETH);
    expect(getConsolidationChurnLimit(eth * ETH)).toBe(consolidation * ETH);
  });

  it('count single Gwei past 2^53: one Gwei short of a step is the step below', () => {
    const step = 600n * 65_536n * ETH;
    expect(step).toBeGreaterThan(2n ** 53n);
    expect(getConsolidationChurnLimit(step)).toBe(344n * ETH);
    expect(getConsolidationChurnLimit(step - 1n)).toBe(343n * ETH);
  });

  it('are whole ETH, never below 0, and split the limit of the balance', () => {
    fc.assert(
      fc.property(stake, (total) => {
        const [all, exits, moved] = [
          getBalanceChurnLimit(total),
          getActivationExitChurnLimit(total),
          getConsolidationChurnLimit(total),
        ];
        expect(exits + moved).toBe(all);
        for (const limit of [all, exits, moved]) expect(limit % ETH).toBe(0n);
        expect(moved >= 0n && all >= 128n * ETH && exits <= 256n * ETH).toBe(true);
        // within one ETH below the exact share, unless the minimum limit applies
        const share = total / 65_536n;
        if (share >= 128n * ETH) expect(all <= share && share - all < ETH).toBe(true);
      }),
    );
  });

  it('never fall when the stake grows', () => {
    fc.assert(
      fc.property(stake, stake, (total, more) => {
        expect(getConsolidationChurnLimit(total + more)).toBeGreaterThanOrEqual(
          getConsolidationChurnLimit(total),
        );
      }),
    );
  });
});

describe('the consolidation limit of Gloas', () => {
  // Worked by hand: stake ÷ 65,536, rounded down to whole ETH.
  it.each([
    ['no stake at all', 0n, 0n],
    ['just too little for one ETH', 65_535n, 0n],
    ['one ETH', 65_536n, 1n],
    ['a small chain', 1_000_000n, 15n],
    ['36 million ETH', 36_000_000n, 549n], // 549.3 ETH, of which Electra leaves 293
    ['all ETH there is', 120_000_000n, 1_831n],
  ])('with %s', (_what, eth, limit) => {
    expect(getConsolidationChurnLimitGloas(eth * ETH)).toBe(limit * ETH);
    expect(consolidationLimitAt(eth * ETH, 20, 20)).toBe(limit * ETH);
    expect(consolidationLimitAt(eth * ETH, 19, 20)).toBe(getConsolidationChurnLimit(eth * ETH));
  });

  it('adds up epoch by epoch, across the fork too', () => {
    const epoch = fc.nat({ max: 60 });
    fc.assert(
      fc.property(stake, epoch, epoch, epoch, (total, first, epochs, gloas) => {
        const each = Array.from({ length: epochs }, (_, n) => consolidationLimitAt(total, first + n, gloas));
        const sum = each.reduce((all, limit) => all + limit, 0n);
        expect(churnCapacity(total, { first, last: first + epochs - 1 }, gloas)).toBe(sum);
      }),
    );
    expect(churnCapacity(36_000_000n * ETH, { first: 1, last: 9 }, Number.POSITIVE_INFINITY)).toBe(
      9n * 293n * ETH,
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
