import { builder } from './builder.ts';
import { enumValues, SortOrderEnum } from './enums.ts';

export function orderInput<const Field extends string>(
  name: string,
  fields: readonly Field[],
  describe: (field: Field) => string,
  direction: 'asc' | 'desc' = 'desc',
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
        defaultValue: direction,
        description: 'Smallest or largest first.',
      }),
    }),
  });
}
