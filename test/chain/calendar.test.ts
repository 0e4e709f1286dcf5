import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  calendars,
  chainDayOfEpoch,
  chainDayOfMoment,
  dateOfDay,
  dayOfDate,
  dayOfEpoch,
  epochStart,
  epochsOfDay,
  epochsOfHour,
  firstEpochFrom,
  firstEpochOfChainDay,
  slotStart,
  spanOfChainDay,
} from '../../src/chain/calendar.ts';
import { networks } from '../../src/chain/networks.ts';
import { hourOfEpoch, periodStart, periods } from '../support/calendar.ts';

const network = fc.constantFrom(...networks);
const calendar = fc.constantFrom(...calendars);
const epoch = fc.nat({ max: 9_000_000 });
const iso = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000', '');

describe('both calendars', () => {
  it('put every epoch into exactly one day and one hour', () => {
    fc.assert(
      fc.property(network, calendar, epoch, (name, which, number) => {
        for (const [period, epochs] of [
          [dayOfEpoch(name, which, number), epochsOfDay],
          [hourOfEpoch(name, which, number), epochsOfHour],
        ] as const) {
          const range = epochs(name, which, period);
          expect(number).toBeGreaterThanOrEqual(range.first);
          expect(number).toBeLessThanOrEqual(range.last);
        }
      }),
    );
  });

  it('have days and hours that tile', () => {
    fc.assert(
      fc.property(network, calendar, fc.nat({ max: 200_000 }), (name, which, period) => {
        for (const epochs of [epochsOfDay, epochsOfHour]) {
          expect(epochs(name, which, period).last + 1).toBe(epochs(name, which, period + 1).first);
        }
      }),
    );
  });

  it('have 24 hours a day', () => {
    fc.assert(
      fc.property(network, calendar, epoch, (name, which, number) => {
        expect(Math.floor(hourOfEpoch(name, which, number) / 24)).toBe(dayOfEpoch(name, which, number));
      }),
    );
  });

  it('give each day the UTC date on which it starts', () => {
    fc.assert(
      fc.property(network, fc.nat({ max: 30_000 }), (name, day) => {
        const start = epochStart(name, firstEpochOfChainDay(day));
        expect(dateOfDay(name, day)).toBe(iso(start).slice(0, 10));
        expect(dayOfDate(name, dateOfDay(name, day))).toBe(day);
      }),
    );
  });
});

describe('the chain calendar', () => {
  it('counts days of 225 epochs from genesis', () => {
    fc.assert(
      fc.property(network, epoch, (name, number) => {
        expect(dayOfEpoch(name, 'chain', number)).toBe(chainDayOfEpoch(number));
      }),
    );
  });

  it('has day 1216 of mainnet at epochs 273600 to 273824, dated 2024-03-31', () => {
    expect(epochsOfDay('mainnet', 'chain', 1216)).toEqual({ first: 273_600, last: 273_824 });
    expect(dateOfDay('mainnet', 1216)).toBe('2024-03-31');
  });

  it('begins at genesis', () => {
    expect(iso(epochStart('mainnet', 0))).toBe('2020-12-01T12:00:23Z');
    expect(iso(epochStart('holesky', 0))).toBe('2023-09-28T12:00:00Z');
    expect(iso(epochStart('hoodi', 0))).toBe('2025-03-17T12:10:00Z');
    expect(epochsOfDay('mainnet', 'chain', 0)).toEqual({ first: 0, last: 224 });
  });
});

