import { z } from 'zod';
import * as Leaf from '../kernel/leaves.ts';

/** Spec §4.4. */
export const granularities = ['hour', 'day', 'week', 'month', 'quarter', 'year', 'all'] as const;
export const Granularity = z.enum(granularities);
export type Granularity = z.infer<typeof Granularity>;

const only = (rows: string) => `Set on ${rows} only, else null.`;

/** Spec §2.3. The keys of each granularity: decisions on time. */
export const PeriodKeys = z.object({
  day: Leaf.count()
    .nullable()
    .describe(`Day of the calendar. ${only('hour and day rows')}`),
  startDay: Leaf.count()
    .nullable()
    .describe(`First day with data. ${only('rows longer than a day')}`),
  endDay: Leaf.count()
    .nullable()
    .describe(`Last day with data. ${only('rows longer than a day')}`),
  startEpoch: Leaf.count().describe('First epoch with data.'),
  endEpoch: Leaf.count().describe('Last epoch with data.'),
  startDate: Leaf.date()
    .nullable()
    .describe(`Date of the first day with data. ${only('rows longer than a day')}`),
  endDate: Leaf.date()
    .nullable()
    .describe(`Date of the last day with data. ${only('rows longer than a day')}`),
  date: Leaf.date()
    .nullable()
    .describe(`UTC date on which the day starts. ${only('hour and day rows')}`),
  startTimestamp: Leaf.timestamp().describe('When the first slot with data begins.'),
  endTimestamp: Leaf.timestamp().describe('When the last slot with data begins.'),
  startSlot: Leaf.count().describe('First slot of the first epoch with data.'),
  endSlot: Leaf.count().describe('Last slot of the last epoch with data.'),
});
export type PeriodKeyField = keyof z.infer<typeof PeriodKeys>;
