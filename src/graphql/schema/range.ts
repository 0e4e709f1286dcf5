import type { InputShapeFromFields } from '@pothos/core';
import { type Bounds, boundFaults } from '../../chain/bounds.ts';
import type { Calendar } from '../../chain/calendar.ts';
import { badInput, type Fault } from '../../kernel/refusal.ts';
import { builder } from './builder.ts';

export const rangeArgs = builder.args((t) => ({
  utc: t.boolean({ defaultValue: false, description: 'By UTC days instead of Ethereum chain days.' }),
  fromDate: t.field({ type: 'Date', description: 'First date, inclusive.' }),
  toDate: t.field({ type: 'Date', description: 'Last date, inclusive.' }),
  fromDay: t.int({
    description: 'Number of the first day, inclusive, >= 0: of UTC days with `utc`, else of chain days.',
  }),
  toDay: t.int({
    description: 'Number of the last day, inclusive, >= 0: of UTC days with `utc`, else of chain days.',
  }),
}));

export function rangeOf(args: InputShapeFromFields<typeof rangeArgs>): Bounds & { calendar: Calendar } {
  const faults: Fault[] = [];
  const dayOf = (name: 'fromDay' | 'toDay'): number | null => {
    const day = args[name] ?? null;
    if (day === null || day >= 0) return day;
    const msg = `${name} is ${day}; an integer >= 0 is needed.`;
    faults.push({ loc: ['argument', name], msg, type: 'value_error' });
    return null;
  };
  const bounds = {
    fromDate: args.fromDate ?? null,
    toDate: args.toDate ?? null,
    fromDay: dayOf('fromDay'),
    toDay: dayOf('toDay'),
  };
  faults.push(...boundFaults(bounds, 'argument'));
  if (faults.length > 0) throw badInput(faults);
  return { calendar: args.utc ? 'utc' : 'chain', ...bounds };
}
