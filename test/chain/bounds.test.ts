import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Bounds, epochsWithin } from '../../src/chain/bounds.ts';
import {
  calendars,
  dateOfDay,
  dayOfEpoch,
  SECONDS_PER_DAY,
  SECONDS_PER_EPOCH,
  secondsBeforeGenesis,
} from '../../src/chain/calendar.ts';
import { networks } from '../../src/chain/networks.ts';

const network = fc.constantFrom(...networks);
const calendar = fc.constantFrom(...calendars);
const open: Bounds = { fromDate: null, toDate: null, fromDay: null, toDay: null };

describe('a range of days and dates', () => {
  const day = fc.option(fc.nat({ max: 3_000 }));

  it('takes in an epoch when its day and the date of its day are within all four bounds', () => {
    fc.assert(
      fc.property(network, calendar, day, day, day, day, fc.nat({ max: 700_000 }), (name, which, ...rest) => {
        const [fromDay, toDay, first, last, epoch] = rest as [any, any, any, any, number];
        const dateAt = (at: number | null) => (at === null ? null : dateOfDay(name, at));
        const bounds = { fromDay, toDay, fromDate: dateAt(first), toDate: dateAt(last) };
        const range = epochsWithin(name, which, bounds);
        const own = dayOfEpoch(name, which, epoch);
        const date = dateOfDay(name, own);
        const within =
          own >= (fromDay ?? 0) &&
          own <= (toDay ?? own) &&
          date >= (bounds.fromDate ?? date) &&
          date <= (bounds.toDate ?? date);
        expect(epoch >= range.first && epoch <= range.last).toBe(within);
      }),
    );
  });

  it('is every epoch when open, none when it ends before genesis, and stays in what can be stored', () => {
    expect(epochsWithin('mainnet', 'chain', open)).toEqual({ first: 0, last: 2 ** 31 - 1 });
    const before = epochsWithin('mainnet', 'utc', { ...open, toDate: '2020-11-30' });
    expect(before.last).toBeLessThan(before.first);
    const after = epochsWithin('mainnet', 'utc', { ...open, fromDay: 2 ** 31 - 1, toDay: 2 ** 31 - 1 });
    expect(after).toEqual({ first: 2 ** 31 - 1, last: 2 ** 31 - 1 });
    expect(epochsWithin('hoodi', 'chain', { ...open, fromDate: '0001-01-01' }).first).toBe(0);
  });
});

it('the day of an epoch is told by the seconds before genesis, as statements tell it', () => {
  fc.assert(
    fc.property(network, calendar, fc.nat({ max: 9_000_000 }), (name, which, epoch) => {
      const seconds = epoch * SECONDS_PER_EPOCH + secondsBeforeGenesis(name, which);
      expect(Math.floor(seconds / SECONDS_PER_DAY)).toBe(dayOfEpoch(name, which, epoch));
    }),
  );
});
