import {
  type Calendar,
  calendars,
  dateOfDay,
  dayOfEpoch,
  epochsOfDay,
  epochsOfHour,
  FIRST_UTC_DATE,
} from '../chain/calendar.ts';
import type { IdType } from '../resources/operators/record.ts';
import { headEpoch } from './chain.ts';
import type { SampleOperator } from './entity.ts';

/** How much is made; a whole sample is some 770,000 rows, which tests do not need. */
export type AttestationSize = { days: number; hourDays: number; entities: number };
export const wholeSize: AttestationSize = { days: 730, hourDays: 30, entities: 300 };

/** An entity with what its attestations are made of. */
type SampleEntity = {
  idType: IdType;
  id: string;
  seed: number;
  validators: number;
  uptime: number;
  correctness: number;
  delay: number;
  effectiveness: number;
};

/** One period of a calendar and the epochs it holds. */
export type SamplePeriod = {
  calendar: Calendar;
  day: number;
  hour: number | null;
  date: string;
  first: number;
  last: number;
};

/** The mainnet entities that have attestations: pools and node operators first, then addresses. */
export function attestationEntities(
  operators: readonly SampleOperator[],
  size: AttestationSize,
): SampleEntity[] {
  const classes: IdType[] = ['pool', 'nodeOperator', 'depositAddress', 'withdrawalAddress'];
  const candidates = classes.flatMap((idType) => {
    const found = operators.filter(
      (row) => row.network === 'mainnet' && row.timeWindow === '30d' && row.idType === idType,
    );
    // Enough of every class, however few are asked for
    return found.slice(0, Math.max(30, size.entities - 100)).map((row, index) => ({ row, index }));
  });
  return candidates
    .sort((a, b) => a.index - b.index)
    .slice(0, size.entities)
    .map(({ row }, index) => ({
      idType: row.idType,
      id: row.id,
      seed: index + 1,
      validators: Math.max(1, row.validatorCount),
      uptime: row.avgUptime,
      correctness: row.avgCorrectness,
      delay: row.avgInclusionDelay ?? 1.02,
      effectiveness: row.avgValidatorEffectiveness,
    }));
}

/** The hours of the last days, and the days before and with them, of both calendars up to the head. */
export function attestationPeriods(size: AttestationSize): { hours: SamplePeriod[]; days: SamplePeriod[] } {
  const network = 'mainnet';
  const hours: SamplePeriod[] = [];
  const days: SamplePeriod[] = [];
  for (const calendar of calendars) {
    const end = dayOfEpoch(network, calendar, headEpoch.mainnet) - 1; // the last whole day
    for (let day = end - size.days + 1; day <= end; day += 1) {
      const date = dateOfDay(network, day);
      if (calendar === 'utc' && date < FIRST_UTC_DATE) continue;
      if (day <= end - size.hourDays) {
        days.push({ calendar, day, hour: null, date, ...epochsOfDay(network, calendar, day) });
        continue;
      }
      for (let hour = day * 24; hour < (day + 1) * 24; hour += 1) {
        hours.push({ calendar, day, hour, date, ...epochsOfHour(network, calendar, hour) });
      }
    }
  }
  return { hours, days };
}
