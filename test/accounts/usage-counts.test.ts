import { describe, expect, it } from 'vitest';
import { usageCounts } from '../../src/accounts/usage.ts';

const october = new Date('2026-10-31T23:59:59Z');
const november = new Date('2026-11-01T00:00:00Z');
const total = (month: number, life: number) => ({
  accountId: 'a',
  monthUnits: month,
  monthRequests: 1,
  lifeUnits: life,
  lifeRequests: 2,
});

describe('what an account used', () => {
  it('is known at once, written or not', () => {
    const counts = usageCounts();
    counts.add('a', 5, october);
    counts.add('a', 6, october);
    const used = { units: 11, requests: 2 };
    expect(counts.used('a', 'month', october)).toEqual(used);
    counts.batch();
    expect(counts.used('a', 'month', october)).toEqual(used);
    counts.written();
    expect(counts.used('a', 'month', october)).toEqual(used);
    expect(counts.used('a', 'life', october)).toEqual(used);
    expect(counts.used('b', 'life', october)).toEqual({ units: 0, requests: 0 });
  });

  it('begins at nothing with a month of UTC, and goes on in its life', () => {
    const counts = usageCounts();
    counts.learn('2026-10', [total(7, 70)]);
    expect(counts.used('a', 'month', october)).toEqual({ units: 7, requests: 1 });
    expect(counts.used('a', 'month', november)).toEqual({ units: 0, requests: 0 });
    expect(counts.used('a', 'life', november)).toEqual({ units: 70, requests: 2 });
  });

  it('is none of the new month when the old one is written late', () => {
    const counts = usageCounts();
    counts.add('a', 5, october);
    counts.batch();
    counts.learn('2026-11', [total(1, 100)]);
    counts.written();
    expect(counts.used('a', 'month', november)).toEqual({ units: 1, requests: 1 });
    expect(counts.used('a', 'life', november)).toEqual({ units: 105, requests: 3 });
  });

  it('is of the new month where a batch goes over the end of the old one', () => {
    const counts = usageCounts();
    counts.add('a', 5, october);
    counts.add('a', 2, november);
    counts.batch();
    counts.written();
    expect(counts.used('a', 'month', november)).toEqual({ units: 2, requests: 1 });
    expect(counts.used('a', 'life', november)).toEqual({ units: 7, requests: 2 });
  });
});

describe('a batch of what was used', () => {
  it('stays the same until it is written, and what comes meanwhile goes with the next', () => {
    const counts = usageCounts();
    expect(counts.batch()).toBeUndefined();
    counts.add('a', 5, october);
    const first = counts.batch();
    counts.add('a', 1, october);
    expect(counts.batch()).toBe(first);
    expect(first?.counts.get('2026-10')?.get('a')).toEqual({ units: 5, requests: 1 });
    expect(counts.more()).toBe(true);
    counts.written();
    expect(counts.batch()?.counts.get('2026-10')?.get('a')).toEqual({ units: 1, requests: 1 });
    expect(counts.more()).toBe(false);
  });
});
