import type { InputShapeFromFields } from '@pothos/core';
import { type Bounds, checkBounds } from '../chain/bounds.ts';
import type { Calendar } from '../chain/calendar.ts';
import { badArgument } from '../kernel/refusal.ts';
import { builder } from './builder.ts';

/** The arguments of a range of time, and of the calendar it is of; those of REST. */
export const rangeArgs = builder.args((t) => ({
  utc: t.boolean({ defaultValue: false, description: 'By UTC days instead of Ethereum chain days.' }),
  fromDate: t.field({ type: 'Date', description: 'First date, inclusive.' }),
  toDate: t.field({ type: 'Date', description: 'Last date, inclusive.' }),
  fromDay: t.int({ description: 'First day of the calendar in use, inclusive, >= 0.' }),
  toDay: t.int({ description: 'Last day of the calendar in use, inclusive, >= 0.' }),
}));

/** The range that these arguments ask for. Throws BAD_INPUT for a negative day, or an end before the beginning. */
export function rangeOf(args: InputShapeFromFields<typeof rangeArgs>): Bounds & { calendar: Calendar } {
  for (const name of ['fromDay', 'toDay'] as const) {
    const day = args[name];
    if (day != null && day < 0) throw badArgument(name, `${name} is ${day}; an integer >= 0 is needed.`);
  }
  const bounds = {
    fromDate: args.fromDate ?? null,
    toDate: args.toDate ?? null,
    fromDay: args.fromDay ?? null,
    toDay: args.toDay ?? null,
  };
  checkBounds(bounds, 'argument');
  return { calendar: args.utc ? 'utc' : 'chain', ...bounds };
}
