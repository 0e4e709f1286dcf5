import type { InputShapeFromFields } from '@pothos/core';
import { builder } from '../graphql/schema/builder.ts';
import { enumValues, SortOrderEnum } from '../graphql/schema/enums.ts';
import { rangeArgs, rangeOf } from '../graphql/schema/range.ts';
import type { PeriodQuery } from './pages.ts';
import { granularities } from './record.ts';

const lengths: Record<string, string> = {
  hour: 'An hour; private sets have no hourly rows.',
  day: 'A day of the calendar in use.',
  week: 'An ISO week.',
  month: 'A calendar month.',
  quarter: 'A calendar quarter.',
  year: 'A calendar year.',
  all: 'All in one row.',
};
const GranularityEnum = builder.enumType('Granularity', {
  description: 'The size of time increments.',
  values: enumValues(granularities, (name) => lengths[name] as string),
});
export function periodArgs<Field extends string>(
  enumTitle: string,
  sorted: string,
  sortFields: readonly Field[],
) {
  const SortEnum = builder.enumType(enumTitle, {
    description: `What ${sorted} are sorted by; ties by period.`,
    values: enumValues(sortFields, (name) => (name === 'day' ? 'The period itself.' : `By ${name}.`)),
  });
  return builder.args((t) => ({
    granularity: t.field({
      type: GranularityEnum,
      defaultValue: 'day',
      description: 'Size of the time increments.',
    }),
    ...rangeArgs,
    sortBy: t.field({ type: SortEnum, defaultValue: 'day' as never, description: 'What to sort by.' }),
    sortOrder: t.field({ type: SortOrderEnum, defaultValue: 'asc', description: 'Sort order.' }),
  }));
}
export type PeriodArgs = InputShapeFromFields<ReturnType<typeof periodArgs<string>>>;

/** Throws BAD_INPUT for negative days and reversed ranges. */
export const periodQuery = <Field extends string>(args: PeriodArgs): PeriodQuery<Field> => ({
  granularity: args.granularity ?? 'day',
  ...rangeOf(args),
  sortBy: (args.sortBy ?? 'day') as Field | 'day',
  sortOrder: args.sortOrder ?? 'asc',
});
