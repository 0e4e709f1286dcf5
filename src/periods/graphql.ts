import type { InputShapeFromFields } from '@pothos/core';
import { builder } from '../graphql/builder.ts';
import { badArgument } from '../kernel/refusal.ts';
import type { PeriodQuery } from './pages.ts';
import { checkBounds } from './params.ts';
import { granularities } from './record.ts';

const enumName = (value: string) => value.replace(/[A-Z]/g, '_$&').toUpperCase();
const valuesOf = <V extends string>(values: readonly V[], description: (value: V) => string) =>
  Object.fromEntries(
    values.map((value) => [enumName(value), { value, description: description(value) }]),
  ) as Record<string, { value: V; description: string }>;

const lengths: Record<string, string> = {
  hour: 'An hour; of entities only, not of private sets.',
  day: 'A day of the calendar in use.',
  week: 'An ISO week.',
  month: 'A calendar month.',
  quarter: 'A calendar quarter.',
  year: 'A calendar year.',
  all: 'All in one row.',
};
const GranularityEnum = builder.enumType('Granularity', {
  description: 'The size of time increments.',
  values: valuesOf(granularities, (name) => lengths[name] as string),
});
const SortOrderEnum = builder.enumType('SortOrder', {
  description: 'A sort order.',
  values: {
    ASC: { value: 'asc', description: 'Smallest first.' },
    DESC: { value: 'desc', description: 'Largest first.' },
  } as const,
});

/** The arguments of a list over time whose rows can be sorted by these fields, under a name for their enum. */
export function periodArgs<Field extends string>(
  enumTitle: string,
  sorted: string,
  sortFields: readonly Field[],
) {
  const SortEnum = builder.enumType(enumTitle, {
    description: `What ${sorted} are sorted by; ties by period.`,
    values: valuesOf(sortFields, (name) => (name === 'day' ? 'The period itself.' : `By ${name}.`)),
  });
  return builder.args((t) => ({
    granularity: t.field({
      type: GranularityEnum,
      defaultValue: 'day',
      description: 'Size of the time increments.',
    }),
    utc: t.boolean({ defaultValue: false, description: 'By UTC days instead of Ethereum chain days.' }),
    fromDate: t.field({ type: 'Date', description: 'First date, inclusive.' }),
    toDate: t.field({ type: 'Date', description: 'Last date, inclusive.' }),
    fromDay: t.int({ description: 'First day of the calendar in use, inclusive, >= 0.' }),
    toDay: t.int({ description: 'Last day of the calendar in use, inclusive, >= 0.' }),
    sortBy: t.field({ type: SortEnum, defaultValue: 'day' as never, description: 'What to sort by.' }),
    sortOrder: t.field({ type: SortOrderEnum, defaultValue: 'asc', description: 'Sort order.' }),
  }));
}
export type PeriodArgs = InputShapeFromFields<ReturnType<typeof periodArgs<string>>>;

/** The query that arguments ask for. Throws BAD_INPUT for days below 0 and ranges that end before they begin. */
export function periodQuery<Field extends string>(args: PeriodArgs): PeriodQuery<Field> {
  for (const name of ['fromDay', 'toDay'] as const) {
    const day = args[name];
    if (day != null && day < 0) throw badArgument(name, `${name} is ${day}; an integer >= 0 is needed.`);
  }
  const query: PeriodQuery<Field> = {
    granularity: args.granularity ?? 'day',
    calendar: args.utc ? 'utc' : 'chain',
    fromDate: args.fromDate ?? null,
    toDate: args.toDate ?? null,
    fromDay: args.fromDay ?? null,
    toDay: args.toDay ?? null,
    sortBy: (args.sortBy ?? 'day') as Field | 'day',
    sortOrder: args.sortOrder ?? 'asc',
  };
  checkBounds(query, 'argument');
  return query;
}
