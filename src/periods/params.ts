import { boolParam, enumParam, formParam, intParam } from '../kernel/params.ts';
import { badInput, type Fault } from '../kernel/refusal.ts';
import { parseDate } from '../kernel/time.ts';
import type { PeriodBounds } from './pages.ts';

export const PERIODS_DEFAULT_SIZE = 10;
export const PERIODS_MAX_SIZE = 1_000;

const dateParam = (description: string) =>
  formParam<string, { form: string; description: string; nullable: true }>(
    { description, form: 'a date like 2024-03-31', nullable: true },
    { type: 'string', format: 'date' },
    (text) => (parseDate(text) === undefined ? undefined : text),
  );

const dayParam = (description: string) => intParam({ description, min: 0, nullable: true });

/** The query of a list over time (spec §4.4), for figures that can be sorted by these fields and have these increments. */
export const periodParams = <Field extends string, Size extends string>(
  sortFields: readonly (Field | 'day')[],
  sizes: readonly (Size | 'day')[],
) => ({
  limit: intParam({
    description: 'Results per page.',
    min: 1,
    max: PERIODS_MAX_SIZE,
    default: PERIODS_DEFAULT_SIZE,
  }),
  offset: intParam({ description: 'Results to skip.', min: 0, default: 0 }),
  fromDate: dateParam('First date, inclusive.'),
  toDate: dateParam('Last date, inclusive.'),
  fromDay: dayParam('First day of the calendar in use, inclusive.'),
  toDay: dayParam('Last day of the calendar in use, inclusive.'),
  utc: boolParam({
    description: 'true: by UTC days; false: by Ethereum chain days.',
    nullable: true,
    default: false,
  }),
  sortBy: enumParam<Field | 'day', { description: string; default: 'day' }>(sortFields, {
    description: 'Field to sort by, ties by period; `day` is the period itself.',
    default: 'day',
  }),
  sortOrder: enumParam(['asc', 'desc'], { description: 'Sort order.', nullable: true, default: 'asc' }),
  granularity: enumParam<Size | 'day', { description: string; nullable: true; default: 'day' }>(sizes, {
    description: 'Size of the time increments.',
    nullable: true,
    default: 'day',
  }),
});

/** Refuses a range that ends before it begins; `place` is where the caller wrote it (`query`, `argument`). */
export function checkBounds(bounds: PeriodBounds, place: string): void {
  const faults: Fault[] = [];
  for (const [from, to] of [['fromDate', 'toDate'] as const, ['fromDay', 'toDay'] as const]) {
    const [first, last] = [bounds[from], bounds[to]];
    if (first === null || last === null || first <= last) continue;
    const msg = `${from} is ${first}, after ${to} ${last}.`;
    faults.push({ loc: [place, from], msg, type: 'range' });
  }
  if (faults.length > 0) throw badInput(faults);
}
