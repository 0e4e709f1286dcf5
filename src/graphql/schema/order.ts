import type { Order } from '../../kernel/page.ts';
import { builder } from './builder.ts';
import { enumValues, SortOrderEnum } from './enums.ts';

export function orderInput<const Field extends string>(
  name: string,
  fields: readonly Field[],
  describe: (field: Field) => string,
) {
  const FieldEnum = builder.enumType(`${name}OrderField`, {
    description: 'What a list is ordered by.',
    values: enumValues(fields, describe),
  });
  return builder.inputType(`${name}Order`, {
    description: 'The order of a list. Rows with equal values are ordered by their key.',
    fields: (t) => ({
      field: t.field({ type: FieldEnum, required: true, description: 'What to order by.' }),
      direction: t.field({
        type: SortOrderEnum,
        defaultValue: 'desc',
        description: 'Smallest or largest first; of times, oldest or newest first.',
      }),
    }),
  });
}

type Given<Field> = { field: Field; direction?: 'asc' | 'desc' | null | undefined } | null | undefined;

/** Without `orderBy`, the order by `field`: the newest or largest first. */
export const orderOf = <Field extends string>(orderBy: Given<Field>, field: Field): Order<Field> => ({
  field: orderBy?.field ?? field,
  direction: orderBy?.direction ?? 'desc',
});

/** For a list with one field to order by: without `orderBy`, its order is `ascending`. */
export const isAscending = (orderBy: Given<unknown>, ascending = false): boolean =>
  orderBy ? orderBy.direction === 'asc' : ascending;
