import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chainDayOfEpoch, epochStart, firstEpochFrom, firstEpochOfChainDay } from '../src/chain/calendar.ts';
import { networks } from '../src/chain/networks.ts';

const network = fc.constantFrom(...networks);
const epoch = fc.nat({ max: 9_000_000 });
const iso = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000', '');

describe('the chain calendar', () => {
  it('puts every epoch into exactly one day, and days tile', () => {
    fc.assert(
      fc.property(epoch, (number) => {
        const day = chainDayOfEpoch(number);
        expect(number).toBeGreaterThanOrEqual(firstEpochOfChainDay(day));
        expect(number).toBeLessThan(firstEpochOfChainDay(day + 1));
      }),
    );
  });

  it('finds the first epoch at or after a moment', () => {
    fc.assert(
      fc.property(network, epoch, fc.integer({ min: 1, max: 383 }), (name, number, seconds) => {
        const start = epochStart(name, number);
        expect(firstEpochFrom(name, start)).toBe(number);
        expect(firstEpochFrom(name, start + seconds)).toBe(number + 1);
      }),
    );
  });

  it('begins at genesis', () => {
    expect(iso(epochStart('mainnet', 0))).toBe('2020-12-01T12:00:23Z');
    expect(iso(epochStart('holesky', 0))).toBe('2023-09-28T12:00:00Z');
    expect(iso(epochStart('hoodi', 0))).toBe('2025-03-17T12:10:00Z');
    expect(firstEpochFrom('mainnet', 0)).toBe(0);
  });

  it('has day 1216 of mainnet at epochs 273600 to 273824, dated 2024-03-31', () => {
    expect(firstEpochOfChainDay(1216)).toBe(273_600);
    expect(chainDayOfEpoch(273_824)).toBe(1216);
    expect(iso(epochStart('mainnet', 273_600)).slice(0, 10)).toBe('2024-03-31');
  });
});
