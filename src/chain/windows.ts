import { z } from 'zod';
import { badInput, type Refusal } from '../kernel/refusal.ts';

export const timeWindows = ['1d', '7d', '30d', 'all'] as const;
export const TimeWindow = z.enum(timeWindows);
export type TimeWindow = z.infer<typeof TimeWindow>;

export const windowDays: Record<TimeWindow, number | null> = { '1d': 1, '7d': 7, '30d': 30, all: null };

/** Errors of GraphQL for figures that are requested without a window. */
export const refusedFigures = (names: readonly string[]): Record<string, Refusal> =>
  Object.fromEntries(
    names.map((name) => {
      const replacement = `summary(window:) { ${name === 'timeWindow' ? 'window' : name} }`;
      const msg = `${name} needs a window; ask for ${replacement}.`;
      return [name, badInput([{ loc: ['field', name], msg, type: 'value_error' }])];
    }),
  );
