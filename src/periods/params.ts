import { pageParams, rangeParams, sortOrderParam } from '../chain/params.ts';
import { enumParam } from '../kernel/params.ts';

export const PERIODS_SIZES = { defaultSize: 10, maxSize: 1_000 };

/** Spec §4.4. */
export const periodParams = <Field extends string, Size extends string>(
  sortFields: readonly (Field | 'day')[],
  sizes: readonly (Size | 'day')[],
) => ({
  ...pageParams(PERIODS_SIZES),
  ...rangeParams(),
  sortBy: enumParam<Field | 'day', { description: string; default: 'day' }>(sortFields, {
    description: 'Field to sort by, ties by period; `day` is the period itself.',
    default: 'day',
  }),
  sortOrder: sortOrderParam(),
  granularity: enumParam<Size | 'day', { description: string; nullable: true; default: 'day' }>(sizes, {
    description: 'Size of the time increments.',
    nullable: true,
    default: 'day',
  }),
});
