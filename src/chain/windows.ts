import { z } from 'zod';

export const TimeWindow = z.enum(['1d', '7d', '30d', 'all']);
export type TimeWindow = z.infer<typeof TimeWindow>;

export const windowDays: Record<TimeWindow, number | null> = { '1d': 1, '7d': 7, '30d': 30, all: null };
