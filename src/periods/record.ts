import { z } from 'zod';
import { count, date, timestamp } from '../kernel/leaves.ts';

/** Spec §4.4. */
export const granularities = ['hour', 'day', 'week', 'month', 'quarter', 'year', 'all'] as const;
export const Granularity = z.enum(granularities);
export type Granularity = z.infer<typeof Granularity>;

const only = (rows: string) => `Set on ${rows} only, else null.`;

/** Spec §2.3. The keys of each granularity: decisions on time. */
export const PeriodKeys = z.object({
  day: count()
    .nullable()
    .describe(`Day of the calendar. ${only('hour and day rows')}`),
  startDay: count()
    .nullable()
    .describe(`First day with data. ${only('rows longer than a day')}`),
  endDay: count()
    .nullable()
    .describe(`Last day with data. ${only('rows longer than a day')}`),
  startEpoch: count().describe('First epoch with data.'),
  endEpoch: count().describe('Last epoch with data.'),
  startDate: date()
    .nullable()
    .describe(`Date of the first day with data. ${only('rows longer than a day')}`),
  endDate: date()
    .nullable()
    .describe(`Date of the last day with data. ${only('rows longer than a day')}`),
  date: date()
    .nullable()
    .describe(`UTC date on which the day starts. ${only('hour and day rows')}`),
  startTimestamp: timestamp().describe('When the first slot with data begins.'),
  endTimestamp: timestamp().describe('When the last slot with data begins.'),
  startSlot: count().describe('First slot of the first epoch with data.'),
  endSlot: count().describe('Last slot of the last epoch with data.'),
});
export type PeriodKey = keyof z.infer<typeof PeriodKeys>;
