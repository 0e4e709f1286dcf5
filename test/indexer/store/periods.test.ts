import fc from 'fast-check';
import { expect, it } from 'vitest';
import { dateOfDay, dayOfEpoch, epochsOfDay, epochsOfHour } from '../../../src/chain/calendar.ts';
import { networks } from '../../../src/chain/networks.ts';
import { firstOpenEpoch, periodsOf } from '../../../src/indexer/store/periods.ts';
import { runs } from '../../support/thorough.ts';

const epoch = fc.integer({ min: 0, max: 600_000 });
const network = fc.constantFrom(...networks);

it('each epoch is in one day and one hour of each calendar, and the hour in the day', () => {
  fc.assert(
    fc.property(network, epoch, (of, at) => {
      for (const { utc, hourly, period, day, first, last } of periodsOf(of, at)) {
        const calendar = utc ? 'utc' : 'chain';
        const spans = (hourly ? epochsOfHour : epochsOfDay)(of, calendar, period);
        expect({ first, last }).toEqual(spans);
        expect(at).toBeGreaterThanOrEqual(first);
        expect(at).toBeLessThanOrEqual(last);
        expect(Math.floor(hourly ? period / 24 : period)).toBe(day);
      }
    }),
    runs(400),
  );
});

it('has no UTC periods before those of 2024-10-01', () => {
  fc.assert(
    fc.property(network, epoch, (of, at) => {
      const utc = dateOfDay(of, dayOfEpoch(of, 'utc', at));
      const found = periodsOf(of, at).map((period) => period.utc);
      expect(found).toEqual(utc < '2024-10-01' ? [false, false] : [false, false, true, true]);
    }),
    runs(400),
  );
});

it('facts are needed from the first epoch of the days that the next epoch is in', () => {
  fc.assert(
    fc.property(network, epoch, (of, at) => {
      const days = periodsOf(of, at + 1).filter(({ hourly }) => !hourly);
      expect(firstOpenEpoch(of, at)).toBe(Math.min(...days.map(({ first }) => first)));
    }),
    runs(400),
  );
});