describe('the UTC calendar', () => {
  it('has day 0 of mainnet at epochs 0 to 112 and day 1 at 113 to 337', () => {
    expect(epochsOfDay('mainnet', 'utc', 0)).toEqual({ first: 0, last: 112 });
    expect(epochsOfDay('mainnet', 'utc', 1)).toEqual({ first: 113, last: 337 });
  });

  it('puts an epoch into the UTC day in which it starts, one at 23:57 included', () => {
    fc.assert(
      fc.property(network, epoch, (name, number) => {
        const date = iso(epochStart(name, number)).slice(0, 10);
        expect(dateOfDay(name, dayOfEpoch(name, 'utc', number))).toBe(date);
      }),
    );
    // 2024-10-01: the last epoch of the day begins minutes before midnight and ends after it.
    const { last } = epochsOfDay('mainnet', 'utc', dayOfDate('mainnet', '2024-10-01'));
    expect(iso(epochStart('mainnet', last)).slice(0, 10)).toBe('2024-10-01');
    expect(iso(epochStart('mainnet', last + 1)).slice(0, 10)).toBe('2024-10-02');
  });

  it('has no epochs in the hours of day 0 before genesis', () => {
    const { first, last } = epochsOfHour('mainnet', 'utc', 3);
    expect(last).toBeLessThan(first);
    expect(hourOfEpoch('mainnet', 'utc', 0)).toBe(12);
  });
});

describe('moments', () => {
  it('find the first epoch at or after them', () => {
    fc.assert(
      fc.property(network, epoch, fc.integer({ min: 1, max: 383 }), (name, number, seconds) => {
        const start = epochStart(name, number);
        expect(firstEpochFrom(name, start)).toBe(number);
        expect(firstEpochFrom(name, start + seconds)).toBe(number + 1);
      }),
    );
    expect(firstEpochFrom('mainnet', 0)).toBe(0);
  });

  it('are 12 seconds apart from slot to slot', () => {
    expect(iso(slotStart('mainnet', 7_502_102))).toBe('2023-10-09T11:00:47Z');
  });
});

describe('weeks to years', () => {
  const date = fc
    .date({ min: new Date('2020-01-01'), max: new Date('2050-12-31'), noInvalidDate: true })
    .map((value) => value.toISOString().slice(0, 10));
  const next = (text: string) => iso(Date.parse(text) / 1000 + 86_400).slice(0, 10);

  it('tile: the next date is in the same period or begins the next', () => {
    fc.assert(
      fc.property(fc.constantFrom(...periods), date, (period, day) => {
        expect(periodStart(period, day) <= day).toBe(true);
        const after = periodStart(period, next(day));
        expect([periodStart(period, day), next(day)]).toContain(after);
        expect(periodStart(period, periodStart(period, day))).toBe(periodStart(period, day));
      }),
    );
  });

  it('begin weeks on Monday, also week 53 and the days before it in January', () => {
    expect(periodStart('week', '2021-01-03')).toBe('2020-12-28');
    expect(periodStart('week', '2021-01-04')).toBe('2021-01-04');
    expect(periodStart('week', '2024-12-30')).toBe('2024-12-30');
    expect(periodStart('week', '2025-01-01')).toBe('2024-12-30');
  });

  it('hold the leap day', () => {
    expect(periodStart('month', '2024-02-29')).toBe('2024-02-01');
    expect(periodStart('quarter', '2024-02-29')).toBe('2024-01-01');
    expect(periodStart('year', '2024-02-29')).toBe('2024-01-01');
    expect(periodStart('quarter', '2024-12-31')).toBe('2024-10-01');
  });
});

describe('a chain day', () => {
  it('holds the moments from its first slot on to the first slot of the next, and its date', () => {
    fc.assert(
      fc.property(network, fc.nat({ max: 20_000 }), (name, day) => {
        const { start, end, date, startEpoch, endEpoch } = spanOfChainDay(name, day);
        expect([chainDayOfEpoch(startEpoch - 1), chainDayOfEpoch(startEpoch)]).toEqual([day - 1, day]);
        expect([chainDayOfEpoch(endEpoch), chainDayOfEpoch(endEpoch + 1)]).toEqual([day, day + 1]);
        expect(
          [start - 0.5, start, end, end + 11.5, end + 12].map((at) => chainDayOfMoment(name, at)),
        ).toEqual([day - 1, day, day, day, day + 1]);
        expect([date, dayOfDate(name, date)]).toEqual([iso(start).slice(0, 10), day]);
      }),
    );
  });

  it('counts down before genesis', () => {
    expect(chainDayOfMoment('mainnet', Date.UTC(2020, 11, 1, 12, 0, 22) / 1000)).toBe(-1);
    expect(chainDayOfMoment('mainnet', Date.UTC(2020, 11, 1, 12, 0, 23) / 1000)).toBe(0);
  });
});
